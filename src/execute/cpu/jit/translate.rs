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
use super::stretches::{Stretch, Use, uses};
use crate::execute::cpu::assemble::Assembled;
use crate::execute::cpu::instruction::{Address, Instruction, Reg};
use crate::kernel::code::Inside;

/// A function that is being written.
pub(super) struct Translator<'t, 'b> {
    pub(super) to: FunctionBuilder<'b>,
    code: &'t Assembled,
    pub(super) constants: &'t Constants,
    pub(super) callbacks: &'t Callbacks,
    pub(super) context: Value,
    zero: Value,
    sink: Value,
    pub(super) left: Variable,
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
    no_signature: Signature,
    called: Vec<Called>,
}

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
        blocks: FxHashMap::from_iter([(stretch.to, exit)]),
        fault,
        truths: FxHashMap::default(),
        signatures: FxHashMap::default(),
        no_signature,
        called: Vec::new(),
    };
    it.enter(&used);
    let buffers = it.enter_buffers(instructions);
    it.instructions(stretch.from, instructions);
    let out = it.leave(exit, stretch, &used);
    let Translator { to, reals, ints, parts, called, .. } = it;
    to.finalize(config);

    let function = &mut compiler.func;
    let needed = operands(function);
    parts.iter().filter(|it| !needed.contains(&it.value)).for_each(|it| remove(function, it.load));
    let into = [reals, ints].map(|bank| keep_needed(function, &needed, &bank));
    let [reals, ints] =
        into.into_iter().zip(out).map(|(into, out)| Handed { into, out }).collect::<Vec<_>>().try_into().ok()?;
    Some(Region { reals, ints, buffers, called })
}

impl Translator<'_, '_> {
    /// Writes instructions, of which the first has this number.
    fn instructions(&mut self, from: u32, instructions: &[Instruction]) {
        let to = from + instructions.len() as u32;
        for (at, instruction) in (from..to).zip(instructions) {
            if let Some(target) = target(instruction) {
                for at in [target, at + 1] {
                    self.blocks.entry(at).or_insert_with(|| self.to.create_block());
                }
            }
        }
        let mut is_open = true;
        for (at, instruction) in (from..to).zip(instructions) {
            if let Some(block) = self.blocks.get(&at).copied() {
                if is_open {
                    self.to.ins().jump(block, &[]);
                }
                self.to.switch_to_block(block);
            }
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
                self.tick(at);
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
                let count = self.int(Reg::Uniform(count));
                let condition = self.to.ins().icmp(IntCC::SignedLessThan, now, count);
                let [again, on] = [self.to.create_block(), self.blocks[&(at + 1)]];
                self.to.ins().brif(condition, again, &[], on, &[]);
                self.to.switch_to_block(again);
                self.tick(at);
                self.jump(to);
            }
            Instruction::Zero(index) => {
                let zero = self.to.ins().iconst(I64, 0);
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
                let (number, at) = (self.number(elements.number), self.number(at as i32));
                let status = self.call(self.callbacks.alloc, &[self.context, number, count, at], Some(I64));
                let next = self.to.create_block();
                self.to.ins().brif(status, self.fault, &[], next, &[]);
                self.to.switch_to_block(next);
                self.renew(elements);
            }
            Instruction::Swap { a, b, real } => {
                let both = [a, b].map(|buffer| self.buffers[&(real, buffer)]);
                let [a, b] = both.map(|elements| self.number(elements.number));
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
                let from = self.to.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, index, 0);
                let to = self.to.ins().icmp(IntCC::SignedLessThan, index, length);
                let holds = self.to.ins().band(from, to);
                self.check(holds, mask);
            }
            ref instruction => self.operation(instruction),
        }
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
        self.to.switch_to_block(next);
    }

    /// Takes a step.
    fn tick(&mut self, at: u32) {
        let left = self.to.use_var(self.left);
        let left = self.to.ins().iadd_imm_s(left, -1);
        self.to.def_var(self.left, left);
        let [spent, next] = [self.to.create_block(), self.to.create_block()];
        self.to.set_cold_block(spent);
        let is_spent = self.to.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, left, 0);
        self.to.ins().brif(is_spent, spent, &[], next, &[]);
        self.to.switch_to_block(spent);
        let at = self.number(at as i32);
        let left = self.call(self.callbacks.spend, &[self.context, left, at], Some(I64));
        self.to.def_var(self.left, left);
        self.to.ins().brif(left, next, &[], self.fault, &[]);
        self.to.switch_to_block(next);
    }

    fn number(&mut self, n: i32) -> Value {
        self.to.ins().iconst(I64, i64::from(n))
    }

    /// Calls what has this address.
    fn call(&mut self, address: i64, operands: &[Value], result: Option<Type>) -> Value {
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
        let number = self.to.ins().iconst(I64, number as i64);
        let operands: Vec<Value> = [self.context, number].iter().chain(operands).copied().collect();
        self.call(address, &operands, Some(result))
    }

    /// The integer that a register holds in all of a run.
    fn constant(&self, register: u32) -> Option<i64> {
        self.constants.ints.contains(&register).then(|| self.code.ints[register as usize])
    }

    /// The number of the element that an address means.
    fn element(&mut self, address: &Address) -> Value {
        let Address { base, index, stride, .. } = *address;
        let from = self.int(Reg::Uniform(base));
        if [index, stride].into_iter().any(|register| self.constant(register) == Some(0)) {
            return from;
        }
        let index = self.int(Reg::Uniform(index));
        let by = self.int(Reg::Uniform(stride));
        let apart = if self.constant(stride) == Some(1) { index } else { self.to.ins().imul(index, by) };
        self.to.ins().iadd(from, apart)
    }

    /// Where an element is, if it is there, or else what is there instead; what is inside for sure is not looked at.
    fn find(&mut self, real: bool, address: &Address, instead: Option<(Value, Value)>, element: Value) -> Value {
        let first = self.to.use_var(self.buffers[&(real, address.buffer)].parts[0]);
        let kind = if real { self.reals.kind } else { self.ints.kind };
        let apart = self.to.ins().ishl_imm_u(element, i64::from(kind.bytes().ilog2()));
        let place = self.to.ins().iadd(first, apart);
        match instead {
            Some((is_there, otherwise)) => self.to.ins().select(is_there, place, otherwise),
            None => place,
        }
    }

    /// The element at an address, or 0.
    fn load(&mut self, real: bool, address: &Address) -> Value {
        let element = self.element(address);
        let Inside(inside) = address.inside;
        let instead = (!inside).then(|| {
            let count = self.to.use_var(self.buffers[&(real, address.buffer)].parts[1]);
            (self.to.ins().icmp(IntCC::UnsignedLessThan, element, count), self.zero)
        });
        let place = self.find(real, address, instead, element);
        let kind = if real { self.reals.kind } else { self.ints.kind };
        self.to.ins().load(kind, there(), place, 0)
    }

    /// Where the element is that an address means, to be changed; where nothing is to be, a place that nobody reads.
    fn place(&mut self, real: bool, address: &Address, mask: Option<Reg>) -> Value {
        let element = self.element(address);
        let Inside(inside) = address.inside;
        let is_there = (!inside).then(|| {
            let count = self.to.use_var(self.buffers[&(real, address.buffer)].parts[2]);
            self.to.ins().icmp(IntCC::UnsignedLessThan, element, count)
        });
        let mask = mask.map(|mask| self.truth(mask));
        let is_changed = match (is_there, mask) {
            (Some(is_there), Some(mask)) => Some(self.to.ins().band(is_there, mask)),
            (one, other) => one.or(other),
        };
        self.find(real, address, is_changed.map(|is_changed| (is_changed, self.sink)), element)
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
