//! Functions of Rust in code: users' rules, lane by lane, and callbacks, on copies of whole arrays.
//!
//! Law: a rule's value is that at double precision, rounded to the kind of its operands, as the interpreter has it; a callback that
//! fails ends the run, and the interpreter says why (tests/array/foreign.rs).

use super::arguments::{put, take};
use super::assemble::{Assembler, In, Out};
use super::instruction::{Instruction, Reg};
use super::machine::{Fault, Machine};
use super::real::{Real, rounding};
use super::state::State;
use super::vector::set;
use crate::array::{Foreign, Prim};
use crate::interpret::{self, Value};
use crate::kernel::code::{self, Operand, Room};
use crate::term::ErasedRule;

/// A rule, and where its operands are and its value goes.
#[derive(Debug, Clone)]
pub(super) struct RuleCall {
    rule: ErasedRule,
    kind: Prim,
    pub(super) to: Reg,
    pub(super) x: Vec<Reg>,
}

/// A callback, and where its arguments are and its results go.
#[derive(Debug, Clone)]
pub(super) struct Call {
    it: Foreign,
    arguments: Vec<Out>,
    results: Vec<(Prim, In)>,
}

impl Call {
    /// The registers of reals that it reads and sets.
    pub(super) fn reals(&self) -> impl Iterator<Item = u32> {
        let read = |out: &Out| if let Out::Real(register, _) = out { Some(*register) } else { None };
        let set = |(_, port): &(Prim, In)| if let In::Real(register, _) = port { Some(*register) } else { None };
        self.arguments.iter().filter_map(read).chain(self.results.iter().filter_map(set))
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).expect("there are fewer than 2^32 calls")
}

impl Assembler<'_> {
    /// A rule of this number.
    pub(super) fn rule(&mut self, rule: u32, to: Reg, kind: Prim, x: Vec<Reg>) {
        self.out.push(Instruction::Rule(number(self.rules.len())));
        self.rules.push(RuleCall { rule: self.code.rules[rule as usize].clone(), kind, to, x });
    }

    pub(super) fn call(&mut self, call: &code::Call) {
        self.claim(call.blame.as_deref());
        let arguments = call.arguments.iter().map(|output| self.output(output)).collect();
        let result = |this: &mut Self, room: &Room| match room {
            Room::Scalar(value) => {
                let (register, prim) = (this.one(Operand::Value(*value)), this.prim(Operand::Value(*value)));
                (prim, if prim.is_real() { In::Real(register, prim) } else { In::Int(register) })
            }
            Room::Array { buffer, sizes } => {
                let prim = this.code.buffers[buffer.0 as usize].prim;
                let sizes = sizes.iter().map(|size| this.one(*size)).collect();
                let buffer = this.buffers[buffer.0 as usize];
                (prim, if prim.is_real() { In::Reals { buffer, sizes } } else { In::Ints { buffer, sizes } })
            }
        };
        let results = call.results.iter().map(|room| result(self, room)).collect();
        self.out.push(Instruction::Call(number(self.calls.len())));
        self.calls.push(Call { it: call.it.clone(), arguments, results });
    }
}

impl<R: Real<G>, const G: usize> State<R, G> {
    /// The rule in each lane.
    #[inline(never)]
    pub(super) fn rule(&self, RuleCall { rule, kind, to, x }: &RuleCall) {
        let (x, round) = (x.iter().map(|x| self.real(*x)).collect::<Vec<_>>(), rounding(*kind));
        let mut at = vec![0.0; x.len()];
        let mut value = |lane: usize| {
            at.iter_mut().zip(&x).for_each(|(at, x)| *at = x.lane(lane).double());
            round(R::of(rule.apply(&at)))
        };
        match *to {
            Reg::Uniform(to) => self.reals.set(to, value(0)),
            Reg::Varying(to) => {
                let to = self.real_block(to);
                (0..self.active).for_each(|lane| set(to, lane, value(lane)));
            }
        }
    }
}

/// Calls a callback, and leaves its results where they are to go.
#[cold]
#[inline(never)]
pub(super) fn run<R: Real<G>, const G: usize>(machine: &mut Machine<'_, R, G>, call: u32) -> Result<(), Fault> {
    let Call { it, arguments, results } = &machine.code.calls[call as usize];
    let arguments: Option<Vec<Value<f64>>> = arguments.iter().map(|out| take(machine, out)).collect();
    let size = |register: &u32| usize::try_from(machine.state.one(*register)).map_err(|_| Fault);
    let like = results.iter().map(|(prim, port)| match port {
        In::Real(..) | In::Int(_) => Ok((*prim, Vec::new())),
        In::Reals { sizes, .. } | In::Ints { sizes, .. } => {
            Ok((*prim, sizes.iter().map(size).collect::<Result<Vec<usize>, Fault>>()?))
        }
    });
    let like = like.collect::<Result<Vec<(Prim, Vec<usize>)>, Fault>>()?;
    let like: Vec<(Prim, &[usize])> = like.iter().map(|(prim, sizes)| (*prim, &sizes[..])).collect();
    let found = interpret::plain(it, arguments.ok_or(Fault)?, &like).map_err(|_| Fault)?;
    let mut found = results.iter().zip(&found);
    found.try_for_each(|((_, port), value)| put(machine, port, value)).ok_or(Fault)
}
