//! What lanes fold into.
//!
//! Law: a lane has folded the iterations that were its own and nothing else, and a lane that had none contributes
//! nothing (tests/execute/lanes.rs).

use super::instruction::{Fold, LanesLoop};
use super::machine::Machine;
use super::real::{Real, rounding};
use super::state::State;
use super::vector::{Group, folded, get, lanes};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::primitives::Primitive;

/// Puts aside what lanes have found so far, for those in the last group that have no part in the next block.
pub(super) fn save<R: Real<G>, const G: usize>(state: &mut State<R, G>, it: &LanesLoop) {
    let last = state.groups - 1;
    let State { reals, ints, saved, .. } = state;
    saved.from = state.active;
    saved.reals.clear();
    saved.reals.extend(it.real_folds.iter().map(|fold| reals.block(fold.cell)[last].read()));
    saved.ints.clear();
    saved.ints.extend(it.int_folds.iter().map(|fold| ints.block(fold.cell)[last].read()));
}

/// Puts back what was put aside.
pub(super) fn restore<R: Real<G>, const G: usize>(state: &State<R, G>, it: &LanesLoop) {
    let from = state.saved.from;
    if from.is_multiple_of(G) {
        return;
    }
    let is_own = |i: usize| i < from % G;
    for (fold, saved) in it.real_folds.iter().zip(&state.saved.reals) {
        let group = &state.reals.block(fold.cell)[from / G];
        let now = group.read();
        group.write(lanes(|i| if is_own(i) { now[i] } else { saved[i] }));
    }
    for (fold, saved) in it.int_folds.iter().zip(&state.saved.ints) {
        let group = &state.ints.block(fold.cell)[from / G];
        let now = group.read();
        group.write(lanes(|i| if is_own(i) { now[i] } else { saved[i] }));
    }
}

/// Writes what each lane has folded to buffers, and returns how many values are in each: one where the partial results can be combined.
pub(super) fn found<R: Real<G>, const G: usize>(machine: &mut Machine<'_, R, G>, it: &LanesLoop, count: usize) -> i64 {
    let combined = it.real_folds.iter().all(|fold| reals::<R, G>(fold).is_some())
        && it.int_folds.iter().all(|fold| ints::<G>(fold).is_some());
    for fold in &it.real_folds {
        let block = &machine.state.reals.block(fold.cell)[..count.div_ceil(G)];
        let start = machine.state.reals.one(fold.start);
        let buffer = machine.reals[fold.found as usize].own();
        buffer.clear();
        match reals(fold).filter(|_| combined) {
            Some(all) => {
                let round = rounding(fold.kind);
                buffer.extend((count > 0).then(|| round(all(block, start))));
            }
            None => buffer.extend((0..count).map(|lane| get(block, lane))),
        }
    }
    for fold in &it.int_folds {
        let block = &machine.state.ints.block(fold.cell)[..count.div_ceil(G)];
        let start = machine.state.one(fold.start);
        let buffer = machine.ints[fold.found as usize].own();
        buffer.clear();
        match ints(fold).filter(|_| combined) {
            Some(all) => buffer.extend((count > 0).then(|| all(block, start))),
            None => buffer.extend((0..count).map(|lane| get(block, lane))),
        }
    }
    if combined { i64::from(count > 0) } else { count as i64 }
}

/// What combines the values of lanes.
type Combine<T, const G: usize> = fn(&[Group<T, G>], T) -> T;

fn reals<R: Real<G>, const G: usize>(fold: &Fold) -> Option<Combine<R, G>> {
    match fold.op {
        Some(ScalarOp::Add) => Some(|block, start| folded(block, start, |a, b| a + b)),
        Some(ScalarOp::Mul) => Some(|block, start| folded(block, start, |a, b| a * b)),
        Some(ScalarOp::Row(Primitive::Min)) => Some(|block, start| folded(block, start, least)),
        Some(ScalarOp::Row(Primitive::Max)) => Some(|block, start| folded(block, start, greatest)),
        Some(_) | None => None,
    }
}

fn ints<const G: usize>(fold: &Fold) -> Option<Combine<i64, G>> {
    // A `u64` is in a register by its bits.
    let by_bits = fold.kind == Prim::U64;
    match fold.op {
        Some(ScalarOp::Integer(IntegerRow::Min)) if by_bits => {
            Some(|block, start| folded(block, start, |a, b| (a as u64).min(b as u64) as i64))
        }
        Some(ScalarOp::Integer(IntegerRow::Max)) if by_bits => {
            Some(|block, start| folded(block, start, |a, b| (a as u64).max(b as u64) as i64))
        }
        Some(ScalarOp::Integer(IntegerRow::Min)) => Some(|block, start| folded(block, start, i64::min)),
        Some(ScalarOp::Integer(IntegerRow::Max)) => Some(|block, start| folded(block, start, i64::max)),
        Some(_) | None => None,
    }
}

/// The smaller of two, as the table of primitives has it.
#[inline(always)]
pub(super) fn least<R: Real<G>, const G: usize>(a: R, b: R) -> R {
    if a <= b || b.is_nan() { a } else { b }
}

/// The larger of two, as the table of primitives has it.
#[inline(always)]
pub(super) fn greatest<R: Real<G>, const G: usize>(a: R, b: R) -> R {
    if a >= b || b.is_nan() { a } else { b }
}
