//! Scalar operations whose operands say what they are.
//!
//! Law: the value is the same, but for the sign of a zero sum. A product with zero is not rewritten, except of
//! integers: it is not zero where the other factor is infinite (tests/transform/simplify.rs, laws: simplification).

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
        // The sum of truth values is "or".
        ScalarOp::Add if is(0, |_| Const::Bool(true)) => Some(x[0]),
        ScalarOp::Add if is(1, |_| Const::Bool(true)) => Some(x[1]),
        ScalarOp::Add | ScalarOp::Row(Primitive::Sub) | ScalarOp::Integer(IntegerRow::Sub) if none(1) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if one(0) => Some(x[1]),
        ScalarOp::Mul | ScalarOp::Scale | ScalarOp::Row(Primitive::Div) if one(1) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if zero(0) && exact(0) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if zero(1) && exact(1) => Some(x[1]),
        ScalarOp::Scale if zero(0) => Some(x[0]),
        ScalarOp::Row(Primitive::Powi(1)) => Some(x[0]),
        ScalarOp::Row(Primitive::Select) if zero(0) => Some(x[2]),
        ScalarOp::Row(Primitive::Select) if one(0) || x[1] == x[2] => Some(x[1]),
        ScalarOp::Row(Primitive::Neg) => match x[0] {
            Atom::Const(c) => negated(c).map(Atom::Const),
            Atom::Var(_) => None,
        },
        ScalarOp::Row(Primitive::StopGradient) if matches!(x[0], Atom::Const(_)) => Some(x[0]),
        // Integers and truth values have exact arithmetic, and reals exact comparisons.
        _ => compared(op, x).or_else(|| constants(op, x)),
    }
}

/// A real constant with the other sign, which is exact.
fn negated(c: Const) -> Option<Const> {
    c.real().map(|x| Const::rounded(-x, c.prim()))
}

fn compared(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let real = |a: &Atom| if let Atom::Const(value) = a { value.real() } else { None };
    op.compared(&real(x.first()?)?, &real(x.get(1)?)?).map(Atom::Const)
}

fn constants(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let constant = |a: &Atom| if let Atom::Const(constant) = a { Some(*constant) } else { None };
    let constants: SmallVec<[Const; 3]> = x.iter().map(constant).collect::<Option<_>>()?;
    op.value(&constants).map(Atom::Const)
}
