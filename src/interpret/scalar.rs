//! Scalar operations: each row of the two tables on values.
//!
//! Law: reals are combined by the carrier alone, so every run is a homomorphic image of the run on terms; integers wrap, and
//! what has no value is an error.

use super::budget::{Fault, Step};
use super::compare::{Compare, Test};
use super::eval::Machine;
use super::value::{Scalar, Value};
use crate::algebra::Module;
use crate::array::{Const, Custom, IntegerRow, Prim, ScalarOp, Var};
use crate::error::Span;

/// The sum, or "or".
fn sum<C: Compare>(a: Scalar<C>, b: Scalar<C>) -> Scalar<C> {
    match (a, b) {
        (Scalar::Real(a), Scalar::Real(b)) => Scalar::Real(a + b),
        (Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(a.wrapping_add(b)),
        (Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.wrapping_add(b)),
        (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(a | b),
        _ => panic!("{VERIFIED}"),
    }
}

/// The invariant that a verified program keeps.
pub(crate) const VERIFIED: &str = "operands are of the types that the verifier has checked";

/// What the machine asks of scalars, and all that it asks: values from the carrier, and plain answers where the course
/// of the run depends on them.
pub(crate) trait Arithmetic: Clone {
    /// What operations and answers are noted in; nothing for numbers, and the trace for what is traced.
    type Log;

    /// A constant of the program.
    fn constant(constant: Const) -> Scalar<Self>;

    /// The value of a scalar operation.
    fn apply(log: &Self::Log, op: ScalarOp, operands: &[Scalar<Self>]) -> Step<Scalar<Self>>;

    /// The truth value that a scalar is, for a decision.
    fn truth(log: &Self::Log, scalar: &Scalar<Self>) -> bool;

    /// The index, size or number of iterations that a scalar is.
    fn index(log: &Self::Log, scalar: &Scalar<Self>) -> i64;

    /// Whether a scalar is of a kind that sizes are of.
    fn is_index(scalar: &Scalar<Self>) -> bool;

    /// Says where the statement comes from that is carried out next, for who takes it down, and answers what was said before.
    fn span(_: &Self::Log, _: Span) -> Span {
        Span::UNKNOWN
    }

    /// What a variable is bound to, for who takes it down.
    fn bound(_: &Self::Log, _: Var, value: Value<Self>) -> Value<Self> {
        value
    }

    /// The results of a function with derivatives of its own, where they are not just those of the function.
    fn custom(_: &mut Machine<'_, Self>, _: &Custom, _: &[Value<Self>]) -> Step<Option<Vec<Value<Self>>>> {
        Ok(None)
    }
}

/// Numbers compute, and note nothing.
impl<C: Compare> Arithmetic for C {
    type Log = ();

    fn constant(constant: Const) -> Scalar<C> {
        match constant {
            Const::Bool(b) => Scalar::Bool(b),
            Const::I32(n) => Scalar::I32(n),
            Const::I64(n) => Scalar::I64(n),
            Const::F32(x) => Scalar::Real(C::constant(f64::from(x))),
            Const::F64(x) => Scalar::Real(C::constant(x)),
        }
    }

    fn apply((): &(), op: ScalarOp, operands: &[Scalar<C>]) -> Step<Scalar<C>> {
        apply(op, operands)
    }

    fn truth((): &(), scalar: &Scalar<C>) -> bool {
        truth(scalar)
    }

    fn index((): &(), scalar: &Scalar<C>) -> i64 {
        let Scalar::I64(n) = scalar else { panic!("{VERIFIED}") };
        *n
    }

    fn is_index(scalar: &Scalar<C>) -> bool {
        matches!(scalar, Scalar::I64(_))
    }
}

/// The value of a scalar operation.
pub(crate) fn apply<C: Compare>(op: ScalarOp, operands: &[Scalar<C>]) -> Step<Scalar<C>> {
    Ok(match op {
        ScalarOp::Add => sum(operands[0].clone(), operands[1].clone()),
        ScalarOp::Mul => match (operands[0].clone(), operands[1].clone()) {
            (Scalar::Real(a), Scalar::Real(b)) => Scalar::Real(a * b),
            (Scalar::I32(a), Scalar::I32(b)) => Scalar::I32(a.wrapping_mul(b)),
            (Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.wrapping_mul(b)),
            (Scalar::Bool(a), Scalar::Bool(b)) => Scalar::Bool(a & b),
            _ => panic!("{VERIFIED}"),
        },
        ScalarOp::Scale => match (operands[0].clone(), operands[1].clone()) {
            (Scalar::Real(a), Scalar::Real(b)) => Scalar::Real(a.scale(&b)),
            _ => apply(ScalarOp::Mul, operands)?,
        },
        ScalarOp::Row(row) => {
            let reals: Vec<C> = operands.iter().map(|s| real(s).clone()).collect();
            Scalar::Real(row.apply(&reals))
        }
        ScalarOp::Integer(row) => return integer(row, operands),
        ScalarOp::Equal => Scalar::Bool(compare(operands, Test::Equal)?),
        ScalarOp::Less => Scalar::Bool(compare(operands, Test::Less)?),
        ScalarOp::LessOrEqual => Scalar::Bool(compare(operands, Test::LessOrEqual)?),
        ScalarOp::Not => Scalar::Bool(!truth(&operands[0])),
        ScalarOp::Convert(to) => convert(&operands[0], to)?,
        ScalarOp::ToBits(of) => Scalar::I64(bits(real(&operands[0]), of)?),
        ScalarOp::FromBits(to) => from_bits(&operands[0], to),
    })
}

fn real<C>(scalar: &Scalar<C>) -> &C {
    let Scalar::Real(x) = scalar else { panic!("{VERIFIED}") };
    x
}

/// The truth value that a scalar is.
fn truth<C>(scalar: &Scalar<C>) -> bool {
    let Scalar::Bool(b) = scalar else { panic!("{VERIFIED}") };
    *b
}

fn integer<C>(row: IntegerRow, operands: &[Scalar<C>]) -> Step<Scalar<C>> {
    let value = match operands[0] {
        Scalar::I32(_) => {
            let operands = integers(operands, |s| if let Scalar::I32(n) = s { Some(*n) } else { None });
            row.value_i32(&operands).map(Scalar::I32).ok_or_else(|| no_value(row, &operands))
        }
        Scalar::I64(_) => {
            let operands = integers(operands, |s| if let Scalar::I64(n) = s { Some(*n) } else { None });
            row.value_i64(&operands).map(Scalar::I64).ok_or_else(|| no_value(row, &operands))
        }
        Scalar::Bool(_) | Scalar::Real(_) => panic!("{VERIFIED}"),
    };
    value.map_err(Fault::NoValue)
}

fn integers<C, N>(operands: &[Scalar<C>], integer: impl Fn(&Scalar<C>) -> Option<N>) -> Vec<N> {
    operands.iter().map(|s| integer(s).expect(VERIFIED)).collect()
}

fn no_value<N: ToString>(row: IntegerRow, operands: &[N]) -> String {
    let operands: Vec<String> = operands.iter().map(ToString::to_string).collect();
    format!("{}({})", row.name(), operands.join(", "))
}

fn compare<C: Compare>(operands: &[Scalar<C>], test: Test) -> Step<bool> {
    let plain = |order: core::cmp::Ordering| match test {
        Test::Equal => order.is_eq(),
        Test::Less => order.is_lt(),
        Test::LessOrEqual => order.is_le(),
    };
    Ok(match (&operands[0], &operands[1]) {
        (Scalar::Real(a), Scalar::Real(b)) => a.compare(b, test).ok_or(Fault::Undecided)?,
        (Scalar::I32(a), Scalar::I32(b)) => plain(a.cmp(b)),
        (Scalar::I64(a), Scalar::I64(b)) => plain(a.cmp(b)),
        (Scalar::Bool(a), Scalar::Bool(b)) => plain(a.cmp(b)),
        _ => panic!("{VERIFIED}"),
    })
}

/// The bits of a real that has a value. That it is this one and no other is a decision.
fn bits<C: Compare>(x: &C, of: Prim) -> Step<i64> {
    let value = x.primal().ok_or(Fault::Undecided)?;
    x.compare(&C::constant(value), Test::Equal).ok_or(Fault::Undecided)?;
    Ok(if of == Prim::F32 { i64::from((value as f32).to_bits()) } else { value.to_bits() as i64 })
}

/// The real that has these bits.
fn from_bits<C: Compare>(bits: &Scalar<C>, to: Prim) -> Scalar<C> {
    let Scalar::I64(bits) = bits else { panic!("{VERIFIED}") };
    let value = if to == Prim::F32 { f64::from(f32::from_bits(*bits as u32)) } else { f64::from_bits(*bits as u64) };
    Scalar::Real(C::constant(value))
}

/// The same number in another kind.
fn convert<C: Compare>(from: &Scalar<C>, to: Prim) -> Step<Scalar<C>> {
    Ok(match (from, to) {
        // There is one kind of reals here, that of the carrier.
        (Scalar::Real(x), Prim::F32 | Prim::F64) => Scalar::Real(x.clone()),
        (Scalar::Real(x), Prim::I32) => Scalar::I32(truncated(x, i32::MIN.into(), i32::MAX.into())? as i32),
        (Scalar::Real(x), Prim::I64) => Scalar::I64(truncated(x, i64::MIN, i64::MAX)?),
        (Scalar::Real(x), Prim::Bool) => Scalar::Bool(!x.compare(&C::zero(), Test::Equal).ok_or(Fault::Undecided)?),
        (Scalar::I32(n), _) => from_integer((*n).into(), to),
        (Scalar::I64(n), _) => from_integer(*n, to),
        (Scalar::Bool(b), _) => from_integer((*b).into(), to),
    })
}

/// An integer, or a truth value as one, in another kind.
fn from_integer<C: Compare>(n: i64, to: Prim) -> Scalar<C> {
    match to {
        Prim::Bool => Scalar::Bool(n != 0),
        Prim::I32 => Scalar::I32(n as i32),
        Prim::I64 => Scalar::I64(n),
        Prim::F32 => Scalar::Real(C::constant(f64::from(n as f32))),
        Prim::F64 => Scalar::Real(C::constant(n as f64)),
    }
}

/// Up to here every integer is a double, and from here on every double an integer.
const EXACT: u64 = 1 << 52;

/// A real rounded towards 0, or the nearest integer between two.
///
/// That the result is this integer and no other is a decision, and is asked of the carrier as one: recorded numbers keep it.
fn truncated<C: Compare>(x: &C, least: i64, most: i64) -> Step<i64> {
    let value = x.primal().ok_or(Fault::Undecided)?;
    let n = (value as i64).clamp(least, most);
    let ask = |a: &C, b: &C, test| a.compare(b, test).ok_or(Fault::Undecided);
    let at = |n: i64| C::constant(n as f64);
    if n.unsigned_abs() > EXACT && n > least && n < most {
        ask(x, &at(n), Test::Equal)?;
    } else if n > least && n < most {
        // From n itself away from 0 to the next integer, that one excluded.
        if n > 0 {
            ask(&at(n), x, Test::LessOrEqual)?
        } else {
            ask(&at(n - 1), x, Test::Less)?
        };
        if n < 0 {
            ask(x, &at(n), Test::LessOrEqual)?
        } else {
            ask(x, &at(n + 1), Test::Less)?
        };
    } else if n == most {
        ask(&at(most), x, Test::LessOrEqual)?;
    } else {
        ask(x, &at(least), Test::LessOrEqual)?;
    }
    Ok(n)
}
