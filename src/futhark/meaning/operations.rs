//! The table of scalar operations of the language: what each is made of, on which kinds.
//!
//! An operation is one that meanings give, or several of them together. Those that meanings give are the scalar operations of
//! [array programs](crate::array), the rows of the crate's two tables among them. So nothing is differentiated here: a row of
//! the table of primitives, or of integers, is by that table, and what is composed follows.
//!
//! Law: an operation has one row; what it is made of is the same in every meaning. The conventions at special points are those
//! of the language: `x ** y` has the derivative 0 by `x` where `x` is 0 and `y < 1`, and 0 by `y` where `x` is not positive
//! (tests/language/interpret.rs, tests/language/conversions.rs).

use super::{Meaning, Outcome};
use crate::array::{Const, IntegerRow, ScalarOp};
use crate::futhark::core::Prim;
use crate::futhark::source::{Message, Span};
use crate::primitives::Primitive;

/// An operation of the language: its name and what it is on reals, on integers and on truth values, if it is anything there.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name in the core language.
    pub name: &'static str,
    /// On `f16`, `f32` and `f64`.
    pub real: Option<Made>,
    /// On the eight kinds of integer.
    pub integer: Option<Made>,
    /// On `bool`.
    pub truth: Option<Made>,
}

/// What an operation is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Made {
    /// One that meanings give.
    One(ScalarOp),
    /// Several.
    Of(Composed),
}

/// Operations that are made of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table says what each is")]
pub enum Composed {
    Power,
    FloorRemainder,
    Truncate,
    RoundToEven,
    Gamma,
    CopySign,
    IsNan,
    IsInfinite,
    NotEqual,
    ToBits,
    FromBits,
    Count(IntegerRow),
}

const fn op(op: ScalarOp) -> Option<Made> {
    Some(Made::One(op))
}
const fn real(row: Primitive) -> Option<Made> {
    op(ScalarOp::Row(row))
}
const fn integer(row: IntegerRow) -> Option<Made> {
    op(ScalarOp::Integer(row))
}
const fn of(made: Composed) -> Option<Made> {
    Some(Made::Of(made))
}
const NO: Option<Made> = None;

/// The table.
pub const ROWS: &[Row] = &{
    use IntegerRow as Int;
    use Primitive as Real;
    const fn row(name: &'static str, real: Option<Made>, integer: Option<Made>, truth: Option<Made>) -> Row {
        Row { name, real, integer, truth }
    }
    const fn on_reals(name: &'static str, by: Primitive) -> Row {
        row(name, real(by), NO, NO)
    }
    [
        row("add", op(ScalarOp::Add), op(ScalarOp::Add), NO),
        row("sub", real(Real::Sub), integer(Int::Sub), NO),
        row("mul", op(ScalarOp::Mul), op(ScalarOp::Mul), NO),
        row("div", real(Real::Div), integer(Int::Div), NO),
        row("mod", of(Composed::FloorRemainder), integer(Int::Mod), NO),
        row("quot", real(Real::Div), integer(Int::Quot), NO),
        row("rem", NO, integer(Int::Rem), NO),
        row("pow", of(Composed::Power), integer(Int::Pow), NO),
        row("neg", real(Real::Neg), integer(Int::Neg), op(ScalarOp::Not)),
        row("and", NO, integer(Int::And), op(ScalarOp::Mul)),
        row("or", NO, integer(Int::Or), op(ScalarOp::Add)),
        row("xor", NO, integer(Int::Xor), of(Composed::NotEqual)),
        row("not", NO, integer(Int::Complement), op(ScalarOp::Not)),
        row("shl", NO, integer(Int::Shl), NO),
        row("shr", NO, integer(Int::Shr), NO),
        row("lt", op(ScalarOp::Less), op(ScalarOp::Less), op(ScalarOp::Less)),
        row("le", op(ScalarOp::LessOrEqual), op(ScalarOp::LessOrEqual), op(ScalarOp::LessOrEqual)),
        row("min", real(Real::Min), integer(Int::Min), op(ScalarOp::Mul)),
        row("max", real(Real::Max), integer(Int::Max), op(ScalarOp::Add)),
        row("abs", real(Real::Abs), integer(Int::Abs), NO),
        row("sgn", real(Real::Signum), integer(Int::Signum), NO),
        on_reals("sqrt", Real::Sqrt),
        on_reals("cbrt", Real::Cbrt),
        on_reals("exp", Real::Exp),
        on_reals("exp2", Real::Exp2),
        on_reals("expm1", Real::Expm1),
        on_reals("log", Real::Ln),
        on_reals("log2", Real::Log2),
        on_reals("log10", Real::Log10),
        on_reals("log1p", Real::Log1p),
        on_reals("sin", Real::Sin),
        on_reals("cos", Real::Cos),
        on_reals("tan", Real::Tan),
        on_reals("asin", Real::Asin),
        on_reals("acos", Real::Acos),
        on_reals("atan", Real::Atan),
        on_reals("sinh", Real::Sinh),
        on_reals("cosh", Real::Cosh),
        on_reals("tanh", Real::Tanh),
        on_reals("asinh", Real::Asinh),
        on_reals("acosh", Real::Acosh),
        on_reals("atanh", Real::Atanh),
        on_reals("atan2", Real::Atan2),
        on_reals("hypot", Real::Hypot),
        row("gamma", of(Composed::Gamma), NO, NO),
        on_reals("lgamma", Real::Lgamma),
        on_reals("erf", Real::Erf),
        on_reals("erfc", Real::Erfc),
        on_reals("floor", Real::Floor),
        on_reals("ceil", Real::Ceil),
        row("trunc", of(Composed::Truncate), NO, NO),
        row("round", of(Composed::RoundToEven), NO, NO),
        row("isnan", of(Composed::IsNan), NO, NO),
        row("isinf", of(Composed::IsInfinite), NO, NO),
        row("to_bits", of(Composed::ToBits), NO, NO),
        row("from_bits", NO, of(Composed::FromBits), NO),
        row("popc", NO, of(Composed::Count(Int::Ones)), NO),
        row("clz", NO, of(Composed::Count(Int::LeadingZeros)), NO),
        row("ctz", NO, of(Composed::Count(Int::TrailingZeros)), NO),
        row("mul_hi", NO, integer(Int::MulHigh), NO),
        on_reals("fma", Real::Fma),
        row("copysign", of(Composed::CopySign), NO, NO),
    ]
};

/// The row of an operation.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

impl Row {
    /// What it is on a kind.
    #[must_use]
    pub fn on(&self, kind: Prim) -> Option<Made> {
        if kind.is_real() {
            self.real
        } else if kind == Prim::Bool {
            self.truth
        } else {
            self.integer
        }
    }
}

/// An operation by name, in a meaning.
pub(super) fn apply<M: Meaning>(m: &M, at: Span, name: &str, kind: Prim, operands: &[M::Data]) -> Outcome<M::Data> {
    let made = row(name).and_then(|row| row.on(kind));
    let lacking = || Message::error("internal", at, format!("there is no operation `{name}` on {}", kind.name()));
    match made.ok_or_else(lacking)? {
        Made::One(op) => m.scalar(at, op, operands),
        Made::Of(composed) => compose(&Write { m, at, kind }, composed, operands),
    }
}

/// A scalar in another kind, as the language has it: an integer that becomes a wider one without a sign has zeros before its
/// bits, where array programs have the sign; and so have derivatives. A real that is infinite or NaN becomes the integer 0.
pub(super) fn convert<M: Meaning>(m: &M, at: Span, from: Prim, to: Prim, x: M::Data) -> Outcome<M::Data> {
    if from == to {
        return Ok(x);
    }
    // An infinite real becomes the integer 0, where array programs have the end of the kind.
    let x = if from.is_real() && to.is_integer() && !m.written(&x).is_some_and(f64::is_finite) {
        let w = Write { m, at, kind: from };
        w.select(compose(&w, Composed::IsInfinite, core::slice::from_ref(&x))?, &w.number(0.0), &x)?
    } else {
        x
    };
    let value = m.scalar(at, ScalarOp::Convert(to), &[x])?;
    if !from.is_signed() || !to.is_integer() || to.is_signed() || from.bits() >= to.bits() {
        return Ok(value);
    }
    let count = m.constant(Const::wrapped(1 << from.bits(), to));
    m.scalar(at, IntegerRow::Mod.into(), &[value, count])
}

/// Up to this many factors, a power is as accurate as their product.
const MOST_FACTORS: f64 = 16.0;

/// Writes operations on scalars of one kind.
struct Write<'m, M> {
    m: &'m M,
    at: Span,
    kind: Prim,
}

impl<M: Meaning> Write<'_, M> {
    fn number(&self, value: f64) -> M::Data {
        self.m.constant(Const::rounded(value, self.kind))
    }

    fn op(&self, op: impl Into<ScalarOp>, operands: &[&M::Data]) -> Outcome<M::Data> {
        let operands: Vec<M::Data> = operands.iter().map(|x| (*x).clone()).collect();
        self.m.scalar(self.at, op.into(), &operands)
    }

    /// One of two numbers; both are evaluated, and the other has no effect on the result.
    fn select(&self, condition: M::Data, yes: &M::Data, no: &M::Data) -> Outcome<M::Data> {
        let condition = convert(self.m, self.at, Prim::Bool, self.kind, condition)?;
        self.op(Primitive::Select, &[&condition, yes, no])
    }

    fn less(&self, x: &M::Data, y: &M::Data) -> Outcome<M::Data> {
        self.op(ScalarOp::Less, &[x, y])
    }
}

fn compose<M: Meaning>(w: &Write<'_, M>, composed: Composed, operands: &[M::Data]) -> Outcome<M::Data> {
    let (x, zero, one) = (&operands[0], &w.number(0.0), &w.number(1.0));
    match composed {
        // The table's power has its conventions at 0; what the language's does not feel is held still.
        Composed::Power => {
            let y = &operands[1];
            // Powers by whole numbers have no corners: they are products.
            match w.m.written(y) {
                Some(1.0) => return Ok(x.clone()),
                Some(n) if (2.0..=MOST_FACTORS).contains(&n) && n.fract() == 0.0 => {
                    return w.op(Primitive::Powi(n as i32), &[x]);
                }
                Some(_) | None => {}
            }
            let still = w.op(Primitive::StopGradient, &[y])?;
            let exponent = w.select(w.less(zero, x)?, y, &still)?;
            let flat = w.op(ScalarOp::Mul, &[&w.op(ScalarOp::Equal, &[x, zero])?, &w.less(y, one)?])?;
            let still = w.op(Primitive::StopGradient, &[x])?;
            let base = w.select(flat, &still, x)?;
            w.op(Primitive::Pow, &[&base, &exponent])
        }
        Composed::FloorRemainder => {
            let y = &operands[1];
            let quotient = w.op(Primitive::Floor, &[&w.op(Primitive::Div, &[x, y])?])?;
            w.op(Primitive::Sub, &[x, &w.op(ScalarOp::Mul, &[y, &quotient])?])
        }
        Composed::Truncate => {
            let size = w.op(Primitive::Floor, &[&w.op(Primitive::Abs, &[x])?])?;
            w.op(ScalarOp::Mul, &[&w.op(Primitive::Signum, &[x])?, &size])
        }
        Composed::RoundToEven => {
            // Halves go away from 0, and come back from odd numbers: those with a half that is not whole.
            let rounded = w.op(Primitive::Round, &[x])?;
            let distance = w.op(Primitive::Sub, &[&rounded, x])?;
            let half = w.number(0.5);
            let tie = w.op(ScalarOp::Equal, &[&w.op(Primitive::Abs, &[&distance])?, &half])?;
            let halved = w.op(ScalarOp::Mul, &[&rounded, &half])?;
            let even = w.op(ScalarOp::Equal, &[&w.op(Primitive::Floor, &[&halved])?, &halved])?;
            let odd = w.op(ScalarOp::Not, &[&even])?;
            let back = w.op(Primitive::Sub, &[&rounded, &w.op(Primitive::Signum, &[x])?])?;
            w.select(w.op(ScalarOp::Mul, &[&tie, &odd])?, &back, &rounded)
        }
        Composed::Gamma => {
            // The sign below 0 changes at every pole.
            let floor = w.op(Primitive::Floor, &[x])?;
            let halved = w.op(ScalarOp::Mul, &[&floor, &w.number(0.5)])?;
            let even = w.op(ScalarOp::Equal, &[&w.op(Primitive::Floor, &[&halved])?, &halved])?;
            let negative = w.op(ScalarOp::Mul, &[&w.less(x, zero)?, &w.op(ScalarOp::Not, &[&even])?])?;
            let size = w.op(Primitive::Exp, &[&w.op(Primitive::Lgamma, &[x])?])?;
            let sign = w.select(negative, &w.number(-1.0), one)?;
            w.op(ScalarOp::Mul, &[&sign, &size])
        }
        Composed::CopySign => {
            let y = &operands[1];
            let below = w.less(&w.op(Primitive::Recip, &[y])?, zero)?;
            let negative = w.op(ScalarOp::Add, &[&below, &w.less(y, zero)?])?;
            let sign = w.select(negative, &w.number(-1.0), one)?;
            w.op(ScalarOp::Mul, &[&w.op(Primitive::Abs, &[x])?, &sign])
        }
        Composed::IsNan => w.op(ScalarOp::Not, &[&w.op(ScalarOp::Equal, &[x, x])?]),
        Composed::IsInfinite => w.op(ScalarOp::Equal, &[&w.op(Primitive::Abs, &[x])?, &w.number(f64::INFINITY)]),
        Composed::NotEqual => w.op(ScalarOp::Not, &[&w.op(ScalarOp::Equal, &[x, &operands[1]])?]),
        Composed::ToBits => w.op(ScalarOp::ToBits(w.kind), &[x]),
        Composed::FromBits => {
            let of_bits = |real: Prim| Some((real, real.of_bits().filter(|bits| bits.bits() == w.kind.bits())?));
            let (real, kind) = Prim::ALL.into_iter().find_map(of_bits).unwrap_or((Prim::F64, Prim::U64));
            let bits = convert(w.m, w.at, w.kind, kind, x.clone())?;
            w.op(ScalarOp::FromBits(real), &[&bits])
        }
        Composed::Count(row) => convert(w.m, w.at, w.kind, Prim::I32, w.op(row, &[x])?),
    }
}
