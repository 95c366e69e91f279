//! Loops over an index space: over lanes, or one index after the other.
//!
//! Law: the iterations of a loop over lanes are independent of each other, but for the arrays they add to; no such loop
//! is inside of another (tests/execute/lanes.rs).

use super::code::{Block, Fold, Lanes, Operand, Place, Stm};
use super::cursor::OpenLanes;
use super::view::View;
use super::{Lowering, Step, Unsupported};
use crate::array::{Const, Prim, ScalarOp};

/// A row with this many elements is worth a loop over lanes of its own, where lanes would otherwise each go along a row: what lanes
/// then read and write is strided.
const LONG_ROW: i64 = 32;

/// More elements than these are shared out to threads where there are several, as the rows are and their elements are not.
const MOST_IN_ROWS: i64 = 1 << 18;

/// Rows that lanes go along, each one.
struct Rows {
    length: Operand,
    /// Whether each element is computed by itself, so that it is the same however lanes go.
    is_same: bool,
}

/// The rows that the lanes go along where the loop in order does nothing but loops over as many lanes, to which fewer accesses are
/// strided. Where there are loops within, as in products of matrices, lanes along rows have more in registers.
fn rows(over_lanes: &[Stm], in_order: &[Stm]) -> Option<Rows> {
    let Some(Stm::For { body, .. }) = in_order.iter().find(|stm| matches!(stm, Stm::For { .. })) else { return None };
    let is_alone = |lanes: &Lanes| lanes.folds.is_empty() && lanes.adds.is_empty();
    let (mut length, mut across, mut is_same) = (None, 0, true);
    for stm in body {
        match stm {
            Stm::Lanes(lanes) if length.is_none_or(|length| length == lanes.count) && is_straight(&lanes.body) => {
                length = Some(lanes.count);
                across += strided(&lanes.body);
                is_same &= is_alone(lanes);
            }
            stm if is_straight(core::slice::from_ref(stm)) => {}
            _ => return None,
        }
    }
    let length = length?;
    let lanes = over_lanes.iter().find_map(|stm| if let Stm::Lanes(lanes) = stm { Some(lanes) } else { None })?;
    let along = lanes.body.iter().map(|stm| match stm {
        Stm::For { count, body, .. } if *count == length => strided(body),
        _ => 0,
    });
    is_same &= is_alone(lanes);
    (across < along.sum()).then_some(Rows { length, is_same })
}

fn is_straight(block: &[Stm]) -> bool {
    block.iter().all(|stm| stm.blocks().is_empty())
}

/// How many accesses to elements are not side by side from lane to lane.
fn strided(block: &[Stm]) -> usize {
    let is_far = |place: &Place| place.varying.is_some() || place.is_strided();
    block.iter().filter(|stm| stm.element().is_some_and(|(place, _)| is_far(place))).count()
}

impl Lowering<'_> {
    /// A loop whose iterations are independent of each other, but for the arrays they add to. `written` lists the parts that it writes
    /// to, and their sizes; `nested` says that there is more inside that could run side by side.
    pub(super) fn for_each(
        &mut self,
        count: Operand,
        nested: bool,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>,
    ) -> Step<()> {
        if self.emit.lanes.is_some() || self.emit.stepwise {
            return self.in_order(count, body);
        }
        if !nested {
            return self
                .attempt(|this| this.side_by_side(count, written, &mut *body))
                .or_else(|_| self.in_order(count, body));
        }
        let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(self.wide), count]);
        if let Operand::Const(Const::Bool(is_wide)) = condition {
            let tried = is_wide && self.attempt(|this| this.side_by_side(count, written, &mut *body)).is_ok();
            return if tried { Ok(()) } else { self.in_order(count, body) };
        }
        let wide = self.attempt(|this| this.block(false, |this| this.side_by_side(count, written, &mut *body)));
        let Ok((yes, ())) = wide else { return self.in_order(count, body) };
        let (no, ()) = self.block(false, |this| this.in_order(count, body))?;
        let condition = match rows(&yes, &no) {
            Some(rows) if !self.flat && self.emit.depth_of(rows.length) <= self.emit.depth() => {
                self.unless_rows_are_better(condition, count, &rows)
            }
            _ => condition,
        };
        self.emit.push(Stm::If { condition, yes, no });
        Ok(())
    }

    /// The condition, unless there is one thread, or few elements in all, and the rows are long enough for lanes.
    fn unless_rows_are_better(&mut self, condition: Operand, count: Operand, rows: &Rows) -> Operand {
        let mut better = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(LONG_ROW), rows.length]);
        if self.shared || !rows.is_same {
            let all = self.emit.mul(count, rows.length);
            let few = self.emit.scalar(ScalarOp::LessOrEqual, &[all, Operand::int(MOST_IN_ROWS)]);
            better = self.emit.scalar(ScalarOp::Mul, &[better, few]);
        }
        let not = self.emit.scalar(ScalarOp::Not, &[better]);
        self.emit.scalar(ScalarOp::Mul, &[condition, not])
    }

    /// What is written inside, as a block of its own, which operations may not leave if it is a `branch`.
    pub(super) fn block<T>(&mut self, branch: bool, inside: impl FnOnce(&mut Self) -> Step<T>) -> Step<(Block, T)> {
        self.emit.open(branch);
        let found = inside(self)?;
        Ok((self.emit.close(), found))
    }

    /// A sequential loop.
    pub(super) fn in_order(
        &mut self,
        count: Operand,
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>,
    ) -> Step<()> {
        if self.emit.is_varying(count) {
            return Err(Unsupported("a loop whose length differs between lanes"));
        }
        self.emit.open(false);
        let index = self.emit.value(Prim::I64, false);
        self.emit.facts.counts(index, count);
        let before = self.emit.enter_region();
        body(self, Operand::Value(index))?;
        self.emit.at.region = before;
        let body = self.emit.close();
        self.emit.push(Stm::For { index, count, body, origin: self.emit.at.origin });
        Ok(())
    }

    /// A loop over lanes.
    pub(super) fn side_by_side(
        &mut self,
        count: Operand,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>,
    ) -> Step<()> {
        let lanes = self.lanes(count, written, &mut |this, index| {
            body(this, index)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Stm::Lanes(Box::new(lanes)));
        Ok(())
    }

    /// A loop over lanes, with the cells that it folds into.
    pub(super) fn lanes(
        &mut self,
        count: Operand,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<Vec<Fold>>,
    ) -> Step<Lanes> {
        let mut writes = Vec::new();
        let mut scatters = Vec::new();
        for (view, sizes) in written {
            if let Some(start) = view.is_all_from(&mut self.emit, sizes) {
                writes.push((view.origin.buffer, view.strides[0], start));
            } else {
                scatters.push(view.origin.buffer);
            }
        }
        self.emit.open(false);
        let index = self.emit.value(Prim::I64, true);
        self.emit.facts.counts(index, count);
        self.emit.lanes = Some(OpenLanes { index, frame: self.emit.depth(), adds: Vec::new(), scatters });
        let before = self.emit.enter_region();
        let folds = body(self, Operand::Value(index))?;
        self.emit.at.region = before;
        let OpenLanes { adds, scatters, .. } = self.emit.lanes.take().expect("a loop over lanes is open");
        let body = self.emit.close();
        Ok(Lanes { index, count, body, writes, adds, scatters, folds, folded: None, origin: self.emit.at.origin })
    }
}
