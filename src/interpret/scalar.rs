//! Scalar operations: each row of the two tables on values.
//!
//! Law: reals are combined by the carrier alone, and those of half and single precision rounded by it, so every run is a
//! homomorphic image of the run on terms; integers wrap, and what has no value is an error (laws: kinds,
//! laws: arrays::terms).

use super::budget::{Fault, Step};
use super::callback;
use super::compare::{Compare, Test};
use super::eval::Machine;
use super::value::{Scalar, Value};
use crate::algebra::Module;
use crate::array::{Const, Custom, Foreign, Prim, ScalarOp, Var};
use crate::error::Span;

/// The invariant that a verified program keeps.
pub(crate) const VERIFIED: &str = "operands are of the types that the verifier has checked";

/// All that the machine needs of scalars: values from the carrier, and plain numbers where the course of the run depends on
/// them.
pub(crate) trait Arithmetic: Clone {
    /// Where operations and decisions are recorded: the trace of a traced run, and nothing for numbers.
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

    /// Sets the place in the source of the next statement, for carriers that record it, and returns the place before.
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

    /// The results of a function of Rust, of the types and sizes of these.
    fn foreign(
        machine: &Machine<'_, Self>,
        it: &Foreign,
        arguments: Vec<Value<Self>>,
        like: &[Value<Self>],
    ) -> Step<Vec<Value<Self>>>;
}

/// Numbers compute, and note nothing.
impl<C: Compare> Arithmetic for C {
    type Log = ();

    fn constant(constant: Const) -> Scalar<C> {
        Scalar::constant(constant, C::constant)
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

    fn foreign(
        machine: &Machine<'_, C>,
        it: &Foreign,
        arguments: Vec<Value<C>>,
        like: &[Value<C>],
    ) -> Step<Vec<Value<C>>> {
        if let Some(value) = callback::ruled(it, &arguments) {
            return Ok(vec![value]);
        }
        if !C::IS_PLAIN {
            let numbers = core::any::type_name::<C>();
            return Err(callback::fault(it, format!("it takes plain numbers, and this run is on {numbers}")));
        }
        let value = |x: &C| x.primal().expect("a plain number is its value");
        let arguments = arguments.iter().map(|x| x.map(value)).collect();
        let results = callback::plain(it, arguments, &callback::kinds(machine.program(), it, like))?;
        Ok(results.into_iter().map(|x| x.map(|x| C::constant(*x))).collect())
    }
}

/// No operation has more operands.
const MAX_OPERANDS: usize = 3;

/// The value of a scalar operation.
pub(crate) fn apply<C: Compare>(op: ScalarOp, operands: &[Scalar<C>]) -> Step<Scalar<C>> {
    if operands[0].real().is_none() {
        return exact(op, operands);
    }
    let of = operands[0].prim();
    let x = |k: usize| operands[k].real().expect(VERIFIED);
    Ok(match op {
        ScalarOp::Add => Scalar::rounded(of, x(0).clone() + x(1).clone()),
        ScalarOp::Mul => Scalar::rounded(of, x(0).clone() * x(1).clone()),
        ScalarOp::Scale => Scalar::rounded(of, x(0).clone().scale(x(1))),
        ScalarOp::Row(row) => {
            let reals: Vec<C> = (0..operands.len()).map(|k| x(k).clone()).collect();
            let value = row.apply(&reals);
            // What is exact needs no rounding.
            if row.facts().ulp == 0 { Scalar::of_real(of, value) } else { Scalar::rounded(of, value) }
        }
        ScalarOp::Equal => Scalar::Bool(compare(x(0), x(1), Test::Equal)?),
        ScalarOp::Less => Scalar::Bool(compare(x(0), x(1), Test::Less)?),
        ScalarOp::LessOrEqual => Scalar::Bool(compare(x(0), x(1), Test::LessOrEqual)?),
        ScalarOp::Convert(to) if to.is_real() => {
            // What has no more digits is exact.
            if of.bits() > to.bits() { Scalar::rounded(to, x(0).clone()) } else { Scalar::of_real(to, x(0).clone()) }
        }
        ScalarOp::Convert(to) => Scalar::constant(converted(x(0), to)?, C::constant),
        ScalarOp::ToBits(of) => Scalar::constant(bits(x(0), of)?, C::constant),
        ScalarOp::Integer(_) | ScalarOp::Not | ScalarOp::FromBits(_) => panic!("{VERIFIED}"),
    })
}

/// The value of an operation on integers or truth values.
fn exact<C: Compare>(op: ScalarOp, operands: &[Scalar<C>]) -> Step<Scalar<C>> {
    let mut constants = [Const::Bool(false); MAX_OPERANDS];
    for (constant, x) in constants.iter_mut().zip(operands) {
        *constant = x.exact().expect(VERIFIED);
    }
    let constants = &constants[..operands.len()];
    let value = op.value(constants).ok_or_else(|| Fault::NoValue(no_value(op, constants)))?;
    Ok(Scalar::constant(value, C::constant))
}

/// The truth value that a scalar is.
fn truth<C>(scalar: &Scalar<C>) -> bool {
    let Scalar::Bool(b) = scalar else { panic!("{VERIFIED}") };
    *b
}

fn no_value(op: ScalarOp, operands: &[Const]) -> String {
    let operands = operands.iter().map(|x| x.integer().expect(VERIFIED).to_string());
    format!("{op}({})", operands.collect::<Vec<_>>().join(", "))
}

fn compare<C: Compare>(a: &C, b: &C, test: Test) -> Step<bool> {
    a.compare(b, test).ok_or(Fault::Undecided)
}

/// The bits of a real that has a value. That it is this one and no other is a decision.
fn bits<C: Compare>(x: &C, of: Prim) -> Step<Const> {
    let value = x.primal().ok_or(Fault::Undecided)?;
    x.compare(&C::constant(value), Test::Equal).ok_or(Fault::Undecided)?;
    let bits = Const::rounded(value, of).bits();
    Ok(Const::wrapped(bits.into(), of.of_bits().expect(VERIFIED)))
}

/// A real as an integer, or as a truth value.
fn converted<C: Compare>(x: &C, to: Prim) -> Step<Const> {
    if to == Prim::Bool {
        return Ok(Const::Bool(!compare(x, &C::zero(), Test::Equal)?));
    }
    Ok(Const::wrapped(truncated(x, to.bounds())?, to))
}

/// Up to here every integer is a double, and from here on every double an integer.
const EXACT: u128 = 1 << 52;

/// A real rounded towards 0, or the nearest integer between two.
///
/// That the result is this integer and no other is a decision, and the carrier makes it as one: recorded numbers keep it.
fn truncated<C: Compare>(x: &C, (least, most): (i128, i128)) -> Step<i128> {
    let value = x.primal().ok_or(Fault::Undecided)?;
    let n = (value as i128).clamp(least, most);
    let ask = |a: &C, b: &C, test| a.compare(b, test).ok_or(Fault::Undecided);
    let at = |n: i128| C::constant(n as f64);
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
    } else if least == 0 {
        // What is rounded up to 0 has it too.
        ask(x, &at(1), Test::Less)?;
    } else {
        ask(x, &at(least), Test::LessOrEqual)?;
    }
    Ok(n)
}
