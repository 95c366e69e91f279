//! Scalar operations whose operands say what they are.
//!
//! Law: the value is the same, but for the sign of a zero sum. A product with zero is not rewritten, except of integers:
//! it is not zero where the other factor is infinite.

use smallvec::SmallVec;

use crate::array::{Atom, Const, IntegerRow, ScalarOp};
use crate::primitives::Primitive;

/// The value of a scalar operation, where an operand says that there is nothing to do.
pub(crate) fn fold(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let is = |k: usize, of: fn(Const) -> Const| matches!(x[k], Atom::Const(c) if c == of(c));
    let (zero, one) = (|k| is(k, |c| c.prim().zero()), |k| is(k, |c| c.prim().one()));
    // Either zero changes no sum.
    let none = |k: usize| zero(k) || matches!(x[k], Atom::Const(c) if negated(c) == Some(c.prim().zero()));
    let exact = |k: usize| matches!(x[k], Atom::Const(c) if !c.prim().is_real());
    match op {
        ScalarOp::Add if none(0) => Some(x[1]),
        ScalarOp::Add | ScalarOp::Row(Primitive::Sub) | ScalarOp::Integer(IntegerRow::Sub) if none(1) => Some(x[0]),
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
        ScalarOp::Row(Primitive::Neg) => match x[0] {
            Atom::Const(c) => negated(c).map(Atom::Const),
            Atom::Var(_) => None,
        },
        ScalarOp::Row(Primitive::StopGradient) if matches!(x[0], Atom::Const(_)) => Some(x[0]),
        ScalarOp::Convert(to) => match x[0] {
            Atom::Const(Const::Bool(b)) => Some(if b { to.one() } else { to.zero() }.into()),
            Atom::Const(_) | Atom::Var(_) => None,
        },
        // Integers and truth values have exact arithmetic, and reals exact comparisons.
        _ => compared(op, x).or_else(|| constants(op, x)),
    }
}

/// A real constant with the other sign, which is exact.
fn negated(c: Const) -> Option<Const> {
    match c {
        Const::F64(x) => Some(Const::F64(-x)),
        Const::F32(x) => Some(Const::F32(-x)),
        Const::Bool(_) | Const::I32(_) | Const::I64(_) => None,
    }
}

fn compared(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let real = |a: &Atom| match a {
        Atom::Const(Const::F64(value)) => Some(*value),
        Atom::Const(Const::F32(value)) => Some(f64::from(*value)),
        Atom::Const(_) | Atom::Var(_) => None,
    };
    let holds: fn(&f64, &f64) -> bool = match op {
        ScalarOp::Equal => f64::eq,
        ScalarOp::Less => f64::lt,
        ScalarOp::LessOrEqual => f64::le,
        _ => return None,
    };
    Some(Const::Bool(holds(&real(x.first()?)?, &real(x.get(1)?)?)).into())
}

fn constants(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let number = |a: &Atom| if let Atom::Const(Const::I64(n)) = a { Some(*n) } else { None };
    let numbers: SmallVec<[i64; 3]> = x.iter().map(number).collect::<Option<_>>()?;
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
