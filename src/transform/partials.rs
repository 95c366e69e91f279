//! The partial derivatives of scalar operations, by the rows of the tables.
//!
//! Law: on reals, dual numbers over three partials, since no operation has more operands, are run on the carrier that
//! writes, so every partial is the table's. Integers and truth values follow the rules of their own ring: arithmetic
//! wraps, "or" is the sum and "and" the product; a quotient has the partials `1 quot y` and `−(x quot y) quot y`.
//! Conversions are linear, and what takes bits takes those of derivatives too (laws: zero_factors, laws: array_exact).

use generic_array::typenum::U3;
use num_traits::Zero;
use smallvec::{SmallVec, smallvec};

use super::emit::Emit;
use super::target::Target;
use crate::array::{Atom, Const, IntegerRow, Prim, ScalarOp};
use crate::carriers::{Dense, Dual};
use crate::primitives::ZeroRule;

/// How a result changes with one operand.
pub(super) enum Partial {
    /// By this factor, of the kind of the operands and of the result, which can be one of these.
    Factor(Atom, ZeroRule),
    /// By conversion to this kind.
    Converted(Prim),
    /// By taking its bits, or a real for bits.
    Bits(ScalarOp),
}

impl Partial {
    /// The tangent of the result, from that of the operand, which is of this kind.
    pub(super) fn push(&self, target: &Target, tangent: Atom) -> Atom {
        match *self {
            Partial::Factor(factor, zero_rule) => {
                let of = target.type_of(tangent).prim;
                Emit::operand(target, tangent).scaled(Emit::operand(target, factor), zero_rule).atom(of)
            }
            Partial::Converted(to) => convert(target, tangent, to),
            Partial::Bits(op) => target.scalar(op, &[tangent]),
        }
    }

    /// The adjoint of the operand, of kind `of`, from that of the result.
    pub(super) fn pull(&self, target: &Target, adjoint: Atom, of: Prim) -> Atom {
        match self {
            Partial::Factor(..) => self.push(target, adjoint),
            Partial::Converted(_) => convert(target, adjoint, of),
            Partial::Bits(ScalarOp::FromBits(real)) => target.scalar(ScalarOp::ToBits(*real), &[adjoint]),
            Partial::Bits(_) => target.scalar(ScalarOp::FromBits(of), &[adjoint]),
        }
    }
}

fn convert(target: &Target, atom: Atom, to: Prim) -> Atom {
    if target.is_zero(atom) {
        return to.zero().into();
    }
    let from = target.type_of(atom).prim;
    if from == to {
        return atom;
    }
    let convert = |x: Atom, to: Prim| target.scalar(ScalarOp::Convert(to), &[x]);
    // A derivative may be negative, whatever the kind of integers is: it wraps.
    if from.is_real() && to.is_integer() && to != Prim::I64 {
        convert(convert(atom, Prim::I64), to)
    } else {
        convert(atom, to)
    }
}

/// No operation has more operands.
const MOST: usize = 3;

/// For each operand: how the result of an operation changes with it; `None` for not at all, and where it is not asked.
pub(super) fn partials(
    target: &Target,
    op: ScalarOp,
    operands: &[Atom],
    asked: impl Fn(usize) -> bool,
) -> SmallVec<[Option<Partial>; MOST]> {
    let prim = target.type_of(operands[0]).prim;
    match op {
        ScalarOp::Add | ScalarOp::Mul | ScalarOp::Row(_) => {
            type Number<'t> = Dual<Emit<'t>, Dense<Emit<'t>, U3>>;
            let number = |(i, atom): (usize, &Atom)| {
                let value = Emit::operand(target, *atom);
                if asked(i) { Dual::variable(value, i) } else { Dual::lift(value) }
            };
            let x: SmallVec<[Number<'_>; MOST]> = operands.iter().enumerate().map(number).collect();
            let z = match op {
                ScalarOp::Add => x[0] + x[1],
                ScalarOp::Mul => x[0] * x[1],
                ScalarOp::Row(row) => row.apply(&x),
                _ => unreachable!("the outer match has taken the others"),
            };
            let zero_rule = if let ScalarOp::Row(row) = op { row.facts().zero_rule } else { ZeroRule::Ieee };
            // A factor that is written as 0 is a number like any other: times an infinite derivative it is NaN.
            let is_nothing = |p: &Emit<'_>| p.is_zero() && (zero_rule == ZeroRule::ZeroPartialWins || !prim.is_real());
            let asked = |i: usize| asked(i) && depends(op, i);
            let partial = |i| Some(z.tangent[i]).filter(|p| asked(i) && !is_nothing(p));
            let partial = |i| partial(i).map(|p| Partial::Factor(p.atom(prim), zero_rule));
            (0..operands.len()).map(partial).collect()
        }
        ScalarOp::Scale => {
            let factor = |i: usize, zero_rule| asked(i).then(|| Partial::Factor(operands[1 - i], zero_rule));
            smallvec![factor(0, ZeroRule::ZeroTangentWins), factor(1, ZeroRule::ZeroPartialWins)]
        }
        ScalarOp::Integer(row) => {
            let factor = |i: usize| {
                let factor = if asked(i) { integer(&(target, prim), row, i, operands) } else { None };
                factor.map(|factor| Partial::Factor(factor, ZeroRule::Ieee))
            };
            (0..operands.len()).map(factor).collect()
        }
        ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => smallvec![None, None],
        ScalarOp::Not => smallvec![asked(0).then(|| Partial::Factor(prim.one().into(), ZeroRule::Ieee))],
        ScalarOp::Convert(to) => smallvec![asked(0).then_some(Partial::Converted(to))],
        ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => smallvec![asked(0).then_some(Partial::Bits(op))],
    }
}

/// Whether the result of an operation changes with an operand at all.
pub(super) fn depends(op: ScalarOp, operand: usize) -> bool {
    match op {
        ScalarOp::Row(row) => !row.facts().flat[operand],
        ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale | ScalarOp::Not | ScalarOp::Convert(_) => true,
        ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => true,
        ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => false,
        ScalarOp::Integer(row) => match row {
            IntegerRow::Neg | IntegerRow::Sub | IntegerRow::Div | IntegerRow::Mod => true,
            IntegerRow::Quot | IntegerRow::Rem | IntegerRow::Min | IntegerRow::Max => true,
            IntegerRow::Abs | IntegerRow::Complement => true,
            IntegerRow::Pow | IntegerRow::Shl | IntegerRow::Shr => operand == 0,
            IntegerRow::Signum | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor => false,
            IntegerRow::Ones | IntegerRow::LeadingZeros | IntegerRow::TrailingZeros | IntegerRow::MulHigh => false,
        },
    }
}

/// What the partial derivatives of integers are written in: numbers of one kind of integer.
pub(crate) trait Integers {
    /// A number.
    type Number: Clone;

    /// A small constant.
    fn number(&self, n: i64) -> Self::Number;

    /// An operation that has a value wherever that of the row has.
    fn write(&self, op: ScalarOp, x: &[Self::Number]) -> Self::Number;

    /// A comparison, as 0 or 1.
    fn test(&self, op: ScalarOp, x: &[Self::Number]) -> Self::Number;
}

impl Integers for (&Target, Prim) {
    type Number = Atom;

    fn number(&self, n: i64) -> Atom {
        Const::wrapped(n.into(), self.1).into()
    }

    fn write(&self, op: ScalarOp, x: &[Atom]) -> Atom {
        self.0.scalar(op, x)
    }

    fn test(&self, op: ScalarOp, x: &[Atom]) -> Atom {
        self.0.scalar(ScalarOp::Convert(self.1), &[self.0.scalar(op, x)])
    }
}

/// The partial derivative of a row of the table of integers; `None` where it is 0.
pub(crate) fn integer<W: Integers>(w: &W, row: IntegerRow, operand: usize, x: &[W::Number]) -> Option<W::Number> {
    if !depends(ScalarOp::Integer(row), operand) {
        return None;
    }
    let write = |row: IntegerRow, x: &[W::Number]| w.write(row.into(), x);
    let (first, second) = (|| x[0].clone(), || x[1].clone());
    Some(match (row, operand) {
        (IntegerRow::Sub | IntegerRow::Mod | IntegerRow::Rem, 0) => w.number(1),
        (IntegerRow::Neg | IntegerRow::Complement | IntegerRow::Sub, _) => w.number(-1),
        (IntegerRow::Div | IntegerRow::Quot, 0) => write(IntegerRow::Quot, &[w.number(1), second()]),
        (IntegerRow::Div | IntegerRow::Quot, _) => {
            let quotient = write(row, x);
            write(IntegerRow::Neg, &[write(row, &[quotient, second()])])
        }
        // x mod y = x − y (x div y), where the quotient stands still.
        (IntegerRow::Mod, _) => write(IntegerRow::Neg, &[write(IntegerRow::Div, x)]),
        (IntegerRow::Rem, _) => write(IntegerRow::Neg, &[write(IntegerRow::Quot, x)]),
        // At a tie the first counts.
        (IntegerRow::Min, 0) => w.test(ScalarOp::LessOrEqual, &[first(), second()]),
        (IntegerRow::Min, _) => w.test(ScalarOp::Less, &[second(), first()]),
        (IntegerRow::Max, 0) => w.test(ScalarOp::LessOrEqual, &[second(), first()]),
        (IntegerRow::Max, _) => w.test(ScalarOp::Less, &[first(), second()]),
        (IntegerRow::Abs, _) => write(IntegerRow::Signum, x),
        (IntegerRow::Pow, _) => {
            // The exponent 0 has the factor 0, so its power may be any.
            let less = write(IntegerRow::Max, &[write(IntegerRow::Sub, &[second(), w.number(1)]), w.number(0)]);
            w.write(ScalarOp::Mul, &[second(), write(IntegerRow::Pow, &[first(), less])])
        }
        // Moved bits are multiplied, or divided, by this; the remainder is lost.
        (IntegerRow::Shl, _) => write(IntegerRow::Shl, &[w.number(1), second()]),
        (IntegerRow::Shr, _) => write(IntegerRow::Shr, &[w.number(1), second()]),
        (IntegerRow::Signum | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor, _) => return None,
        (IntegerRow::Ones | IntegerRow::LeadingZeros | IntegerRow::TrailingZeros | IntegerRow::MulHigh, _) => {
            return None;
        }
    })
}
