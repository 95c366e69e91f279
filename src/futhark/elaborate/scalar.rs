//! Scalar operations of the language, as those of array programs.
//!
//! Law: an operation is the operation of the array program on the same kind. What the language has and array programs have not
//! are integers with zeros before them, and counts of bits that are `i32`.

use super::operand::{Operand, known_truth};
use super::site::Site;
use crate::array::{Atom, Body, Const, IntegerRow, Op, Prim, ScalarOp};
use crate::futhark::meaning::{Bits, Operation, Outcome};
use crate::futhark::source::Span;

impl Site {
    /// A scalar operation on operands of one kind.
    pub(super) fn operate(&self, at: Span, operation: Operation, kind: Prim, operands: &[Operand]) -> Outcome<Operand> {
        let x: Vec<Atom> = operands.iter().map(|operand| operand.atom).collect();
        let result = operation.result(kind);
        let count = |row: IntegerRow| self.cast(at, self.integer(at, row, &x)?, result);
        let atom = match operation {
            Operation::Scalar(op) => self.raw(at, op, &x)?,
            Operation::Bits(Bits::Ones) => count(IntegerRow::Ones)?,
            Operation::Bits(Bits::LeadingZeros) => count(IntegerRow::LeadingZeros)?,
            Operation::Bits(Bits::TrailingZeros) => count(IntegerRow::TrailingZeros)?,
            Operation::Bits(Bits::MultiplyHigh) => self.integer(at, IntegerRow::MulHigh, &x)?,
            Operation::Bits(Bits::To) => self.raw(at, ScalarOp::ToBits(kind), &x)?,
            Operation::Bits(Bits::From) => {
                let bits = self.cast(at, x[0], result.of_bits().unwrap_or(kind))?;
                self.raw(at, ScalarOp::FromBits(result), &[bits])?
            }
        };
        Ok(Operand::scalar(atom, result))
    }

    /// The scalar in another kind.
    pub(super) fn converted(&self, at: Span, from: Prim, to: Prim, x: Atom) -> Outcome<Atom> {
        let value = self.cast(at, x, to)?;
        if from.is_signed() && to.is_integer() && !to.is_signed() && from.bits() < to.bits() {
            // The language has zeros before the bits, where array programs have the sign; and so have derivatives.
            let count = Const::wrapped(1 << from.bits(), to);
            return self.integer(at, IntegerRow::Mod, &[value, count.into()]);
        }
        Ok(value)
    }

    /// One of two scalars that are computed only if they are needed.
    pub(super) fn either(
        &self,
        at: Span,
        condition: Atom,
        yes: impl FnOnce() -> Outcome<Atom>,
        no: impl FnOnce() -> Outcome<Atom>,
    ) -> Outcome<Atom> {
        match known_truth(condition) {
            Some(true) => return yes(),
            Some(false) => return no(),
            None => {}
        }
        let (yes, no) = (self.arm(at, yes)?, self.arm(at, no)?);
        self.one(at, Op::If(condition, Box::new(yes), Box::new(no)))
    }

    fn arm(&self, at: Span, inside: impl FnOnce() -> Outcome<Atom>) -> Outcome<Body> {
        self.open();
        let result = inside()?;
        Ok(self.close(at, vec![result])?.0)
    }

    /// Whether two scalars of a kind, or two arrays, are equal.
    pub(super) fn equal_to(&self, at: Span, first: &Operand, second: &Operand) -> Outcome<Atom> {
        if first.of.shape.is_empty() {
            return self.raw(at, ScalarOp::Equal, &[first.atom, second.atom]);
        }
        let sizes = self.sizes(at, first)?.into_iter().zip(self.sizes(at, second)?);
        let mut same = Atom::Const(Const::Bool(true));
        for (a, b) in sizes {
            let equal = if a == b { Atom::Const(Const::Bool(true)) } else { self.raw(at, ScalarOp::Equal, &[a, b])? };
            same = self.raw(at, ScalarOp::Mul, &[same, equal])?;
        }
        self.either(at, same, || self.equal_elements(at, first, second), || Ok(Atom::Const(Const::Bool(false))))
    }
}
