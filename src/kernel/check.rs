//! Checks: what a statement can get wrong, and who is to blame.
//!
//! Law: a check that is made where the program makes it knows the statement, and the operands that make it fail; one
//! that is made further out knows nothing, and may fail where the program does not (tests/execute/limits.rs,
//! laws: executors::suite).

use super::code::{Blame, Broken, LARGEST, Operand};
use super::emit::Emit;
use super::view::Array;
use crate::array::{Agreement, IntegerRow, ScalarOp, text};

impl Emit<'_> {
    /// The statement that is being lowered.
    pub(super) fn statement_text(&self) -> String {
        self.at.stm.map_or_else(|| text::signature(self.program), |stm| text::head(self.program, stm))
    }

    /// The report of a failed check, in code that reports faults.
    pub(super) fn blame(&self, broken: Broken, operands: &[Operand]) -> Option<Box<Blame>> {
        let statement = || self.statement_text();
        let blame = || Blame { statement: statement(), span: self.at.span, broken, operands: operands.to_vec() };
        self.stepwise.then(|| Box::new(blame()))
    }

    /// Ends the run unless two sizes are equal.
    pub(super) fn same(&mut self, what: Agreement, a: Operand, b: Operand) {
        self.equal(Broken::Sizes(what.message()), a, b);
    }

    /// Ends the run unless sizes are equal, each to its partner.
    pub(super) fn all_same(&mut self, what: Agreement, a: &[Operand], b: &[Operand]) {
        a.iter().zip(b).for_each(|(a, b)| self.same(what, *a, *b));
    }

    /// Ends the run unless two operands are equal: with what is then wrong.
    pub(super) fn equal(&mut self, broken: Broken, a: Operand, b: Operand) {
        if a != b {
            let condition = self.scalar(ScalarOp::Equal, &[a, b]);
            // In a branch that no lane takes this may be wrong for nothing, and is looked into again.
            let mask = self.at.mask.filter(|_| self.stepwise);
            self.check_in(condition, mask, self.blame(broken, &[a, b]));
            if !self.stepwise {
                self.are_equal(a, b);
            }
        }
    }

    /// Ends the run unless a condition holds; code that reports faults says what is wrong, and with which operands.
    pub(super) fn check(&mut self, condition: Operand, broken: Broken, operands: &[Operand]) {
        self.check_in(condition, self.at.mask, self.blame(broken, operands));
    }

    pub(super) fn bounds(&mut self, index: Operand, length: Operand) {
        if !self.facts.is_within(index, length) {
            self.bounds_in(index, length, self.at.mask, self.blame(Broken::Bounds, &[index, length]));
        }
    }

    /// Ends the run unless an operand may be a size: it is not negative.
    pub(super) fn size(&mut self, size: Operand) -> Operand {
        self.size_unless(&[], size)
    }

    /// The same where none of these conditions holds.
    pub(super) fn size_unless(&mut self, excuses: &[Operand], size: Operand) -> Operand {
        if size.as_int().is_none_or(|n| n < 0) {
            let is_size = self.scalar(ScalarOp::LessOrEqual, &[Operand::int(0), size]);
            let condition = self.any(is_size, excuses);
            self.check(condition, Broken::Size, &[size]);
        }
        size
    }

    /// Whether one of these conditions holds.
    pub(super) fn any(&mut self, first: Operand, others: &[Operand]) -> Operand {
        others.iter().fold(first, |any, other| self.scalar(ScalarOp::Add, &[any, *other]))
    }

    /// Ends the run before the product of these sizes is beyond the largest array; then it may be beyond all numbers too.
    pub(super) fn bounded(&mut self, sizes: &[Operand]) {
        if sizes.len() < 2 {
            return;
        }
        // The product of two that are capped just above it does not wrap around, and what is capped is beyond it.
        let capped = |emit: &mut Self, size: Operand| match size.as_int() {
            Some(n) => Operand::int(n.min(LARGEST + 1)),
            None => emit.scalar(IntegerRow::Min, &[size, Operand::int(LARGEST + 1)]),
        };
        let mut count = sizes[0];
        for size in &sizes[1..] {
            let (a, b) = (capped(self, count), capped(self, *size));
            count = self.mul(a, b);
        }
        let condition = self.scalar(ScalarOp::LessOrEqual, &[count, Operand::int(LARGEST)]);
        self.check(condition, Broken::Able("an array of more than 2^31 elements"), &[]);
    }

    /// The length of arrays that have one length, or the run ends.
    pub(super) fn common_length(&mut self, what: Agreement, arrays: &[Array<'_>]) -> Operand {
        let length = arrays[0].sizes[0];
        arrays[1..].iter().for_each(|a| self.same(what, length, a.sizes[0]));
        length
    }

    /// A scalar operation, checked for having a value.
    pub(super) fn operation(&mut self, op: ScalarOp, operands: &[Operand]) -> Operand {
        if let ScalarOp::Integer(row) = op {
            self.has_value(row, operands);
        }
        self.scalar(op, operands)
    }

    fn has_value(&mut self, row: IntegerRow, operands: &[Operand]) {
        match row {
            IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem => {
                let zero = Operand::Const(self.prim(operands[1]).zero());
                if operands[1].as_int().is_none_or(|n| n == 0) {
                    let is_zero = self.scalar(ScalarOp::Equal, &[operands[1], zero]);
                    let condition = self.scalar(ScalarOp::Not, &[is_zero]);
                    self.check(condition, Broken::Value(row), operands);
                }
            }
            IntegerRow::Pow if !self.prim(operands[1]).is_signed() => {}
            IntegerRow::Pow => {
                let zero = Operand::Const(self.prim(operands[1]).zero());
                let condition = self.scalar(ScalarOp::LessOrEqual, &[zero, operands[1]]);
                self.check(condition, Broken::Value(row), operands);
            }
            IntegerRow::Neg | IntegerRow::Sub | IntegerRow::Min | IntegerRow::Max | IntegerRow::Abs => {}
            IntegerRow::Signum | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor => {}
            IntegerRow::Complement | IntegerRow::Shl | IntegerRow::Shr | IntegerRow::Ones => {}
            IntegerRow::LeadingZeros | IntegerRow::TrailingZeros | IntegerRow::MulHigh => {}
        }
    }
}
