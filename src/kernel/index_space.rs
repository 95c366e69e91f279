//! Loops over an index space: over lanes, or one index after the other.
//!
//! Law: the iterations of a loop over lanes are independent of each other, but for the arrays they add to; no such loop
//! is inside of another (tests/execute/lanes.rs).

use super::code::{Block, Fold, Lanes, Operand, Stm};
use super::cursor::OpenLanes;
use super::view::View;
use super::{Lowering, Step, Unsupported};
use crate::array::{Const, Prim, ScalarOp};

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
        self.emit.push(Stm::If { condition, yes, no });
        Ok(())
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
