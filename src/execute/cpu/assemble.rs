//! From code to instructions.
//!
//! Law: a varying register is used again only where the value it held is dead; a statement that no effect
//! needs has no instructions (tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::compute::register;
use super::dispatch::Level;
use super::fault::Claim;
use super::foreign::{Call, RuleCall};
use super::inline::Inline;
use super::instruction::{Address, Chain, Instruction, LanesLoop, Product, Reg, Rows, To};
#[cfg(feature = "jit")]
use super::jit::{Natives, OneLane, Stretches};
use super::liveness::needed;
use super::registers::Registers;
use super::scalar_blocks::{Step, straighten};
use super::sweep::Sweeps;
use crate::array::{Const, Prim, ScalarOp, Var};
use crate::kernel::code::{Blame, Block, Buffer, Code, Op, Operand, Origin, Output, Port, Stm, Value};

/// Instructions, and what is known of registers and buffers.
#[derive(Debug, Clone)]
pub(super) struct Assembled {
    pub(super) instructions: Vec<Instruction>,
    /// Whether all its reals are of single precision, and the machine computes with these.
    pub(super) is_single: bool,
    /// Which instructions of the processor run it.
    pub(super) level: Level,
    pub(super) loops: Vec<LanesLoop>,
    /// The instructions of each loop, from one and before another, and the statement that it is for; inner loops first.
    pub(super) origins: Vec<(u32, u32, Var)>,
    /// What the checks of stepwise code are of, in the order of the instructions.
    pub(super) claims: Vec<Claim>,
    pub(super) addresses: Vec<Address>,
    pub(super) products: Vec<Product>,
    pub(super) chains: Vec<Chain>,
    pub(super) rows: Vec<Rows>,
    pub(super) sweeps: Sweeps,
    pub(super) rules: Vec<RuleCall>,
    pub(super) calls: Vec<Call>,
    pub(super) steps: Vec<Step>,
    /// The uniform registers as they are at first: constants are there.
    pub(super) reals: Vec<f64>,
    pub(super) ints: Vec<i64>,
    /// The buffers of each bank: whether lanes have their own.
    pub(super) own_reals: Vec<bool>,
    pub(super) own_ints: Vec<bool>,
    /// The kinds of the buffers of each bank.
    pub(super) real_kinds: Vec<Prim>,
    pub(super) int_kinds: Vec<Prim>,
    pub(super) inputs: Vec<In>,
    pub(super) outputs: Vec<Out>,
    /// What scalar code has become.
    #[cfg(feature = "jit")]
    pub(super) natives: Natives,
}

/// Where an argument goes.
#[derive(Debug, Clone)]
pub(super) enum In {
    Real(u32, Prim),
    Int(u32),
    Reals { buffer: u32, sizes: Vec<u32> },
    Ints { buffer: u32, sizes: Vec<u32> },
}

/// Where a result is.
#[derive(Debug, Clone)]
pub(super) enum Out {
    Real(u32, Prim),
    Int(u32, Prim),
    Reals { buffer: u32, sizes: Vec<u32>, prim: Prim },
    Ints { buffer: u32, sizes: Vec<u32>, prim: Prim },
}

/// Registers from this one on are those of functions, and in no bank.
pub(super) const LOCAL: u32 = 1 << 31;

pub(super) struct Assembler<'c> {
    pub(super) code: &'c Code,
    level: Level,
    pub(super) needed: FxHashSet<Value>,
    pub(super) inline: Inline,
    /// The operation whose result the next statement stores.
    pub(super) held: Option<(Op, Vec<Operand>)>,
    pub(super) addresses: Vec<Address>,
    pub(super) out: Vec<Instruction>,
    pub(super) loops: Vec<LanesLoop>,
    pub(super) products: Vec<Product>,
    pub(super) chains: Vec<Chain>,
    pub(super) rows: Vec<Rows>,
    pub(super) sweeps: Sweeps,
    pub(super) rules: Vec<RuleCall>,
    pub(super) calls: Vec<Call>,
    pub(super) origins: Vec<(u32, u32, Var)>,
    pub(super) claims: Vec<Claim>,
    uniform: FxHashMap<Value, u32>,
    constants: FxHashMap<Const, u32>,
    pub(super) reals: Vec<f64>,
    pub(super) ints: Vec<i64>,
    pub(super) buffers: Vec<u32>,
    /// The registers of the loop over lanes that is open.
    pub(super) varying: Option<Registers>,
    /// The lane that instructions are for, if they are for one after the other.
    #[cfg(feature = "jit")]
    pub(super) lane: Option<OneLane>,
    /// Whether instructions are for a function, and not for the code.
    #[cfg(feature = "jit")]
    pub(super) is_apart: bool,
    /// How many registers functions have for themselves.
    #[cfg(feature = "jit")]
    pub(super) locals: u32,
    /// What is known of scalar code, if it is to become code of the processor.
    #[cfg(feature = "jit")]
    pub(super) scalar: Option<Stretches>,
}

/// Instructions for a level; whether scalar code is to become code of the processor, where that can be done.
#[cfg_attr(not(feature = "jit"), expect(unused_variables, reason = "instructions do all there is"))]
pub(super) fn assemble(code: &Code, level: Level, natively: bool) -> Assembled {
    let mut numbers = [0_u32; 2];
    let mut banks = [Vec::new(), Vec::new()];
    let buffers = code
        .buffers
        .iter()
        .map(|info| {
            let bank = usize::from(!info.prim.is_real());
            banks[bank].push(info.private);
            numbers[bank] += 1;
            numbers[bank] - 1
        })
        .collect();
    let needed = needed(code);
    let mut assembler = Assembler {
        code,
        level,
        inline: Inline::of(code, &needed, level),
        held: None,
        addresses: Vec::new(),
        needed,
        out: Vec::new(),
        loops: Vec::new(),
        products: Vec::new(),
        chains: Vec::new(),
        rows: Vec::new(),
        sweeps: Sweeps::default(),
        rules: Vec::new(),
        calls: Vec::new(),
        origins: Vec::new(),
        claims: Vec::new(),
        uniform: FxHashMap::default(),
        constants: FxHashMap::default(),
        reals: Vec::new(),
        ints: Vec::new(),
        buffers,
        varying: None,
        #[cfg(feature = "jit")]
        lane: None,
        #[cfg(feature = "jit")]
        is_apart: false,
        #[cfg(feature = "jit")]
        locals: 0,
        #[cfg(feature = "jit")]
        scalar: natively.then(Stretches::default),
    };
    let inputs = code.inputs.iter().map(|port| assembler.input(port)).collect();
    assembler.block(&code.body);
    assembler.out.push(Instruction::End);
    let outputs = code.outputs.iter().map(|output| assembler.output(output)).collect();
    let [own_reals, own_ints] = banks;
    let (real_kinds, int_kinds) = code.buffers.iter().map(|info| info.prim).partition(|prim| prim.is_real());
    let Assembler { out: instructions, loops, products, chains, rows, origins, claims, .. } = assembler;
    let Assembler { addresses, sweeps, rules, calls, reals, ints, .. } = assembler;
    #[cfg(feature = "jit")]
    let Assembler { scalar, constants, .. } = assembler;
    let mut assembled = Assembled {
        instructions,
        is_single: code.precision == Prim::F32,
        level,
        loops,
        origins,
        claims,
        addresses,
        products,
        chains,
        rows,
        sweeps,
        rules,
        calls,
        reals,
        ints,
        own_reals,
        own_ints,
        real_kinds,
        int_kinds,
        inputs,
        outputs,
        steps: Vec::new(),
        #[cfg(feature = "jit")]
        natives: scalar.map_or_else(Natives::default, |scalar| Natives::of(scalar, &constants)),
    };
    straighten(&mut assembled);
    assembled
}

impl Assembler<'_> {
    pub(super) fn is_real(&self, operand: Operand) -> bool {
        self.prim(operand).is_real()
    }

    pub(super) fn prim(&self, operand: Operand) -> Prim {
        self.code.prim(operand)
    }

    pub(super) fn uniform(&mut self, value: Value) -> u32 {
        if let Some(register) = self.uniform.get(&value) {
            return *register;
        }
        let register = self.fresh(self.is_real(Operand::Value(value)));
        self.uniform.insert(value, register);
        register
    }

    /// A register of one value that nothing else uses.
    pub(super) fn fresh(&mut self, real: bool) -> u32 {
        #[cfg(feature = "jit")]
        if self.is_apart {
            self.locals += 1;
            return LOCAL + self.locals;
        }
        let register = if real {
            self.reals.push(0.0);
            self.reals.len() - 1
        } else {
            self.ints.push(0);
            self.ints.len() - 1
        };
        u32::try_from(register).ok().filter(|register| *register < LOCAL).expect("code has fewer than 2^31 values")
    }

    /// The register of a value that has one for all of a run.
    #[cfg(feature = "jit")]
    pub(super) fn known_uniform(&self, value: Value) -> Option<u32> {
        self.uniform.get(&value).copied()
    }

    pub(super) fn constant(&mut self, constant: Const) -> u32 {
        if let Some(register) = self.constants.get(&constant) {
            return *register;
        }
        let register = match constant.real() {
            Some(x) => {
                self.reals.push(x);
                self.reals.len() - 1
            }
            None => {
                self.ints.push(register(constant));
                self.ints.len() - 1
            }
        };
        let register = u32::try_from(register).expect("code has fewer than 2^32 constants");
        self.constants.insert(constant, register);
        register
    }

    pub(super) fn reg(&mut self, operand: Operand) -> Reg {
        match operand {
            Operand::Const(constant) => Reg::Uniform(self.constant(constant)),
            Operand::Value(value) if self.code.values[value.0 as usize].varying && !self.has_one_lane() => {
                Reg::Varying(self.varying.as_ref().expect("varying values are used in lanes").of(value))
            }
            Operand::Value(value) => Reg::Uniform(self.uniform(value)),
        }
    }

    /// The uniform register of an operand.
    pub(super) fn one(&mut self, operand: Operand) -> u32 {
        match self.reg(operand) {
            Reg::Uniform(register) => register,
            Reg::Varying(_) => panic!("this operand is uniform"),
        }
    }

    fn input(&mut self, port: &Port) -> In {
        match port {
            Port::Scalar(value) if self.is_real(Operand::Value(*value)) => {
                In::Real(self.uniform(*value), self.prim(Operand::Value(*value)))
            }
            Port::Scalar(value) => In::Int(self.uniform(*value)),
            Port::Array { buffer, sizes } => {
                let sizes = sizes.iter().map(|size| self.uniform(*size)).collect();
                let real = self.code.buffers[buffer.0 as usize].prim.is_real();
                let buffer = self.buffers[buffer.0 as usize];
                if real { In::Reals { buffer, sizes } } else { In::Ints { buffer, sizes } }
            }
        }
    }

    pub(super) fn output(&mut self, output: &Output) -> Out {
        match output {
            Output::Scalar(operand) if self.is_real(*operand) => Out::Real(self.one(*operand), self.prim(*operand)),
            Output::Scalar(operand) => Out::Int(self.one(*operand), self.prim(*operand)),
            Output::Array { buffer, sizes, prim } => {
                let sizes = sizes.iter().map(|size| self.one(*size)).collect();
                let buffer = self.buffers[buffer.0 as usize];
                let prim = *prim;
                if prim.is_real() { Out::Reals { buffer, sizes, prim } } else { Out::Ints { buffer, sizes, prim } }
            }
        }
    }

    pub(super) fn here(&self) -> u32 {
        u32::try_from(self.out.len()).expect("there are fewer than 2^32 instructions")
    }

    /// Says what the loop is for whose instructions begin there and end here.
    pub(super) fn note(&mut self, start: u32, origin: Origin) {
        let end = self.here();
        self.origins.extend(origin.map(|var| (start, end, var)));
    }

    /// Adds an instruction that will be known later.
    pub(super) fn hole(&mut self) -> usize {
        self.out.push(Instruction::End);
        self.out.len() - 1
    }

    /// Takes down what the next instruction, a check, is of.
    pub(super) fn claim(&mut self, blame: Option<&Blame>) {
        let Some(Blame { statement, span, broken, operands }) = blame else { return };
        let operands = operands.iter().map(|x| (self.one(*x), self.prim(*x))).collect();
        let (at, statement) = (self.here(), statement.clone());
        self.claims.push(Claim { at, statement, span: *span, broken: *broken, operands });
    }

    pub(super) fn block(&mut self, block: &Block) {
        let mut rest = &block[..];
        while let Some((stm, later)) = rest.split_first() {
            #[cfg(feature = "jit")]
            if let Some(count) = self.stretch(rest) {
                rest = &rest[count..];
                continue;
            }
            if self.level.has_superinstructions()
                && let Some(count) = self.in_rows(rest)
            {
                rest = &rest[count..];
                continue;
            }
            self.statement(stm);
            rest = later;
        }
    }

    pub(super) fn statement(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(value, op, operands) if self.inline.stores.contains(value) => {
                self.held = Some((*op, operands.clone()));
            }
            Stm::Let(value, ..) if self.inline.links.contains(value) => {}
            Stm::Let(value, op, operands) if self.needed.contains(value) => {
                if let Some(links) = self.inline.chains.remove(value) {
                    return self.chain(*value, &links);
                }
                if operands.iter().any(|x| self.is_loaded(*x)) {
                    let Reg::Varying(to) = self.reg(Operand::Value(*value)) else {
                        panic!("what is loaded is varying")
                    };
                    self.kernel(To::Block(to), *op, operands);
                } else {
                    self.operation(*value, *op, operands);
                }
            }
            Stm::Load(value, _) if self.inline.loads.contains_key(value) => {}
            Stm::Load(value, place) if self.needed.contains(value) => {
                let from = self.address(place);
                let to = self.reg(Operand::Value(*value));
                let real = self.is_real(Operand::Value(*value));
                let load = if real { Instruction::LoadReal { to, from } } else { Instruction::LoadInt { to, from } };
                self.out.push(load);
            }
            Stm::Let(..) | Stm::Load(..) => {}
            Stm::Store { place, value, .. } if self.is_inline(*value) => {
                let at = self.numbered(place);
                self.put(To::Row(at), *value);
            }
            Stm::Update { place, value, .. } if self.is_inline(*value) => {
                let at = self.numbered(place);
                self.put(To::Added(at), *value);
            }
            Stm::Store { place, value, mask } => {
                let (at, x, mask) = (self.changed(place), self.reg(*value), mask.map(|mask| self.reg(mask)));
                let real = self.code.buffers[place.buffer.0 as usize].prim.is_real();
                let store =
                    if real { Instruction::StoreReal { at, x, mask } } else { Instruction::StoreInt { at, x, mask } };
                self.out.push(store);
            }
            Stm::Update { op, place, value, mask } => {
                assert_eq!(*op, ScalarOp::Add, "this target asks for sums alone");
                let (at, x, mask) = (self.changed(place), self.reg(*value), mask.map(|mask| self.reg(mask)));
                let prim = self.code.buffers[place.buffer.0 as usize].prim;
                let add = if prim.is_real() {
                    let rounded = (prim != self.code.precision).then_some(prim);
                    Instruction::AddReal { rounded, at, x, mask }
                } else {
                    Instruction::AddInt { at, x, prim, mask }
                };
                self.out.push(add);
            }
            Stm::Alloc(buffer, count) => {
                let info = self.code.buffers[buffer.0 as usize];
                let count = self.one(*count);
                let buffer = self.buffers[buffer.0 as usize];
                let own = info.private && !self.has_one_lane();
                self.out.push(Instruction::Alloc { buffer, count, real: info.prim.is_real(), own });
            }
            Stm::Swap(a, b) => {
                let real = self.code.buffers[a.0 as usize].prim.is_real();
                let [a, b] = [*a, *b].map(|buffer: Buffer| self.buffers[buffer.0 as usize]);
                self.out.push(Instruction::Swap { a, b, real });
            }
            Stm::Assign { cells, mask } => self.assign(cells, *mask),
            Stm::Check { condition, mask, blame } => {
                self.claim(blame.as_deref());
                let (condition, mask) = (self.reg(*condition), mask.map(|mask| self.reg(mask)));
                self.out.push(Instruction::Check { condition, mask });
            }
            Stm::Bounds { index, length, mask, blame } => {
                self.claim(blame.as_deref());
                let (index, length) = (self.reg(*index), self.reg(*length));
                let mask = mask.map(|mask| self.reg(mask));
                self.out.push(Instruction::Bounds { index, length, mask });
            }
            Stm::For { index, count, body, origin } => {
                if self.level.has_superinstructions() && self.whole_loop(*index, *count, body, *origin) {
                    return;
                }
                let (index, count) = (self.uniform(*index), self.one(*count));
                self.out.push(Instruction::Zero(index));
                let skip = self.hole();
                let to = self.here();
                self.block(body);
                self.out.push(Instruction::Next { index, count, to });
                self.out[skip] = Instruction::UnlessLess { index, count, to: self.here() };
                self.note(to, *origin);
            }
            Stm::While { before, condition, body, origin } => {
                let start = self.here();
                self.block(before);
                let condition = self.reg(*condition);
                let leave = self.hole();
                self.block(body);
                self.out.push(Instruction::Again(start));
                self.out[leave] = Instruction::Unless(condition, self.here());
                self.note(start, *origin);
            }
            Stm::If { condition, yes, no } => {
                let condition = self.reg(*condition);
                let skip = self.hole();
                self.block(yes);
                let leave = self.hole();
                self.out[skip] = Instruction::Unless(condition, self.here());
                self.block(no);
                self.out[leave] = Instruction::Jump(self.here());
            }
            #[cfg(feature = "jit")]
            Stm::Lanes(lanes) if self.is_apart => self.short(lanes),
            Stm::Lanes(lanes) => self.lanes(lanes),
            Stm::Product(product) => self.product(product),
            Stm::Scan(scan) => self.scan(scan),
            Stm::Hist(hist) => self.hist(hist),
            Stm::Call(call) => self.call(call),
        }
    }
}
