//! Places next to each other: what goes there goes in one piece.
//!
//! Law: of values for places from one on, those are taken whose places there are, and no place is computed for each of them
//! (tests/execute/scans.rs, tests/execute/work.rs).

use rustc_hash::FxHashSet;

use super::code::Operand;
use super::emit::Emit;
use super::liveness::mentioned;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step, Unsupported};
use crate::array::{IntegerRow, Map, Op, Stm, binders};

/// Places next to each other that there are: the first of them, how many, and of how many values before the first there is no place.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) first: Operand,
    pub(super) count: Operand,
    skipped: Operand,
}

impl Emit<'_> {
    /// Of `length` places from one on, which may be any number, those within `size`.
    pub(super) fn run_within(&mut self, first: Operand, length: Operand, size: Operand) -> Run {
        let mut integer = |row: IntegerRow, a: Operand, b: Operand| self.scalar(row, &[a, b]);
        let zero = Operand::int(0);
        // Nothing overflows from there on.
        let (first, skipped) = if first.as_int().is_some_and(|first| first >= 0) {
            (integer(IntegerRow::Min, first, size), zero)
        } else {
            let before_all = integer(IntegerRow::Sub, zero, length);
            let least = integer(IntegerRow::Max, first, before_all);
            let least = integer(IntegerRow::Min, least, size);
            let first = integer(IntegerRow::Max, least, zero);
            (first, integer(IntegerRow::Sub, first, least))
        };
        let (room, left) = (integer(IntegerRow::Sub, size, first), integer(IntegerRow::Sub, length, skipped));
        Run { first, skipped, count: integer(IntegerRow::Min, room, left) }
    }
}

impl<'p> Lowering<'p> {
    /// The first of indices that follow each other.
    pub(super) fn first_of_run(&self, indices: &Array<'p>) -> Option<Operand> {
        if self.emit.lanes.is_some() || self.emit.stepwise {
            return None;
        }
        let Form::Iota(first, step) = &indices.form else { return None };
        (*step == Operand::int(1)).then_some(*first)
    }

    /// The values for the places of a run.
    pub(super) fn values_of(&mut self, run: Run, values: &Array<'p>) -> Step<Array<'p>> {
        if let Some(part) = values.elements_from(&mut self.emit, [run.skipped, run.count, Operand::int(1)]) {
            return Ok(part);
        }
        let mut part = match values.form {
            Form::Pending(..) if run.skipped == Operand::int(0) => values.clone(),
            _ => values.stored(self.in_memory(values)?.from(&mut self.emit, run.skipped)),
        };
        part.sizes[0] = run.count;
        Ok(part)
    }

    /// Puts rows back where they are in memory, from a first one on, each with parts of it replaced: whether these parts are all that
    /// has to be stored.
    pub(super) fn put_back(&mut self, values: &Array<'p>, first: Operand, view: &View) -> bool {
        let Form::Pending(map, k) = values.form else { return false };
        let View { origin, strides } = view.clone();
        let rows = View { origin: origin.advance(&mut self.emit, first, strides[0]), strides };
        if !self.takes_parts_of(map, &rows) {
            return false;
        }
        let around = self.put_back.replace(rows.origin.buffer);
        let stored = self.attempt(|this| {
            let written = [(rows.clone(), values.sizes.clone())];
            this.for_each(values.sizes[0], true, &written, &mut |this, index| {
                let row = this.result(map, k, index)?;
                let place = rows.part(&mut this.emit, &[index]);
                this.store_others(row, place)
            })
        });
        self.put_back = around;
        stored.is_ok()
    }

    /// Whether all that a map takes of a buffer are parts of these rows of it, each for the row's own place.
    fn takes_parts_of(&self, map: &Map, rows: &View) -> bool {
        let buffer = rows.origin.buffer;
        // None of these loads an element, as long as what is joined is so where it goes.
        let is_part = |stm: &Stm| match &stm.op {
            Op::Scalar(..) | Op::Slice(..) | Op::Replicate(..) => true,
            Op::Concat(_) => self.pending.is_joined(stm.vars[0]),
            _ => false,
        };
        // An element would be loaded; and that there are these places is known of rows that are taken from them.
        let is_row = |array: &Array<'p>| matches!(&array.form, Form::Memory(view) if array.sizes.len() > 1 && view.is_same(rows));
        let arrays = self.env.arrays(&map.arrays);
        let may = |array: &Array<'p>| !self.env.holds(array, buffer) || is_row(array);
        let body = &map.function.body;
        let mut inside: FxHashSet<_> = map.function.params.iter().copied().collect();
        binders(body, &mut inside);
        let free = mentioned(&body.stms, &body.results);
        let is_beside = |bound: &Bound<'p>| !self.env.is_in(bound, buffer);
        map.accumulators.is_empty()
            && body.stms.iter().all(is_part)
            && arrays.iter().any(is_row)
            && arrays.iter().all(may)
            && free.difference(&inside).all(|var| self.env.get(*var).is_none_or(is_beside))
    }

    /// Stores the parts of a row that are not there already.
    fn store_others(&mut self, row: Bound<'p>, place: View) -> Step<()> {
        let mut parts = Vec::new();
        let buffer = place.origin.buffer;
        self.emit.parts(row, place, &mut parts);
        parts.retain(|(part, place)| {
            !matches!(part, Bound::Array(Array { form: Form::Memory(view), .. }) if view.is_same(place))
        });
        if parts.iter().any(|(part, _)| self.env.is_in(part, buffer)) {
            return Err(Unsupported("a part of a row that is put back elsewhere"));
        }
        self.store_all(parts)
    }
}
