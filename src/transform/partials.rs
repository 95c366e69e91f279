//! The partial derivatives of scalar operations, by the rows of the tables.
//!
//! Law: on reals, dual numbers over three partials, since no operation has more operands, are run on the carrier that
//! writes, so every partial is the table's. Integers and truth values follow the rules of their own ring: arithmetic
//! wraps, "or" is the sum and "and" the product; a quotient has the partials `1 quot y` and `−(x quot y) quot y`.
//! Conversions are linear, and what takes bits takes those of derivatives too (laws: zero_factors, laws: array_exact).

use generic_array::typenum::U3;
use num_traits::Zero;
use smallvec::SmallVec;

use super::emit::Emit;
use super::target::Target;
use crate::array::{Atom, Const, IntegerRow, Prim, ScalarOp};
use crate::carriers::{Dense, Dual};
use crate::primitives::ZeroRule;
use crate::term::ErasedRule;

/// How a result changes with one operand.
#[derive(Debug, Clone)]
pub(crate) enum Partial<N> {
    /// As the operand does.
    One,
    /// By this factor, of the kind of the operands and of the result, which can be one of these.
    Factor(N, ZeroRule),
    /// By conversion from a kind to another.
    Converted(Prim, Prim),
    /// By taking its bits, or a real for bits: by an operation, which has an inverse.
    Bits(ScalarOp, ScalarOp),
}

/// How a result changes with each operand; `None` for not at all, and where it is not asked.
pub(crate) type ByOperand<N> = SmallVec<[Option<Partial<N>>; MAX_OPERANDS]>;

/// What partial derivatives are written in: scalars of every kind, and operations on them.
pub(crate) trait Writer {
    /// A scalar.
    type Number: Clone;

    /// The kind of a scalar.
    fn prim(&self, x: &Self::Number) -> Prim;

    /// A constant.
    fn constant(&self, constant: Const) -> Self::Number;

    /// An operation, which has a value wherever the one that is differentiated has.
    fn write(&self, op: ScalarOp, x: &[Self::Number]) -> Self::Number;

    /// The partial derivatives of a sum, a product, or a row of the table of primitives.
    fn by_table(&self, op: ScalarOp, x: &[Self::Number], asked: &dyn Fn(usize) -> bool) -> ByOperand<Self::Number>;

    /// A derivative multiplied by a factor, as [`Dual`] does it by this rule for zeros; `None` if nothing is left.
    fn scaled(&self, derivative: Self::Number, factor: &Self::Number, zero_rule: ZeroRule) -> Option<Self::Number>;
}

impl<N: Clone> Partial<N> {
    /// The tangent of the result, from that of the operand.
    pub(crate) fn push<W: Writer<Number = N>>(&self, writer: &W, tangent: N) -> Option<N> {
        match self {
            Partial::One => Some(tangent),
            Partial::Factor(factor, zero_rule) => writer.scaled(tangent, factor, *zero_rule),
            Partial::Converted(_, to) => Some(convert(writer, tangent, *to)),
            Partial::Bits(there, _) => Some(writer.write(*there, &[tangent])),
        }
    }

    /// The adjoint of the operand, from that of the result.
    pub(crate) fn pull<W: Writer<Number = N>>(&self, writer: &W, adjoint: N) -> Option<N> {
        match self {
            Partial::One | Partial::Factor(..) => self.push(writer, adjoint),
            Partial::Converted(from, _) => Some(convert(writer, adjoint, *from)),
            Partial::Bits(_, back) => Some(writer.write(*back, &[adjoint])),
        }
    }
}

/// A derivative in another kind.
fn convert<W: Writer>(writer: &W, derivative: W::Number, to: Prim) -> W::Number {
    let from = writer.prim(&derivative);
    if from == to {
        return derivative;
    }
    let convert = |x, to| writer.write(ScalarOp::Convert(to), &[x]);
    // A derivative may be negative, whatever the kind of integers is: it wraps.
    if from.is_real() && to.is_integer() && to != Prim::I64 {
        convert(convert(derivative, Prim::I64), to)
    } else {
        convert(derivative, to)
    }
}

/// No operation has more operands.
const MAX_OPERANDS: usize = 3;

/// How the result of an operation changes with each operand for which `asked` holds.
pub(crate) fn partials<W: Writer>(
    writer: &W,
    op: ScalarOp,
    x: &[W::Number],
    asked: impl Fn(usize) -> bool,
) -> ByOperand<W::Number> {
    let each = |partial: &dyn Fn(usize) -> Option<Partial<W::Number>>| {
        (0..x.len()).map(|i| if asked(i) { partial(i) } else { None }).collect()
    };
    match op {
        ScalarOp::Add | ScalarOp::Mul | ScalarOp::Row(_) => writer.by_table(op, x, &asked),
        ScalarOp::Scale => each(&|i| {
            Some(Partial::Factor(x[1 - i].clone(), [ZeroRule::ZeroTangentWins, ZeroRule::ZeroPartialWins][i]))
        }),
        ScalarOp::Integer(row) => {
            each(&|i| integer(writer, row, i, x).map(|factor| Partial::Factor(factor, ZeroRule::Ieee)))
        }
        ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => each(&|_| None),
        ScalarOp::Not => each(&|_| Some(Partial::One)),
        ScalarOp::Convert(to) => each(&|_| Some(Partial::Converted(writer.prim(&x[0]), to))),
        ScalarOp::ToBits(of) => each(&|_| Some(Partial::Bits(op, ScalarOp::FromBits(of)))),
        ScalarOp::FromBits(of) => each(&|_| Some(Partial::Bits(op, ScalarOp::ToBits(of)))),
    }
}

/// A program that is being written.
impl Writer for Target {
    type Number = Atom;

    fn prim(&self, x: &Atom) -> Prim {
        self.type_of(*x).prim
    }

    fn constant(&self, constant: Const) -> Atom {
        constant.into()
    }

    fn write(&self, op: ScalarOp, x: &[Atom]) -> Atom {
        match op {
            ScalarOp::Convert(to) if self.is_zero(x[0]) => to.zero().into(),
            _ => self.scalar(op, x),
        }
    }

    fn by_table(&self, op: ScalarOp, x: &[Atom], asked: &dyn Fn(usize) -> bool) -> ByOperand<Atom> {
        type Number<'t> = Dual<Emit<'t>, Dense<Emit<'t>, U3>>;
        let prim = self.prim(&x[0]);
        let number = |(i, atom): (usize, &Atom)| {
            let value = Emit::operand(self, *atom);
            if asked(i) { Dual::variable(value, i) } else { Dual::lift(value) }
        };
        let numbers: SmallVec<[Number<'_>; MAX_OPERANDS]> = x.iter().enumerate().map(number).collect();
        let (z, zero_rule) = match op {
            ScalarOp::Row(row) => (row.apply(&numbers), row.facts().zero_rule),
            ScalarOp::Mul => (numbers[0] * numbers[1], ZeroRule::Ieee),
            _ => (numbers[0] + numbers[1], ZeroRule::Ieee),
        };
        // A factor that is written as 0 is a number like any other: times an infinite derivative it is NaN.
        let is_nothing = |p: &Emit<'_>| p.is_zero() && (zero_rule == ZeroRule::ZeroPartialWins || !prim.is_real());
        let partial = |i| Some(z.tangent[i]).filter(|p| asked(i) && depends(op, i) && !is_nothing(p));
        (0..x.len()).map(|i| partial(i).map(|p| Partial::Factor(p.atom(prim), zero_rule))).collect()
    }

    fn scaled(&self, derivative: Atom, factor: &Atom, zero_rule: ZeroRule) -> Option<Atom> {
        let product = Emit::operand(self, derivative).scaled(Emit::operand(self, *factor), zero_rule);
        Some(product.atom(self.prim(&derivative)))
    }
}

/// How the value `z` of a user's rule changes with each operand for which `asked` holds: by the rule's own partial derivatives.
pub(super) fn of_rule(
    target: &Target,
    rule: &ErasedRule,
    x: &[Atom],
    z: Atom,
    asked: impl Fn(usize) -> bool,
) -> ByOperand<Atom> {
    let prim = target.type_of(z).prim;
    let numbers: SmallVec<[Emit<'_>; MAX_OPERANDS]> = x.iter().map(|x| Emit::operand(target, *x)).collect();
    let z = Emit::operand(target, z);
    let partial = |i| Partial::Factor(rule.partial(i, &numbers, z).atom(prim), rule.facts().zero_rule);
    (0..x.len()).map(|i| asked(i).then(|| partial(i))).collect()
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

/// The partial derivative of a row of the table of integers; `None` where it is 0.
fn integer<W: Writer>(w: &W, row: IntegerRow, operand: usize, x: &[W::Number]) -> Option<W::Number> {
    if !depends(ScalarOp::Integer(row), operand) {
        return None;
    }
    let kind = w.prim(&x[0]);
    let number = |n: i128| w.constant(Const::wrapped(n, kind));
    let write = |row: IntegerRow, x: &[W::Number]| w.write(row.into(), x);
    let test = |op: ScalarOp, x: &[W::Number]| w.write(ScalarOp::Convert(kind), &[w.write(op, x)]);
    let (first, second) = (|| x[0].clone(), || x[1].clone());
    Some(match (row, operand) {
        (IntegerRow::Sub | IntegerRow::Mod | IntegerRow::Rem, 0) => number(1),
        (IntegerRow::Neg | IntegerRow::Complement | IntegerRow::Sub, _) => number(-1),
        (IntegerRow::Div | IntegerRow::Quot, 0) => write(IntegerRow::Quot, &[number(1), second()]),
        (IntegerRow::Div | IntegerRow::Quot, _) => {
            let quotient = write(row, x);
            write(IntegerRow::Neg, &[write(row, &[quotient, second()])])
        }
        // x mod y = x − y (x div y), where the quotient stands still.
        (IntegerRow::Mod, _) => write(IntegerRow::Neg, &[write(IntegerRow::Div, x)]),
        (IntegerRow::Rem, _) => write(IntegerRow::Neg, &[write(IntegerRow::Quot, x)]),
        // At a tie the first counts.
        (IntegerRow::Min, 0) => test(ScalarOp::LessOrEqual, &[first(), second()]),
        (IntegerRow::Min, _) => test(ScalarOp::Less, &[second(), first()]),
        (IntegerRow::Max, 0) => test(ScalarOp::LessOrEqual, &[second(), first()]),
        (IntegerRow::Max, _) => test(ScalarOp::Less, &[first(), second()]),
        (IntegerRow::Abs, _) => write(IntegerRow::Signum, x),
        (IntegerRow::Pow, _) => {
            // The exponent 0 has the factor 0, so its power may be any.
            let less = write(IntegerRow::Max, &[write(IntegerRow::Sub, &[second(), number(1)]), number(0)]);
            w.write(ScalarOp::Mul, &[second(), write(IntegerRow::Pow, &[first(), less])])
        }
        // Moved bits are multiplied, or divided, by this; the remainder is lost.
        (IntegerRow::Shl, _) => write(IntegerRow::Shl, &[number(1), second()]),
        (IntegerRow::Shr, _) => write(IntegerRow::Shr, &[number(1), second()]),
        (IntegerRow::Signum | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor, _) => return None,
        (IntegerRow::Ones | IntegerRow::LeadingZeros | IntegerRow::TrailingZeros | IntegerRow::MulHigh, _) => {
            return None;
        }
    })
}
