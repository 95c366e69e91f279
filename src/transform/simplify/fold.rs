//! Scalar operations whose operands say what they are.
//!
//! Law: the value is the same, but for the sign of a zero sum. A product with zero is not rewritten, except of integers:
//! it is not zero where the other factor is infinite.

use crate::array::{Atom, Const, IntegerRow, ScalarOp};
use crate::primitives::Primitive;

/// The value of a scalar operation, where an operand says that there is nothing to do.
pub(super) fn fold(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let is = |k: usize, of: fn(Const) -> Const| matches!(x[k], Atom::Const(c) if c == of(c));
    let (zero, one) = (|k| is(k, |c| c.prim().zero()), |k| is(k, |c| c.prim().one()));
    let exact = |k: usize| matches!(x[k], Atom::Const(c) if !c.prim().is_real());
    match op {
        ScalarOp::Add if zero(0) => Some(x[1]),
        ScalarOp::Add | ScalarOp::Row(Primitive::Sub) | ScalarOp::Integer(IntegerRow::Sub) if zero(1) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if one(0) => Some(x[1]),
        ScalarOp::Mul | ScalarOp::Scale | ScalarOp::Row(Primitive::Div) if one(1) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if zero(0) && exact(0) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if zero(1) && exact(1) => Some(x[1]),
        ScalarOp::Scale if zero(0) => Some(x[0]),
        ScalarOp::Row(Primitive::Select) if zero(0) => Some(x[2]),
        ScalarOp::Row(Primitive::Select) if one(0) || x[1] == x[2] => Some(x[1]),
        ScalarOp::Not => {
            if let Atom::Const(Const::Bool(b)) = x[0] {
                Some(Const::Bool(!b).into())
            } else {
                None
            }
        }
        // Integers and truth values have exact arithmetic.
        _ => constants(op, x),
    }
}

fn constants(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let numbers: Vec<i64> =
        x.iter().map(|a| if let Atom::Const(Const::I64(n)) = a { Some(*n) } else { None }).collect::<Option<_>>()?;
    let value = match op {
        ScalarOp::Add => Const::I64(numbers[0].wrapping_add(numbers[1])),
        ScalarOp::Mul => Const::I64(numbers[0].wrapping_mul(numbers[1])),
        ScalarOp::Integer(row) => Const::I64(row.value_i64(&numbers)?),
        ScalarOp::Equal => Const::Bool(numbers[0] == numbers[1]),
        ScalarOp::Less => Const::Bool(numbers[0] < numbers[1]),
        ScalarOp::LessOrEqual => Const::Bool(numbers[0] <= numbers[1]),
        ScalarOp::Scale | ScalarOp::Row(_) | ScalarOp::Not | ScalarOp::Convert(_) => return None,
        ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => return None,
    };
    Some(Atom::Const(value))
}
