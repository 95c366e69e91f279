//! Loops over lanes, from code to instructions.
//!
//! Law: a loop has registers of its own for what differs between lanes, and its instructions end where it does
//! (tests/execute/lanes.rs).

use super::assemble::Assembler;
use super::block_width;
use super::instruction::{Fold, Instruction, LanesLoop};
use super::parallel;
use super::registers::Registers;
use super::vector::FEW_GROUPS;
use crate::kernel::code::{Buffer, Lanes};

impl Assembler<'_> {
    pub(super) fn lanes(&mut self, lanes: &Lanes) {
        let count = self.one(lanes.count);
        let (number, start) = (self.loops.len(), self.here());
        self.out.push(Instruction::Lanes(u32::try_from(number).expect("there are fewer than 2^32 loops")));
        let leave = self.hole();
        let registers = Registers::new(self.code, lanes, &self.needed, &self.inline);
        let (reals, ints) = registers.sizes();
        self.varying = Some(registers);
        let body = self.here();
        let mut it = LanesLoop {
            index: self.varying.as_ref().and_then(|r| r.used(lanes.index)),
            count,
            body,
            real_folds: Vec::new(),
            int_folds: Vec::new(),
            folded: lanes.folded.map(|value| self.uniform(value)),
            writes: Vec::new(),
            adds: Vec::new(),
            scatters: !lanes.scatters.is_empty(),
            reals,
            ints,
            groups: FEW_GROUPS,
            straight: false,
            work: Vec::new(),
            #[cfg(feature = "jit")]
            one_by_one: None,
        };
        for fold in &lanes.folds {
            let cell = self.varying.as_ref().map_or(0, |r| r.of(fold.cell));
            let (start, found) = (self.one(fold.start), self.buffers[fold.found.0 as usize]);
            let folds = if self.is_real(fold.start) { &mut it.real_folds } else { &mut it.int_folds };
            folds.push(Fold { cell, start, found, op: fold.op, kind: self.prim(fold.start) });
        }
        let bank = |this: &Self, buffer: &Buffer| this.code.buffers[buffer.0 as usize].prim.is_real();
        for (buffer, part, start) in &lanes.writes {
            let (part, start) = (self.one(*part), self.one(*start));
            it.writes.push((bank(self, buffer), self.buffers[buffer.0 as usize], part, start));
        }
        it.adds = lanes.adds.iter().map(|b| (bank(self, b), self.buffers[b.0 as usize])).collect();
        self.loops.push(it);
        self.block(&lanes.body);
        let instructions = &self.out[body as usize..];
        let (groups, work) =
            (block_width::groups(&self.loops[number], instructions), parallel::work(instructions, &self.products));
        let straight = lanes.folded.is_none() && block_width::is_straight(instructions);
        let it = &mut self.loops[number];
        (it.groups, it.straight, it.work) = (groups, straight, work);
        self.out.push(Instruction::End);
        #[cfg(feature = "jit")]
        {
            self.loops[number].one_by_one = self.one_by_one(lanes, body, groups);
        }
        self.varying = None;
        self.note(start, lanes.origin);
        self.out[leave] = Instruction::Jump(self.here());
    }
}
