//! Array programs over any semiring: shortest paths, most likely paths, counts of ways, whether there is one.
//!
//! Law: the reals of the program are the numbers of the semiring, `+` and `×` its two operations, and 0 and 1 its two
//! constants, and nothing else has a meaning ("Forwards and in reverse": a program that uses no more is a fold into any
//! semiring) (tests/array/semirings.rs).

use super::budget::{Fault, Step};
use super::callback;
use super::scalar::{Arithmetic, VERIFIED, apply};
use super::{Limits, Machine, Scalar, Value, entering};
use crate::algebra::Semiring;
use crate::array::{Const, Foreign, Program, ScalarOp};
use crate::error::{Result, Span};

/// The results of a program over a semiring. Integers, truth values, sizes and control are what they always are.
///
/// ```
/// use catadiff::algebra::plain::MinPlus;
/// use catadiff::array::{Program, trace::{Arr, F64, I64, loop_for}};
/// use catadiff::interpret::{Limits, Value, run_over};
/// let ways = Program::trace(|from: Arr<F64>, step: Arr<Arr<F64>>, n: I64| {
///     loop_for(n, from, |_, now| step.transpose().map(|into| (now * into).sum()))
/// })?;
/// let far = f64::INFINITY;
/// let arguments = [
///     Value::new([0.0, far, far])?,                                       // at the first place,
///     Value::new([[0.0, 4.0, 1.0], [far, 0.0, far], [far, 2.0, 0.0]])?,   // with roads of these lengths,
///     3_i64.into(),                                                       // three steps:
/// ].map(|value| value.map(|x| MinPlus(*x)));
/// let nearest = run_over(&ways, &arguments, &Limits::default())?;
/// assert_eq!(nearest[0].to_reals(), Some(vec![MinPlus(0.0), MinPlus(3.0), MinPlus(1.0)]));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// As for [`run`](super::run); [`Error::NoValue`](crate::Error::NoValue) for any other operation on reals and for any other
/// constant that is used, and [`Error::Undecided`](crate::Error::Undecided) where reals are compared.
pub fn run_over<S: Semiring>(program: &Program, arguments: &[Value<S>], limits: &Limits) -> Result<Vec<Value<S>>> {
    let arguments = entering(program, arguments, Scalar::of_real)?;
    let arguments = arguments.iter().map(|value| value.map(|x| Number::Of(x.clone()))).collect();
    let mut machine = Machine::new(program, limits, ());
    let results = machine.apply(&program.function, arguments);
    let results = results.map_err(|fault| fault.within(Span::UNKNOWN, || crate::array::text::signature(program)))?;
    let mut meant = Ok(());
    let results = results
        .iter()
        .map(|value| {
            value.map(|x| {
                x.meant().unwrap_or_else(|fault| {
                    meant = Err(fault);
                    S::zero()
                })
            })
        })
        .collect();
    meant.map_err(|fault: Fault| fault.within(Span::UNKNOWN, || crate::array::text::signature(program)))?;
    Ok(results)
}

/// A number of the semiring, or a constant of the program that none is meant by.
#[derive(Debug, Clone)]
enum Number<S> {
    Of(S),
    Constant(f64),
}

impl<S: Semiring> Number<S> {
    fn constant(x: f64) -> Self {
        match x {
            0.0 => Number::Of(S::zero()),
            1.0 => Number::Of(S::one()),
            x => Number::Constant(x),
        }
    }

    fn meant(&self) -> Step<S> {
        match self {
            Number::Of(x) => Ok(x.clone()),
            Number::Constant(x) => Err(Fault::NoValue(format!("{x:?} (of constants, a semiring has 0 and 1)"))),
        }
    }
}

fn real<S: Semiring>(scalar: &Scalar<Number<S>>) -> Step<S> {
    scalar.real().expect(VERIFIED).meant()
}

impl<S: Semiring> Arithmetic for Number<S> {
    type Log = ();

    fn constant(constant: Const) -> Scalar<Self> {
        Scalar::constant(constant, Number::constant)
    }

    fn apply((): &(), op: ScalarOp, operands: &[Scalar<Self>]) -> Step<Scalar<Self>> {
        let exact = |x: &Scalar<Self>| x.exact().map(|x| Scalar::constant(x, |x| x));
        if let Some(integers) = operands.iter().map(exact).collect::<Option<Vec<Scalar<f64>>>>() {
            return Ok(apply(op, &integers)?.map(|x| Number::constant(*x)));
        }
        let of = operands[0].prim();
        let value = match op {
            ScalarOp::Add => real(&operands[0])? + real(&operands[1])?,
            ScalarOp::Mul | ScalarOp::Scale => real(&operands[0])? * real(&operands[1])?,
            ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => return Err(Fault::Undecided),
            ScalarOp::Row(row) => {
                return Err(Fault::NoValue(format!("{} (a semiring has `add` and `mul`)", row.name())));
            }
            ScalarOp::Integer(_) | ScalarOp::Not | ScalarOp::FromBits(_) => panic!("{VERIFIED}"),
            ScalarOp::ToBits(_) => {
                return Err(Fault::NoValue("bits (a number of a semiring has none)".into()));
            }
            ScalarOp::Convert(to) if to.is_real() => real(&operands[0])?,
            ScalarOp::Convert(to) => {
                return Err(Fault::NoValue(format!("{} (a number of a semiring has no other kind)", to.name())));
            }
        };
        Ok(Scalar::of_real(if let ScalarOp::Convert(to) = op { to } else { of }, Number::Of(value)))
    }

    fn truth((): &(), scalar: &Scalar<Self>) -> bool {
        let Scalar::Bool(b) = scalar else { panic!("{VERIFIED}") };
        *b
    }

    fn index((): &(), scalar: &Scalar<Self>) -> i64 {
        let Scalar::I64(n) = scalar else { panic!("{VERIFIED}") };
        *n
    }

    fn is_index(scalar: &Scalar<Self>) -> bool {
        matches!(scalar, Scalar::I64(_))
    }

    fn foreign(_: &Machine<'_, Self>, it: &Foreign, _: Vec<Value<Self>>, _: &[Value<Self>]) -> Step<Vec<Value<Self>>> {
        Err(callback::fault(it, "it takes plain numbers, and a semiring has `add` and `mul`"))
    }
}
