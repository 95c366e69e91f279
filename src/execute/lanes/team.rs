//! A loop over lanes, shared out to workers.
//!
//! Law: who gets which lanes depends on the loop alone, and what they leave is put together in their order; so the results
//! are the same with any number of threads, and without threads.

use super::instruction::{Instruction, LanesLoop, RealOp};
use super::machine::{Fault, Machine};
use super::memory::Elements;
use super::vector::LANES;

/// As many instructions on blocks as are worth a worker.
const SHARE: i64 = 1_000;
/// The most workers.
const WORKERS: i64 = 16;

/// How many lanes a worker gets, if the loop is worth sharing out.
pub(super) fn share(machine: &Machine<'_>, it: &LanesLoop) -> Option<i64> {
    let lanes = LANES as i64;
    let blocks = machine.state.one(it.count) / lanes;
    if it.scatters || blocks < 2 {
        return None;
    }
    let work = cost(machine, it).saturating_mul(blocks);
    let length = |(real, buffer): &(bool, u32)| match real {
        true => machine.reals[*buffer as usize].all().len(),
        false => machine.ints[*buffer as usize].all().len(),
    };
    // Every worker adds to a copy.
    let copies: i64 = it.adds.iter().map(|add| length(add) as i64 / GROUPS_PER_COPY).sum();
    let workers = (work / SHARE.max(copies)).min(WORKERS).min(blocks);
    (workers >= 2).then(|| (blocks + workers) / workers * lanes)
}

/// An element of a copy costs a part of what an instruction on a block costs.
const GROUPS_PER_COPY: i64 = 32;

/// A row of the table of primitives costs as much as so many other instructions.
const ROW: i64 = 4;

/// About how many instructions a block takes.
fn cost(machine: &Machine<'_>, it: &LanesLoop) -> i64 {
    let mut times = vec![1_i64];
    let mut cost = 0_i64;
    for instruction in &machine.code.instructions[it.body as usize..] {
        match instruction {
            Instruction::End => break,
            Instruction::UnlessLess { count, .. } => {
                let inner = machine.state.one(*count).max(1);
                times.push(times[times.len() - 1].saturating_mul(inner));
            }
            Instruction::Next { .. } => drop(times.pop()),
            _ => {}
        }
        let each = match instruction {
            Instruction::Real { op: RealOp::Row(_), .. } => ROW,
            Instruction::Inner(inner) => machine.state.one(inner.count).max(1),
            _ => 1,
        };
        cost = cost.saturating_add(times.last().copied().unwrap_or(1).saturating_mul(each));
    }
    cost
}

/// Runs a loop over lanes, so many lanes by each worker.
pub(super) fn run(machine: &mut Machine<'_>, it: &LanesLoop, number: usize, share: i64) -> Result<(), Fault> {
    let count = machine.state.one(it.count);
    let take = |real: bool, buffer: u32, machine: &mut Machine<'_>| match real {
        true => (core::mem::take(machine.reals[buffer as usize].own()), Vec::new()),
        false => (Vec::new(), core::mem::take(machine.ints[buffer as usize].own())),
    };
    let mut written: Vec<(Vec<f64>, Vec<i64>)> = it.writes.iter().map(|(r, b, _)| take(*r, *b, machine)).collect();
    let mut added: Vec<(Vec<f64>, Vec<i64>)> = it.adds.iter().map(|(r, b)| take(*r, *b, machine)).collect();
    let parts: Vec<usize> =
        it.writes.iter().map(|(_, _, part)| usize::try_from(machine.state.one(*part)).unwrap_or(0)).collect();

    let mut workers: Vec<Machine<'_>> = Vec::new();
    {
        let mut rest: Vec<(&mut [f64], &mut [i64])> =
            written.iter_mut().map(|(reals, ints)| (&mut reals[..], &mut ints[..])).collect();
        let mut first = 0;
        while first < count {
            let to = (first + share).min(count);
            let mut worker = machine.worker(number, first, to);
            for (((real, buffer, _), part), rest) in it.writes.iter().zip(&parts).zip(&mut rest) {
                let (from, length) = (first as usize * part, (to - first) as usize * part);
                if *real {
                    worker.reals[*buffer as usize] = Elements::Part { elements: cut(&mut rest.0, length), from };
                } else {
                    worker.ints[*buffer as usize] = Elements::Part { elements: cut(&mut rest.1, length), from };
                }
            }
            for ((real, buffer), (reals, ints)) in it.adds.iter().zip(&added) {
                if *real {
                    worker.reals[*buffer as usize] = Elements::Own(vec![0.0; reals.len()]);
                } else {
                    worker.ints[*buffer as usize] = Elements::Own(vec![0; ints.len()]);
                }
            }
            workers.push(worker);
            first = to;
        }
    }
    let outcome = all(&mut workers);
    let left: Vec<_> = workers.into_iter().map(|worker| worker.left(it)).collect();

    // In the order of the workers.
    for left in &left {
        for (((_, buffer), (reals, ints)), (more_reals, more_ints)) in it.adds.iter().zip(&mut added).zip(&left.added) {
            reals.iter_mut().zip(more_reals).for_each(|(a, b)| *a += b);
            let prim = machine.code.int_kinds.get(*buffer as usize).copied();
            ints.iter_mut().zip(more_ints).for_each(|(a, b)| *a = super::machine::plus(prim, *a, *b));
        }
    }
    for ((real, buffer), (reals, ints)) in it.adds.iter().zip(added) {
        put(machine, *real, *buffer, reals, ints);
    }
    for ((real, buffer, _), (reals, ints)) in it.writes.iter().zip(written) {
        put(machine, *real, *buffer, reals, ints);
    }
    let mut found = 0;
    for (k, fold) in it.real_folds.iter().enumerate() {
        let all: Vec<f64> = left.iter().flat_map(|left| left.reals[k].iter().copied()).collect();
        found = all.len();
        *machine.reals[fold.found as usize].own() = all;
    }
    for (k, fold) in it.int_folds.iter().enumerate() {
        let all: Vec<i64> = left.iter().flat_map(|left| left.ints[k].iter().copied()).collect();
        found = all.len();
        *machine.ints[fold.found as usize].own() = all;
    }
    if let Some(folded) = it.folded {
        machine.state.ints.set(folded, found as i64);
    }
    outcome
}

/// The first elements of what is left, which are then gone from it.
fn cut<'s, T>(rest: &mut &'s mut [T], length: usize) -> &'s mut [T] {
    let all = core::mem::take(rest);
    let at = length.min(all.len());
    let (now, later) = all.split_at_mut(at);
    *rest = later;
    now
}

fn put(machine: &mut Machine<'_>, real: bool, buffer: u32, reals: Vec<f64>, ints: Vec<i64>) {
    if real {
        machine.reals[buffer as usize] = Elements::Own(reals);
    } else {
        machine.ints[buffer as usize] = Elements::Own(ints);
    }
}

#[cfg(feature = "rayon")]
fn all(workers: &mut [Machine<'_>]) -> Result<(), Fault> {
    use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
    workers.par_iter_mut().map(Machine::run).collect()
}

#[cfg(not(feature = "rayon"))]
fn all(workers: &mut [Machine<'_>]) -> Result<(), Fault> {
    workers.iter_mut().try_for_each(Machine::run)
}
