//! The start of a kernel: how many threads it has, the memory that it is bound to, and its parameters.
//!
//! Law: a kernel has room for what its threads have for themselves, or the run says that it cannot be; the host counts what it starts
//! (tests/gpu/counts.rs, tests/gpu/sizes.rs).

use super::kernel::{Binding, Kernel, MAX_GROUPS, Param, Space, Use, WORKGROUP, words};
use super::kind::Word;
use super::moved;
use super::proof::MAX_STEPS;
use super::run::{Ran, Run, computed};
use super::tiles;
use crate::array::Const;
use crate::kernel::code::{Buffer, Operand};

/// The most bytes that the threads of a kernel have for themselves.
const MAX_SCRATCH: u64 = 1 << 27;

impl Run<'_> {
    /// Starts a kernel.
    pub(super) fn launch(&mut self, k: usize) -> Ran<()> {
        let (kernel, after) = self.choose(k)?;
        let own = self.own_sizes(kernel)?;
        let (lanes, groups) = match &kernel.space {
            Space::Serial => (1, 1),
            Space::Lanes { count, folds, folded, tiles, copies, .. } => {
                let count = self.integer(*count).max(0);
                let lanes = u32::try_from(count).map_err(|_| self.unsupported("a map over more than 2^32 elements"))?;
                let most = self.device.limits.max_compute_workgroups_per_dimension;
                let groups = match tiles.and_then(|sizes| self.matrices(&sizes, count)) {
                    Some([rows, columns, _]) => tiles::count(count, [rows, columns]) as u32,
                    None => self.groups_with_copies(copies, count).unwrap_or_else(|| kernel.space.groups(lanes)),
                };
                let groups = groups.min(most).min(self.groups_within(kernel, &own)?);
                let found = i64::from(kernel.space.results(lanes, groups));
                folds.iter().try_for_each(|buffer| self.allocate(*buffer, found))?;
                if let Some(folded) = folded {
                    self.values[folded.0 as usize] = Some(Const::I64(found));
                }
                if lanes == 0 {
                    return Ok(());
                }
                (lanes, groups)
            }
        };
        self.learn(after);
        self.spend(1 + u64::from(lanes), kernel.origin)?;
        let threads = groups * kernel.space.workgroup();
        let moved = moved::bytes(kernel, lanes, &own, |buffer| self.length(buffer));
        self.submission.counts.moved(moved);
        let pipeline = self.device.pipeline(kernel)?;
        let params = self.params(kernel, lanes, &own);
        let mut memory = Vec::new();
        for Binding { buffer, how } in &kernel.bindings {
            if *how == Use::Claims {
                // Nobody has an element yet.
                let bytes = self.length(*buffer) * 4;
                let owners = self.device.memory(bytes)?;
                self.submission.clear(owners.clone(), bytes);
                self.owners.insert(*buffer, owners.clone());
                memory.push(owners);
                continue;
            }
            memory.push(match &self.buffers[buffer.0 as usize] {
                Some((memory, _)) => memory.clone(),
                // What is never given a size is never asked for an element that it has.
                None => self.device.memory(0)?,
            });
        }
        for word in &kernel.scratch {
            memory.push(self.device.memory(all_of(kernel, &own, *word) * u64::from(threads) * word.bytes())?);
        }
        for binding in kernel.bindings.iter().filter(|binding| binding.how == Use::Owns) {
            memory.push(self.owners.remove(&binding.buffer).expect("elements are claimed before they are set"));
        }
        let count = |x: Operand| self.foreseen(x)?.integer().map(|n| n.max(0) as u64);
        let work = kernel.work.statements(&count).saturating_mul(lanes.into());
        Ok(self.submission.dispatch(pipeline, memory, &params, [groups, threads], work)?)
    }

    /// How many elements of each of its own buffers a thread has.
    fn own_sizes(&self, kernel: &Kernel) -> Ran<Vec<u64>> {
        let size = |x: &Operand| self.foreseen(*x)?.integer().map(|n| n.max(0) as u64);
        let most = |(.., counts): &(Buffer, Word, Vec<Operand>)| {
            counts.iter().map(size).try_fold(0, |most, count| Some(count?.max(most)))
        };
        let sizes: Option<Vec<u64>> = kernel.private.iter().map(most).collect();
        sizes.ok_or_else(|| self.unsupported("an array of a thread whose size is computed there"))
    }

    /// What an operand of lanes will be, if the host can know it before.
    fn foreseen(&self, operand: Operand) -> Option<Const> {
        let Operand::Value(value) = operand else { return Some(self.known(operand)) };
        if let Some(known) = self.values[value.0 as usize] {
            return Some(known);
        }
        let (op, operands) = self.plan.of_lanes.get(&value)?;
        let operands: Vec<Const> = operands.iter().map(|x| self.foreseen(*x)).collect::<Option<_>>()?;
        Some(computed(*op, &operands, self.plan.code.values[value.0 as usize].prim))
    }

    /// How many workgroups there may be, so that there is room for what threads have for themselves.
    fn groups_within(&self, kernel: &Kernel, own: &[u64]) -> Ran<u32> {
        let most = MAX_SCRATCH.min(self.device.limits.max_storage_buffer_binding_size);
        let mut groups = MAX_GROUPS;
        for word in &kernel.scratch {
            let elements = all_of(kernel, own, *word);
            let bytes = elements.saturating_mul(word.bytes()).saturating_mul(WORKGROUP.into()).max(1);
            if bytes > most {
                return Err(
                    self.unsupported("an array of each thread that together are more than the GPU binds at once")
                );
            }
            groups = groups.min((most / bytes) as u32);
        }
        Ok(groups)
    }

    /// The words of the parameters of a kernel.
    fn params(&self, kernel: &Kernel, lanes: u32, own: &[u64]) -> Vec<u32> {
        let mut words_of = Vec::new();
        for (param, word) in &kernel.params {
            match param {
                Param::Value(value) => {
                    // What the host has not computed yet, no thread uses.
                    let constant = self.values[value.0 as usize].unwrap_or(Const::I64(0));
                    words_of.extend(words(constant, *word));
                }
                Param::Length(buffer) => words_of.push(self.length(*buffer) as u32),
                Param::Base(buffer) => {
                    let at = kernel.private.iter().position(|(other, ..)| other == buffer);
                    let at = at.expect("a buffer of threads is one of the kernel");
                    words_of.push(all_of(kernel, &own[..at], kernel.private[at].1) as u32);
                }
                Param::Lanes => words_of.push(lanes),
                Param::Steps => {
                    let left = self.control.limits.steps.saturating_sub(self.steps);
                    words_of.push(left.min(MAX_STEPS) as u32);
                }
            }
        }
        words_of
    }
}

/// How many elements of a type a thread has for itself, in the first of its buffers, of these sizes.
fn all_of(kernel: &Kernel, own: &[u64], of: Word) -> u64 {
    let sizes = kernel.private.iter().zip(own).filter(|((_, word, _), _)| *word == of);
    sizes.map(|(_, size)| *size).fold(0, u64::saturating_add)
}
