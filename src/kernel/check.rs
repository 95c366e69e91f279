//! Checks: what a statement can get wrong, and who is to blame.
//!
//! Law: a check that is made where the program makes it knows the statement, and the operands that make it fail; one that is
//! made further out knows nothing, and may fail where the program does not.

use super::Lowering;
use super::code::{Blame, Broken, Operand};
use crate::array::{Agreement, ScalarOp, text};

impl Lowering<'_> {
    /// The statement that is being lowered.
    pub(super) fn statement_text(&self) -> String {
        self.at.map_or_else(|| text::signature(self.program), |stm| text::head(self.program, stm))
    }

    /// What is to be told where a check fails, if that is to be told.
    pub(super) fn blame(&self, broken: Broken, operands: &[Operand]) -> Option<Box<Blame>> {
        let blame = || Blame { statement: self.statement_text(), span: self.span, broken, operands: operands.to_vec() };
        self.stepwise.then(|| Box::new(blame()))
    }

    /// Ends the run unless two sizes are equal.
    pub(super) fn same(&mut self, what: Agreement, a: Operand, b: Operand) {
        self.equal(Broken::Sizes(what.message()), a, b);
    }

    /// Ends the run unless two operands are equal: with what is then wrong.
    pub(super) fn equal(&mut self, broken: Broken, a: Operand, b: Operand) {
        if a != b {
            let condition = self.emit.scalar(ScalarOp::Equal, &[a, b]);
            // In a branch that no lane takes this may be wrong for nothing, and is looked into again.
            let mask = self.mask.filter(|_| self.stepwise);
            self.emit.check(condition, mask, self.blame(broken, &[a, b]));
        }
    }

    /// Ends the run unless a condition holds; what is wrong otherwise, and with which operands, is told if that is wanted.
    pub(super) fn check(&mut self, condition: Operand, broken: Broken, operands: &[Operand]) {
        self.emit.check(condition, self.mask, self.blame(broken, operands));
    }

    pub(super) fn bounds(&mut self, index: Operand, length: Operand) {
        if !self.emit.is_within(index, length) {
            self.emit.bounds(index, length, self.mask, self.blame(Broken::Bounds, &[index, length]));
        }
    }
}
