//! Operations on single values that follow each other, in a loop of their own: what scalar code mostly is.
//!
//! Law: they leave what the instructions leave that they stand for. Reals go through a few slots that are near each
//! other: what is needed elsewhere is written to its register at the end, and nothing else is (tests/execute/states.rs,
//! tests/execute/small.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::{Assembled, In, Out};
use super::compute::one;
use super::instruction::{Instruction, IntOp, RealOp, Reg, Src};
use super::real::Real;
use super::state::State;
use crate::array::Prim;
use crate::interpret::Test;
use crate::primitives::Primitive;

/// How many slots there are: as many as a byte can number.
pub(super) const SLOTS: usize = 256;

/// Where an operation on reals finds its operands, and where its result goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slots {
    to: u8,
    x: [u8; 3],
}

/// The operations on reals that are most of what there is: each is a step of its own, reached with one jump.
macro_rules! steps {
    ($($Name:ident: $op:pat => $it:expr;)+) => {
        /// An operation. Slots are of reals; registers are uniform ones, of integers where nothing else is said.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(super) enum Step {
            $($Name(Slots),)+
            Real { op: RealOp, slots: Slots },
            /// From a register of reals, and back.
            Get { register: u32, to: u8 },
            Put { slot: u8, register: u32 },
            Test { test: Test, to: u32, x: [u8; 2] },
            Select { condition: u32, to: u8, x: [u8; 2] },
            IntoReal { unsigned: bool, single: bool, x: u32, to: u8 },
            /// Of integers that need not be narrowed.
            Int { op: Whole, to: u32, x: [u32; 2] },
        }

        impl Step {
            fn real(op: RealOp, slots: Slots) -> Self {
                match op {
                    $($op => Step::$Name(slots),)+
                    op => Step::Real { op, slots },
                }
            }
        }

        /// Does them.
        #[inline(always)]
        pub(super) fn run<R: Real<G>, const G: usize>(state: &State<R, G>, steps: &[Step]) {
            let State { reals, ints, slots, .. } = state;
            let get = |slot: u8| slots[usize::from(slot)].get();
            let set = |slot: u8, x: R| slots[usize::from(slot)].set(x);
            for step in steps {
                match *step {
                    $(Step::$Name(Slots { to, x }) => set(to, one($it, x.map(get))),)+
                    Step::Real { op, slots: Slots { to, x } } => set(to, one(op, x.map(get))),
                    Step::Get { register, to } => set(to, reals.one(register)),
                    Step::Put { slot, register } => reals.set(register, get(slot)),
                    Step::Test { test, to, x: [a, b] } => ints.set(to, holds(test, get(a), get(b))),
                    Step::Select { condition, to, x: [a, b] } => {
                        set(to, if ints.one(condition) != 0 { get(a) } else { get(b) });
                    }
                    Step::IntoReal { unsigned, single, x, to } => set(to, R::of_integer(unsigned, single, ints.one(x))),
                    Step::Int { op, to, x } => ints.set(to, op.of(x.map(|k| ints.one(k)))),
                }
            }
        }
    };
}

steps! {
    Add: RealOp::Add => RealOp::Add;
    Mul: RealOp::Mul => RealOp::Mul;
    Scale: RealOp::Scale => RealOp::Scale;
    MulAdd: RealOp::MulAdd => RealOp::MulAdd;
    MulSub: RealOp::MulSub => RealOp::MulSub;
    MulSubtracted: RealOp::MulSubtracted => RealOp::MulSubtracted;
    Neg: RealOp::Row(Primitive::Neg) => RealOp::Row(Primitive::Neg);
    Sub: RealOp::Row(Primitive::Sub) => RealOp::Row(Primitive::Sub);
    Div: RealOp::Row(Primitive::Div) => RealOp::Row(Primitive::Div);
    Sqrt: RealOp::Row(Primitive::Sqrt) => RealOp::Row(Primitive::Sqrt);
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Whole {
    Copy,
    Add,
    And,
    Or,
    Not,
    Test(Test),
}

impl Whole {
    #[inline(always)]
    fn of(self, [a, b]: [i64; 2]) -> i64 {
        match self {
            Whole::Copy => a,
            Whole::Add => a.wrapping_add(b),
            Whole::And => a & b,
            Whole::Or => a | b,
            Whole::Not => a ^ 1,
            Whole::Test(test) => holds(test, a, b),
        }
    }
}

/// Puts an instruction that does them all in place of the first of such operations, wherever there are several.
pub(super) fn straighten(code: &mut Assembled) {
    let targets = targets(code);
    let mentions = mentions(code);
    let mut at = 0;
    while at < code.instructions.len() {
        let mut run = Run::default();
        let mut count = 0;
        while let Some(instruction) = code.instructions.get(at + count)
            && (count == 0 || !targets.contains(&(at + count)))
            && run.take(instruction)
        {
            count += 1;
        }
        if count > 1 {
            let number = |n: usize| u32::try_from(n).expect("there are fewer than 2^32 instructions");
            let from = code.steps.len();
            run.finish(&mentions);
            code.steps.append(&mut run.steps);
            let (from, to, after) = (number(from), number(code.steps.len()), number(at + count));
            code.instructions[at] = Instruction::Straight { from, to, after };
        }
        at += count.max(1);
    }
}

/// Where jumps go to.
fn targets(code: &Assembled) -> FxHashSet<usize> {
    let of_jumps = code.instructions.iter().filter_map(|instruction| match instruction {
        Instruction::Jump(to) | Instruction::Again(to) | Instruction::Unless(_, to) => Some(*to),
        Instruction::UnlessLess { to, .. } | Instruction::Next { to, .. } => Some(*to),
        _ => None,
    });
    of_jumps.chain(code.loops.iter().map(|it| it.body)).map(|to| to as usize).collect()
}

/// How often each uniform register of reals is mentioned.
fn mentions(code: &Assembled) -> FxHashMap<u32, usize> {
    let mut all: FxHashMap<u32, usize> = FxHashMap::default();
    let mut mention = |reg: Reg| {
        if let Reg::Uniform(k) = reg {
            *all.entry(k).or_default() += 1;
        }
    };
    for instruction in &code.instructions {
        match instruction {
            Instruction::Chain(number) => {
                let it = &code.chains[*number as usize];
                it.products.iter().flatten().chain([&it.start]).copied().for_each(&mut mention);
            }
            Instruction::Rows(number) => code.rows[*number as usize].columns.iter().copied().for_each(&mut mention),
            Instruction::Scan(_) | Instruction::Hist(_) => {
                code.sweeps.reals(instruction).into_iter().map(Reg::Uniform).for_each(&mut mention);
            }
            Instruction::Rule(number) => {
                let it = &code.rules[*number as usize];
                it.x.iter().chain([&it.to]).copied().for_each(&mut mention);
            }
            Instruction::Call(number) => code.calls[*number as usize].reals().map(Reg::Uniform).for_each(&mut mention),
            instruction => reals(instruction, &mut mention),
        }
    }
    code.loops.iter().flat_map(|it| &it.real_folds).for_each(|fold| mention(Reg::Uniform(fold.start)));
    code.inputs.iter().for_each(|input| match input {
        In::Real(k, _) => mention(Reg::Uniform(*k)),
        In::Int(_) | In::Reals { .. } | In::Ints { .. } => {}
    });
    code.outputs.iter().for_each(|output| match output {
        Out::Real(k, _) => mention(Reg::Uniform(*k)),
        Out::Int(..) | Out::Reals { .. } | Out::Ints { .. } => {}
    });
    all
}

/// The registers of reals that an instruction mentions, but for those of what has a number.
fn reals(instruction: &Instruction, mut visit: impl FnMut(Reg)) {
    match instruction {
        Instruction::Real { to, x, .. } => [*to].iter().chain(x).copied().for_each(visit),
        Instruction::SelectReal { to, x, .. } => [*to].iter().chain(x).copied().for_each(visit),
        Instruction::Test { x, .. } => x.iter().copied().for_each(visit),
        Instruction::LeastWhere { of, .. } => of.iter().copied().for_each(visit),
        Instruction::SetReal { cell, x, .. } => [*cell, *x].into_iter().for_each(visit),
        Instruction::IntoReal { to: x, .. } | Instruction::FromBits { to: x, .. } => visit(*x),
        Instruction::Truncate { x, .. } | Instruction::ToBits { x, .. } => visit(*x),
        Instruction::LoadReal { to: x, .. } | Instruction::StoreReal { x, .. } | Instruction::AddReal { x, .. } => {
            visit(*x);
        }
        Instruction::Kernel(kernel) => kernel.x.iter().for_each(|x| match x {
            Src::Reg(reg) => visit(*reg),
            Src::Row(_) => {}
        }),
        Instruction::Outer(it) => visit(it.x),
        Instruction::Series(it) => visit(it.by),
        Instruction::Jump(_) | Instruction::Again(_) | Instruction::Unless(..) | Instruction::UnlessLess { .. } => {}
        Instruction::Next { .. } | Instruction::Zero(_) | Instruction::Lanes(_) | Instruction::Straight { .. } => {}
        Instruction::Int { .. } | Instruction::SelectInt { .. } | Instruction::SetInt { .. } => {}
        Instruction::LoadInt { .. } | Instruction::StoreInt { .. } | Instruction::AddInt { .. } => {}
        Instruction::Inner(_) | Instruction::Transpose(_) | Instruction::IntoRows(_) | Instruction::Product(_) => {}
        Instruction::Chain(_) | Instruction::Rows(_) | Instruction::Scan(_) | Instruction::Hist(_) => {}
        Instruction::Rule(_) | Instruction::Call(_) => {}
        Instruction::Alloc { .. } | Instruction::Swap { .. } => {}
        Instruction::Check { .. } | Instruction::Bounds { .. } | Instruction::End => {}
        #[cfg(feature = "jit")]
        Instruction::Native(_) => {}
    }
}

/// A stretch of operations.
#[derive(Debug, Default)]
struct Run {
    steps: Vec<Step>,
    used: usize,
    /// The slots that registers of reals have the value of.
    slots: FxHashMap<u32, u8>,
    /// The registers that are written, in order, and those that are read before.
    written: Vec<u32>,
    read: FxHashSet<u32>,
    mentions: FxHashMap<u32, usize>,
}

fn uniform(reg: Reg) -> Option<u32> {
    if let Reg::Uniform(k) = reg { Some(k) } else { None }
}

impl Run {
    /// Takes one more, unless it is of another kind or there is no room for it.
    fn take(&mut self, instruction: &Instruction) -> bool {
        // An operation needs a slot for each of three operands and its result at most.
        let taken = self.used + 4 <= SLOTS && self.step(instruction).is_some();
        if taken {
            reals(instruction, |reg| {
                if let Reg::Uniform(k) = reg {
                    *self.mentions.entry(k).or_default() += 1;
                }
            });
        }
        taken
    }

    fn step(&mut self, instruction: &Instruction) -> Option<()> {
        match *instruction {
            Instruction::Real { op, to, x: [a, b, c] } => {
                let (to, [a, b, c]) = (uniform(to)?, [uniform(a)?, uniform(b)?, uniform(c)?]);
                let x = [a, b, c].map(|k| self.get(k));
                let to = self.set(to);
                self.steps.push(Step::real(op, Slots { to, x }));
            }
            Instruction::SetReal { cell, x, .. } => {
                let (cell, x) = (uniform(cell)?, uniform(x)?);
                let slot = self.get(x);
                self.written.push(cell);
                self.slots.insert(cell, slot);
            }
            Instruction::Test { test, to, x: [a, b] } => {
                let (to, a, b) = (uniform(to)?, uniform(a)?, uniform(b)?);
                let x = [self.get(a), self.get(b)];
                self.steps.push(Step::Test { test, to, x });
            }
            Instruction::SelectReal { to, condition, x: [a, b] } => {
                let (to, condition, a, b) = (uniform(to)?, uniform(condition)?, uniform(a)?, uniform(b)?);
                let x = [self.get(a), self.get(b)];
                let to = self.set(to);
                self.steps.push(Step::Select { condition, to, x });
            }
            Instruction::IntoReal { from, single, to, x } => {
                let (to, x) = (uniform(to)?, uniform(x)?);
                let to = self.set(to);
                self.steps.push(Step::IntoReal { unsigned: from == Prim::U64, single, x, to });
            }
            Instruction::SetInt { cell, x, .. } => {
                let (to, x) = (uniform(cell)?, uniform(x)?);
                self.steps.push(Step::Int { op: Whole::Copy, to, x: [x; 2] });
            }
            Instruction::Int { op, kind, to, x: [a, b] } => {
                let op = match op {
                    IntOp::Copy => Whole::Copy,
                    IntOp::Add if matches!(kind, Prim::I64 | Prim::U64) => Whole::Add,
                    IntOp::And => Whole::And,
                    IntOp::Or => Whole::Or,
                    IntOp::Not => Whole::Not,
                    IntOp::Test(test) if kind != Prim::U64 || test == Test::Equal => Whole::Test(test),
                    IntOp::Add | IntOp::Test(_) | IntOp::Mul | IntOp::Row(_) | IntOp::Convert(_) => return None,
                };
                self.steps.push(Step::Int { op, to: uniform(to)?, x: [uniform(a)?, uniform(b)?] });
            }
            _ => return None,
        }
        Some(())
    }

    fn slot(&mut self) -> u8 {
        self.used += 1;
        u8::try_from(self.used - 1).expect("there is room for one more")
    }

    /// The slot with the value of a register.
    fn get(&mut self, register: u32) -> u8 {
        if let Some(slot) = self.slots.get(&register) {
            return *slot;
        }
        let to = self.slot();
        self.steps.push(Step::Get { register, to });
        self.read.insert(register);
        self.slots.insert(register, to);
        to
    }

    /// A slot for the new value of a register.
    fn set(&mut self, register: u32) -> u8 {
        let slot = self.slot();
        self.written.push(register);
        self.slots.insert(register, slot);
        slot
    }

    /// Writes what is needed elsewhere, or the next time.
    fn finish(&mut self, mentions: &FxHashMap<u32, usize>) {
        let mut put = FxHashSet::default();
        for register in core::mem::take(&mut self.written) {
            let is_own = !self.read.contains(&register) && mentions[&register] == self.mentions[&register];
            if !is_own && put.insert(register) {
                self.steps.push(Step::Put { slot: self.slots[&register], register });
            }
        }
    }
}

#[inline(always)]
fn holds<A: PartialOrd>(test: Test, a: A, b: A) -> i64 {
    i64::from(match test {
        Test::Equal => a == b,
        Test::Less => a < b,
        Test::LessOrEqual => a <= b,
    })
}
