//! What lanes fold into.
//!
//! Law: a lane has folded the iterations that were its own and nothing else; lanes that had none are left out.

use super::instruction::LanesLoop;
use super::machine::Machine;
use super::state::State;
use super::vector::{GROUP, eight, folded, get};
use crate::array::{IntegerRow, ScalarOp};
use crate::primitives::Primitive;

/// Puts aside what lanes have found so far, for those in the last group that have no part in the next block.
pub(super) fn save(state: &mut State, it: &LanesLoop) {
    let last = state.groups - 1;
    let State { reals, ints, saved, .. } = state;
    saved.from = state.active;
    saved.reals.clear();
    saved.reals.extend(it.real_folds.iter().map(|fold| reals.block(fold.cell)[last].read()));
    saved.ints.clear();
    saved.ints.extend(it.int_folds.iter().map(|fold| ints.block(fold.cell)[last].read()));
}

/// Puts back what was put aside.
pub(super) fn restore(state: &State, it: &LanesLoop) {
    let from = state.saved.from;
    if from.is_multiple_of(GROUP) {
        return;
    }
    let is_own = |i: usize| i < from % GROUP;
    for (fold, saved) in it.real_folds.iter().zip(&state.saved.reals) {
        let group = &state.reals.block(fold.cell)[from / GROUP];
        let now = group.read();
        group.write(eight(|i| if is_own(i) { now[i] } else { saved[i] }));
    }
    for (fold, saved) in it.int_folds.iter().zip(&state.saved.ints) {
        let group = &state.ints.block(fold.cell)[from / GROUP];
        let now = group.read();
        group.write(eight(|i| if is_own(i) { now[i] } else { saved[i] }));
    }
}

/// Leaves what so many lanes have found in buffers: how many values in each.
pub(super) fn found(machine: &mut Machine<'_>, it: &LanesLoop, lanes: usize) -> i64 {
    let mut found = 0;
    for fold in &it.real_folds {
        let block = &machine.state.reals.block(fold.cell)[..lanes.div_ceil(GROUP)];
        let start = machine.state.reals.one(fold.start);
        let one = match fold.op {
            Some(ScalarOp::Add) => Some(folded(block, start, |a, b| a + b)),
            Some(ScalarOp::Mul) => Some(folded(block, start, |a, b| a * b)),
            Some(ScalarOp::Row(Primitive::Min)) => Some(folded(block, start, least)),
            Some(ScalarOp::Row(Primitive::Max)) => Some(folded(block, start, greatest)),
            Some(_) | None => None,
        };
        let buffer = machine.reals[fold.found as usize].own();
        buffer.clear();
        match one {
            Some(one) => buffer.extend((lanes > 0).then_some(one)),
            None => buffer.extend((0..lanes).map(|lane| get(block, lane))),
        }
        found = buffer.len();
    }
    for fold in &it.int_folds {
        let block = &machine.state.ints.block(fold.cell)[..lanes.div_ceil(GROUP)];
        let start = machine.state.one(fold.start);
        let one = match fold.op {
            Some(ScalarOp::Integer(IntegerRow::Min)) => Some(folded(block, start, i64::min)),
            Some(ScalarOp::Integer(IntegerRow::Max)) => Some(folded(block, start, i64::max)),
            Some(_) | None => None,
        };
        let buffer = machine.ints[fold.found as usize].own();
        buffer.clear();
        match one {
            Some(one) => buffer.extend((lanes > 0).then_some(one)),
            None => buffer.extend((0..lanes).map(|lane| get(block, lane))),
        }
        found = buffer.len();
    }
    found as i64
}

/// The smaller of two, as the table of primitives has it.
#[inline(always)]
pub(super) fn least(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// The larger of two, as the table of primitives has it.
#[inline(always)]
pub(super) fn greatest(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
