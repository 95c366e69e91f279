//! What functions take from their context and leave there.
//!
//! Law: a register is taken if something reads it before it is set, and left if others need it, or the function does the next time;
//! buffers are where they were until they change (tests/execute/jit.rs).

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::entity::EntitySet;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::types::{F32, F64, I64};
use cranelift_codegen::ir::{Block, Function, Inst, InstBuilder, InstructionData, Type, Value};
use cranelift_frontend::Variable;
use rustc_hash::{FxHashMap, FxHashSet};

use super::native::{DONE, FAULT, offsets};
use super::stretches::{Stretch, Use};
use super::translate::{Translator, there};
use crate::execute::cpu::assemble::LOCAL;
use crate::execute::cpu::instruction::Instruction;

/// A buffer: its number in the context, and as variables where its first element is, how many may be loaded, how many may be stored,
/// and from which on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elements {
    pub(super) number: i32,
    pub(super) parts: [Variable; 4],
}

/// Where the parts of a buffer are in its slot.
const PARTS: [i32; 4] = [offsets::FIRST, offsets::COUNT, offsets::CHANGEABLE, offsets::FROM];

/// What is loaded at the beginning of a function, in case that it is needed: the instruction, its value, and the register.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) load: Inst,
    pub(super) value: Value,
    register: u32,
}

/// The variables of a bank.
#[derive(Debug)]
pub(super) struct Bank {
    pub(super) kind: Type,
    pub(super) variables: FxHashMap<u32, Variable>,
    taken: Vec<Taken>,
}

impl Bank {
    pub(super) fn of(kind: Type) -> Self {
        Bank { kind, variables: FxHashMap::default(), taken: Vec::new() }
    }
}

/// All values that something is computed from.
pub(super) fn operands(function: &Function) -> EntitySet<Value> {
    let mut all = EntitySet::with_capacity(function.dfg.num_values());
    for block in function.layout.blocks() {
        for instruction in function.layout.block_insts(block) {
            for value in function.dfg.inst_values(instruction) {
                all.insert(function.dfg.resolve_aliases(value));
            }
        }
    }
    all
}

pub(super) fn remove(function: &mut Function, instruction: Inst) {
    FuncCursor::new(function).at_inst(instruction).remove_inst();
}

/// Removes what is loaded and not needed; what is left is taken from places side by side: the registers.
pub(super) fn keep_needed(function: &mut Function, needed: &EntitySet<Value>, bank: &Bank) -> Vec<u32> {
    let mut kept = Vec::new();
    let mut place = 0;
    for it in &bank.taken {
        if !needed.contains(it.value) {
            remove(function, it.load);
        } else if let InstructionData::Load { offset, .. } = &mut function.dfg.insts[it.load] {
            *offset = Offset32::new(place);
            place += bank.kind.bytes() as i32;
            kept.push(it.register);
        }
    }
    kept
}

impl Translator<'_, '_> {
    /// Takes all registers and the steps that are left from the context.
    pub(super) fn enter(&mut self, used: &FxHashSet<Use>) {
        let mut used: Vec<(bool, u32)> = used.iter().map(|it| (it.real, it.register)).collect();
        used.sort_unstable();
        used.dedup();
        for (real, offset) in [(true, offsets::REALS), (false, offsets::INTS)] {
            let from = self.to.ins().load(I64, there(), self.context, offset);
            let constants = if real { &self.constants.reals } else { &self.constants.ints };
            let bank = if real { &mut self.reals } else { &mut self.ints };
            for register in used.iter().filter(|it| it.0 == real).map(|it| it.1).filter(|k| !constants.contains(k)) {
                let variable = self.to.declare_var(bank.kind);
                if register >= LOCAL {
                    let nothing = match bank.kind {
                        F32 => self.to.ins().f32const(0.0),
                        F64 => self.to.ins().f64const(0.0),
                        kind => self.to.ins().iconst(kind, 0),
                    };
                    self.to.def_var(variable, nothing);
                    bank.variables.insert(register, variable);
                    continue;
                }
                let value = self.to.ins().load(bank.kind, there(), from, 0);
                let load = self.to.func.dfg.value_def(value).unwrap_inst();
                self.to.def_var(variable, value);
                bank.variables.insert(register, variable);
                bank.taken.push(Taken { load, value, register });
            }
        }
        let left = self.to.ins().load(I64, there(), self.context, offsets::LEFT);
        self.to.def_var(self.left, left);
    }

    /// Takes all buffers from the context: which ones there are.
    pub(super) fn enter_buffers(&mut self, instructions: &[Instruction]) -> Vec<(bool, u32)> {
        let mut all = Vec::new();
        for buffer in instructions.iter().flat_map(buffers) {
            if !self.buffers.contains_key(&buffer) {
                let number = i32::try_from(all.len()).expect("a stretch has fewer than 2^31 buffers");
                let elements = Elements { number, parts: [I64; 4].map(|kind| self.to.declare_var(kind)) };
                let loads = self.renew(elements);
                self.parts.extend(loads);
                self.buffers.insert(buffer, elements);
                all.push(buffer);
            }
        }
        all
    }

    /// Loads the parts of a buffer, which may be elsewhere than they were.
    pub(super) fn renew(&mut self, Elements { number, parts }: Elements) -> [Taken; 4] {
        let slots = self.to.ins().load(I64, there(), self.context, offsets::SLOTS);
        [0, 1, 2, 3].map(|k| {
            let value = self.to.ins().load(I64, there(), slots, number * offsets::SLOT + PARTS[k]);
            self.to.def_var(parts[k], value);
            Taken { load: self.to.func.dfg.value_def(value).unwrap_inst(), value, register: 0 }
        })
    }

    /// Leaves for others what they need, and what this needs the next time: the registers.
    pub(super) fn leave(&mut self, exit: Block, stretch: &Stretch, used: &FxHashSet<Use>) -> [Vec<u32>; 2] {
        self.to.switch_to_block(self.fault);
        let status = self.to.ins().iconst(I64, FAULT);
        self.to.ins().return_(&[status]);
        self.to.switch_to_block(exit);
        self.to.seal_all_blocks();
        let needed = operands(self.to.func);
        let banks = [(&self.reals, &stretch.reals, offsets::REALS), (&self.ints, &stretch.ints, offsets::INTS)];
        let out = banks.map(|(bank, left, offset)| {
            let written =
                |register: u32| used.contains(&Use { real: offset == offsets::REALS, register, writes: true });
            let again = bank.taken.iter().filter(|it| needed.contains(it.value)).map(|it| it.register);
            let mut out: Vec<u32> = again.chain(left.iter().copied()).filter(|register| written(*register)).collect();
            out.sort_unstable();
            out.dedup();
            let place = self.to.ins().load(I64, there(), self.context, offset);
            let kind = bank.kind.bytes() as i32;
            for (number, register) in (0..).zip(&out) {
                let value = self.to.use_var(bank.variables[register]);
                self.to.ins().store(there(), value, place, number * kind);
            }
            out
        });
        let left = self.to.use_var(self.left);
        self.to.ins().store(there(), left, self.context, offsets::LEFT);
        let status = self.to.ins().iconst(I64, DONE);
        self.to.ins().return_(&[status]);
        out
    }
}

/// The buffers that an instruction is about.
fn buffers(instruction: &Instruction) -> Vec<(bool, u32)> {
    match *instruction {
        Instruction::LoadReal { from: at, .. }
        | Instruction::StoreReal { at, .. }
        | Instruction::AddReal { at, .. } => {
            vec![(true, at.buffer)]
        }
        Instruction::LoadInt { from: at, .. } | Instruction::StoreInt { at, .. } | Instruction::AddInt { at, .. } => {
            vec![(false, at.buffer)]
        }
        Instruction::Alloc { buffer, real, .. } => vec![(real, buffer)],
        Instruction::Swap { a, b, real } => vec![(real, a), (real, b)],
        _ => vec![],
    }
}
