//! Scalar operations of the language, as those of array programs.
//!
//! Law: an operation is the operation of the array program on the same kind (tests/language/elaborate.rs).

use super::operand::{Operand, known_truth};
use super::site::Site;
use crate::array::{Atom, Const, Prim, ScalarOp};
use crate::futhark::meaning::{Control, Outcome, Scalars};
use crate::futhark::source::Span;

impl Scalars for Site {
    type Data = Operand;

    const CONCRETE: bool = false;

    const CALLS: u32 = 100;

    fn constant(&self, constant: Const) -> Operand {
        Operand::scalar(constant.into(), constant.prim())
    }

    fn scalar(&self, at: Span, op: ScalarOp, operands: &[Operand]) -> Outcome<Operand> {
        let x: Vec<Atom> = operands.iter().map(|operand| operand.atom).collect();
        let kinds: Vec<Prim> = operands.iter().map(|operand| operand.of.kind).collect();
        let result = op.result(&kinds).expect("operands are of the kinds that the checker has found");
        Ok(Operand::scalar(self.raw(at, op, &x)?, result))
    }

    fn equal(&self, at: Span, first: &Operand, second: &Operand) -> Outcome<Operand> {
        Ok(Operand::scalar(self.equal_to(at, first, second)?, Prim::Bool))
    }

    fn decide(&self, condition: &Operand) -> Option<bool> {
        known_truth(condition.atom)
    }

    fn written(&self, real: &Operand) -> Option<f64> {
        if let Atom::Const(constant) = real.atom { constant.real() } else { None }
    }
}

impl Site {
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
        let elements = |same: bool| match same {
            true => self.equal_elements(at, first, second),
            false => Ok(Atom::Const(Const::Bool(false))),
        };
        if let Some(known) = known_truth(same) {
            return elements(known);
        }
        let mut arm = |same| Ok(vec![Operand::scalar(elements(same)?, Prim::Bool)]);
        Ok(self.branch(at, &Operand::scalar(same, Prim::Bool), &mut arm)?[0].atom)
    }
}
