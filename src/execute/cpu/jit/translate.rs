//! From the instructions of a stretch to a function in Cranelift's form: control flow, memory, limits.
//!
//! Law: the function does what the instructions do, in their order, and takes their steps; registers are its variables
//! (tests/execute/jit.rs).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F64, I64};
use cranelift_codegen::ir::{AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, Type, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Constants;
use super::handover::{Bank, Elements, Taken, keep_needed, operands, remove};
use super::native::{Builder, Callbacks, Called, Handed, Region, offsets};
use super::steps::{BlockSteps, signature_of_spend};
use super::stretches::{Stretch, Use, uses};
use crate::execute::cpu::assemble::Assembled;
use crate::execute::cpu::instruction::{Instruction, Reg};

/// A function that is being written.
pub(super) struct Translator<'t, 'b> {
    pub(super) to: FunctionBuilder<'b>,
    code: &'t Assembled,
    pub(super) constants: &'t Constants,
    pub(super) callbacks: &'t Callbacks,
    pub(super) context: Value,
    pub(super) zero: Value,
    pub(super) sink: Value,
    pub(super) left: Variable,
    /// Where a run is said to end, if that is not the instruction.
    place: Option<u32>,
    /// Whether it is for lanes, of which a worker may have some, and the parts of buffers that are theirs.
    pub(super) is_of_lanes: bool,
    /// Of a loop over lanes with loops inside, the steps of a block.
    pub(super) steps: Option<BlockSteps>,
    pub(super) reals: Bank,
    pub(super) ints: Bank,
    pub(super) buffers: FxHashMap<(bool, u32), Elements>,
    /// The loads of the parts of buffers, in case that they are needed.
    pub(super) parts: Vec<Taken>,
    /// Where blocks begin.
    blocks: FxHashMap<u32, Block>,
    pub(super) fault: Block,
    /// Truth values, by the integers that they are.
    pub(super) truths: FxHashMap<Value, Value>,
    signatures: FxHashMap<(Vec<Type>, Option<Type>), SigRef>,
    pub(super) of_spend: SigRef,
    no_signature: Signature,
    called: Vec<Called>,
}

/// The steps of a loop of no more iterations are taken at once when it has ended.
const FEW: i64 = 64;

/// Elements are there, and where they should be.
pub(super) fn there() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Writes the function of a stretch into the compiler of the builder; `None` if something there is for lanes.
pub(super) fn translate(
    code: &Assembled,
    stretch: &Stretch,
    constants: &Constants,
    callbacks: &Callbacks,
    builder: &mut Builder,
) -> Option<Region> {
    let instructions = &stretch.instructions;
    let begin = if stretch.place.is_some() { 0 } else { stretch.from };
    let end = begin + u32::try_from(instructions.len()).ok()?;
    let used: FxHashSet<Use> =
        instructions.iter().map(uses).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    let no_signature = builder.signature();
    let mut signature = no_signature.clone();
    signature.params.push(AbiParam::new(I64));
    signature.returns.push(AbiParam::new(I64));
    let config = builder.isa().frontend_config();
    let Builder { compiler, frontend, .. } = builder;
    compiler.func.signature = signature;
    let mut to = FunctionBuilder::new(&mut compiler.func, frontend);
    let entry = to.create_block();
    to.append_block_params_for_function_params(entry);
    to.switch_to_block(entry);
    let context = to.block_params(entry)[0];
    let (zero, sink) = (to.ins().iadd_imm_s(context, offsets::ZERO), to.ins().iadd_imm_s(context, offsets::SINK));
    let [fault, exit] = [to.create_block(), to.create_block()];
    to.set_cold_block(fault);
    let mut it = Translator {
        left: to.declare_var(I64),
        of_spend: to.import_signature(signature_of_spend()),
        place: stretch.place,
        is_of_lanes: stretch.lanes.is_some(),
        steps: stretch.lanes.and_then(|lanes| BlockSteps::of(&mut to, instructions, end - 1, lanes)),
        to,
        code,
        constants,
        callbacks,
        context,
        zero,
        sink,
        reals: Bank::of(if callbacks.is_single { F32 } else { F64 }),
        ints: Bank::of(I64),
        buffers: FxHashMap::default(),
        parts: Vec::new(),
        blocks: FxHashMap::from_iter([(end, exit)]),
        fault,
        truths: FxHashMap::default(),
        signatures: FxHashMap::default(),
        no_signature,
        called: Vec::new(),
    };
    it.enter(&used);
    if let Some(steps) = it.steps {
        steps.begin(&mut it.to);
    }
    let buffers = it.enter_buffers(instructions);
    it.instructions(begin, instructions);
    let out = it.leave(exit, stretch, &used);
    let Translator { to, reals, ints, parts, called, .. } = it;
    to.finalize(config);

    let function = &mut compiler.func;
    let needed = operands(function);
    parts.iter().filter(|it| !needed.contains(it.value)).for_each(|it| remove(function, it.load));
    let into = [reals, ints].map(|bank| keep_needed(function, &needed, &bank));
    let [reals, ints] =
        into.into_iter().zip(out).map(|(into, out)| Handed { into, out }).collect::<Vec<_>>().try_into().ok()?;
    Some(Region { reals, ints, buffers, called })
}

impl Translator<'_, '_> {
    /// Writes instructions, of which the first has this number.
    fn instructions(&mut self, from: u32, instructions: &[Instruction]) {
        let to = from + instructions.len() as u32;
        // Behind the last instruction that leads to a block it is known what variables are there, and few need be handed on.
        let mut sources: FxHashMap<Block, u32> = FxHashMap::default();
        for (at, instruction) in (from..to).zip(instructions) {
            if let Some(target) = target(instruction) {
                for to in [target, at + 1] {
                    let block = *self.blocks.entry(to).or_insert_with(|| self.to.create_block());
                    let last = sources.entry(block).or_default();
                    *last = (*last).max(at + 1).max(to);
                }
            }
        }
        let mut complete: FxHashMap<u32, Vec<Block>> = FxHashMap::default();
        for (block, last) in sources {
            complete.entry(last).or_default().push(block);
        }
        let mut is_open = true;
        for (at, instruction) in (from..to).zip(instructions) {
            if let Some(block) = self.blocks.get(&at).copied() {
                if is_open {
                    self.to.ins().jump(block, &[]);
                }
                self.to.switch_to_block(block);
            }
            complete.remove(&at).into_iter().flatten().for_each(|block| self.to.seal_block(block));
            self.instruction(at, instruction);
            is_open = target(instruction).is_none();
        }
        if is_open {
            let exit = self.blocks[&to];
            self.to.ins().jump(exit, &[]);
        }
    }

    fn instruction(&mut self, at: u32, instruction: &Instruction) {
        match *instruction {
            Instruction::Jump(to) => self.jump(to),
            Instruction::Again(to) => {
                self.tick(at, 1);
                self.jump(to);
            }
            Instruction::Unless(condition, to) => {
                let condition = self.truth(condition);
                self.branch(condition, at + 1, to);
            }
            Instruction::UnlessLess { index, count, to } => {
                let (index, count) = (self.int(Reg::Uniform(index)), self.int(Reg::Uniform(count)));
                let condition = self.to.ins().icmp(IntCC::SignedLessThan, index, count);
                self.branch(condition, at + 1, to);
            }
            Instruction::Next { index, count, to } => {
                let now = self.int(Reg::Uniform(index));
                let now = self.to.ins().iadd_imm_s(now, 1);
                self.set_int(Reg::Uniform(index), now);
                let all_at_once = self.steps.and(self.constant(count)).filter(|count| (1..=FEW).contains(count));
                let count = self.int(Reg::Uniform(count));
                let condition = self.to.ins().icmp(IntCC::SignedLessThan, now, count);
                if let Some(count) = all_at_once {
                    let left = self.to.create_block();
                    let again = self.blocks[&to];
                    self.to.ins().brif(condition, again, &[], left, &[]);
                    self.begin(left);
                    self.tick(at, count - 1);
                    return self.jump(at + 1);
                }
                let [again, on] = [self.to.create_block(), self.blocks[&(at + 1)]];
                self.to.ins().brif(condition, again, &[], on, &[]);
                self.begin(again);
                self.tick(at, 1);
                self.jump(to);
            }
            Instruction::Zero(index) => {
                let zero = self.number(0);
                self.set_int(Reg::Uniform(index), zero);
            }
            Instruction::LoadReal { to, ref from } => {
                let value = self.load(true, from);
                self.set_real(to, value);
            }
            Instruction::LoadInt { to, ref from } => {
                let value = self.load(false, from);
                self.set_int(to, value);
            }
            Instruction::StoreReal { ref at, x, mask } => {
                let place = self.place(true, at, mask);
                let x = self.real(x);
                self.to.ins().store(there(), x, place, 0);
            }
            Instruction::StoreInt { ref at, x, mask } => {
                let place = self.place(false, at, mask);
                let x = self.int(x);
                self.to.ins().store(there(), x, place, 0);
            }
            Instruction::AddReal { rounded, ref at, x, mask } => {
                let place = self.place(true, at, mask);
                let now = self.to.ins().load(self.reals.kind, there(), place, 0);
                let x = self.real(x);
                let sum = self.to.ins().fadd(now, x);
                let sum = self.rounded(rounded, sum);
                self.to.ins().store(there(), sum, place, 0);
            }
            Instruction::AddInt { ref at, x, prim, mask } => {
                let place = self.place(false, at, mask);
                let now = self.to.ins().load(I64, there(), place, 0);
                let x = self.int(x);
                let sum = self.plus(prim, now, x);
                self.to.ins().store(there(), sum, place, 0);
            }
            Instruction::Alloc { buffer, count, real, own: _ } => {
                let elements = self.buffers[&(real, buffer)];
                let count = self.int(Reg::Uniform(count));
                let (number, at) = (self.number(elements.number.into()), self.place_of(at));
                let status = self.call(self.callbacks.alloc, &[self.context, number, count, at], Some(I64));
                let next = self.to.create_block();
                self.to.ins().brif(status, self.fault, &[], next, &[]);
                self.begin(next);
                self.renew(elements);
            }
            Instruction::Swap { a, b, real } => {
                let both = [a, b].map(|buffer| self.buffers[&(real, buffer)]);
                let [a, b] = both.map(|elements| self.number(elements.number.into()));
                self.call(self.callbacks.swap, &[self.context, a, b], None);
                for elements in both {
                    self.renew(elements);
                }
            }
            Instruction::Check { condition, mask } => {
                let holds = self.truth(condition);
                self.check(holds, mask);
            }
            Instruction::Bounds { index, length, mask } => {
                let (index, length) = (self.int(index), self.int(length));
                // Without its sign, what is less than 0 is more than any length.
                let none = self.number(0);
                let length = self.to.ins().smax(length, none);
                let holds = self.to.ins().icmp(IntCC::UnsignedLessThan, index, length);
                self.check(holds, mask);
            }
            ref instruction => self.operation(instruction),
        }
    }

    /// Goes on in a block to which nothing else will lead.
    pub(super) fn begin(&mut self, block: Block) {
        self.to.switch_to_block(block);
        self.to.seal_block(block);
    }

    fn jump(&mut self, to: u32) {
        let to = self.blocks[&to];
        self.to.ins().jump(to, &[]);
    }

    fn branch(&mut self, condition: Value, yes: u32, no: u32) {
        let [yes, no] = [yes, no].map(|at| self.blocks[&at]);
        self.to.ins().brif(condition, yes, &[], no, &[]);
    }

    /// Goes on where a condition holds, or the mask is false.
    fn check(&mut self, holds: Value, mask: Option<Reg>) {
        let mut holds = holds;
        if let Some(mask) = mask {
            let mask = self.truth(mask);
            let unmasked = self.to.ins().bxor_imm_u(mask, 1);
            holds = self.to.ins().bor(holds, unmasked);
        }
        let next = self.to.create_block();
        self.to.ins().brif(holds, next, &[], self.fault, &[]);
        self.begin(next);
    }

    /// Where a run is said to end that ends at an instruction.
    pub(super) fn place_of(&mut self, at: u32) -> Value {
        self.number(self.place.unwrap_or(at).into())
    }

    pub(super) fn number(&mut self, n: i64) -> Value {
        self.to.ins().iconst(I64, n)
    }

    /// Calls what has this address.
    pub(super) fn call(&mut self, address: i64, operands: &[Value], result: Option<Type>) -> Value {
        let kinds: Vec<Type> = operands.iter().map(|x| self.to.func.dfg.value_type(*x)).collect();
        let (to, plain) = (&mut self.to, &self.no_signature);
        let signature = *self.signatures.entry((kinds, result)).or_insert_with_key(|(kinds, result)| {
            let mut signature = plain.clone();
            signature.params.extend(kinds.iter().map(|kind| AbiParam::new(*kind)));
            signature.returns.extend(result.map(AbiParam::new));
            to.import_signature(signature)
        });
        let address = to.ins().iconst(I64, address);
        let call = to.ins().call_indirect(signature, address, operands);
        to.inst_results(call).first().copied().unwrap_or(address)
    }

    /// Has the library do an operation, which is at this address.
    pub(super) fn operated(&mut self, address: i64, called: Called, operands: &[Value], result: Type) -> Value {
        let known = self.called.iter().position(|other| *other == called);
        let number = known.unwrap_or_else(|| {
            self.called.push(called);
            self.called.len() - 1
        });
        let number = self.number(number as i64);
        let operands: Vec<Value> = [self.context, number].iter().chain(operands).copied().collect();
        self.call(address, &operands, Some(result))
    }

    /// The integer that a register holds in all of a run.
    pub(super) fn constant(&self, register: u32) -> Option<i64> {
        self.constants.ints.contains(&register).then(|| self.code.ints[register as usize])
    }

    pub(super) fn real(&mut self, reg: Reg) -> Value {
        let register = single(reg);
        if !self.constants.reals.contains(&register) {
            return self.to.use_var(self.reals.variables[&register]);
        }
        let x = self.code.reals[register as usize];
        if self.callbacks.is_single { self.to.ins().f32const(x as f32) } else { self.to.ins().f64const(x) }
    }

    pub(super) fn int(&mut self, reg: Reg) -> Value {
        let register = single(reg);
        match self.constant(register) {
            Some(n) => self.to.ins().iconst(I64, n),
            None => self.to.use_var(self.ints.variables[&register]),
        }
    }

    /// The truth value that a register holds, as Cranelift has them.
    pub(super) fn truth(&mut self, reg: Reg) -> Value {
        let value = self.int(reg);
        let known = self.truths.get(&value).copied();
        known.unwrap_or_else(|| self.to.ins().icmp_imm_s(IntCC::NotEqual, value, 0))
    }

    pub(super) fn set_real(&mut self, to: Reg, value: Value) {
        self.to.def_var(self.reals.variables[&single(to)], value);
    }

    pub(super) fn set_int(&mut self, to: Reg, value: Value) {
        self.to.def_var(self.ints.variables[&single(to)], value);
    }

    pub(super) fn set_truth(&mut self, to: Reg, truth: Value) {
        let value = self.to.ins().uextend(I64, truth);
        self.truths.insert(value, truth);
        self.set_int(to, value);
    }
}

/// The number of a register that holds one value.
fn single(reg: Reg) -> u32 {
    match reg {
        Reg::Uniform(register) => register,
        Reg::Varying(_) => unreachable!("what is for lanes is not translated"),
    }
}

/// Where an instruction jumps to, if it ends a block.
fn target(instruction: &Instruction) -> Option<u32> {
    match instruction {
        Instruction::Jump(to) | Instruction::Again(to) | Instruction::Unless(_, to) => Some(*to),
        Instruction::UnlessLess { to, .. } | Instruction::Next { to, .. } => Some(*to),
        _ => None,
    }
}
