//! What is known of values without running the code: ranges, and which is less than which.
//!
//! Law: a fact holds in every run that comes to the value. A check that a fact decides is not made
//! (tests/execute/work.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Buffer, Operand, Value};
use crate::array::Const;

/// What is known of values.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The counts of the loops that values are indices of.
    counts: FxHashMap<Value, Operand>,
    /// What values are less than, or as large as: they are it less a constant.
    below: FxHashMap<Value, Operand>,
    /// The least and the greatest number that buffers hold, and that values loaded from there are; they never change.
    in_buffers: FxHashMap<Buffer, (i64, i64)>,
    in_ranges: FxHashMap<Value, (i64, i64)>,
    /// Pairs of which the first is not less than the second.
    not_less: FxHashSet<(Operand, Operand)>,
}

impl Facts {
    /// Records that a value is the index of a loop of `count` iterations.
    pub(super) fn counts(&mut self, index: Value, count: Operand) {
        self.counts.insert(index, count);
    }

    /// Says that a value is another less a constant.
    pub(super) fn is_below(&mut self, value: Value, above: Operand) {
        self.below.insert(value, above);
    }

    /// Says that what is in a buffer is in a range.
    pub(super) fn ranges(&mut self, buffer: Buffer, range: (i64, i64)) {
        self.in_buffers.insert(buffer, range);
    }

    /// Says that a value is an element of a buffer.
    pub(super) fn is_from(&mut self, value: Value, buffer: Buffer) {
        if let Some(range) = self.in_buffers.get(&buffer) {
            self.in_ranges.insert(value, *range);
        }
    }

    /// Says that the first of two is not less than the second.
    pub(super) fn is_not_less(&mut self, a: Operand, b: Operand) {
        self.not_less.insert((a, b));
    }

    /// Whether the first of two is not less than the second for sure.
    pub(super) fn excludes_less(&self, a: Operand, b: Operand) -> bool {
        self.not_less.contains(&(a, b))
    }

    /// Whether a size is not more than another for sure.
    pub(super) fn is_not_more(&self, size: Operand, than: Operand) -> bool {
        let is_below = matches!(size, Operand::Value(size) if self.below.get(&size) == Some(&than));
        let is_less = size.as_int().zip(than.as_int()).is_some_and(|(size, than)| size <= than);
        size == than || is_below || is_less
    }

    /// Whether an index is in bounds for sure.
    pub(super) fn is_within(&self, index: Operand, length: Operand) -> bool {
        match index {
            Operand::Value(value) => {
                let range = self.in_ranges.get(&value).zip(length.as_int());
                self.counts.get(&value).is_some_and(|count| self.is_not_more(*count, length))
                    || range.is_some_and(|((least, greatest), length)| *least >= 0 && *greatest < length)
            }
            Operand::Const(Const::I64(n)) => length.as_int().is_some_and(|length| (0..length).contains(&n)),
            Operand::Const(_) => false,
        }
    }
}
