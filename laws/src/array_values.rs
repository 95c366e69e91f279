//! What the laws of array programs share: values that are drawn, read and compared, and programs that are shown.
//!
//! Law: one bound says when two derivatives are the same, and one text says at which program and arguments they are not
//! (tests/laws/programs.rs).

use core::fmt::Display;

use catadiff::array::{Body, Const, Op, Prim, Program, ScalarOp, Var};
use catadiff::interpret::{Limits, Scalar, Value};

use crate::violation::Violation;

/// As much as any random program and its derivatives need, and far more.
pub(crate) const LIMITS: Limits = Limits { steps: 50_000_000, elements: 50_000_000 };

/// The largest distance of two derivatives of one function, relative to the larger of 1 and their size: they add in
/// different orders.
const TOLERANCE: f64 = 1e-8;

/// Numbers between −1 and 1 from a seed (Knuth's MMIX generator).
pub(crate) fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    }
}

/// Values of these shapes: reals between −1 and 1, and zeros of the other kinds.
pub(crate) fn directions(like: &[Value<f64>], seed: u64) -> Vec<Value<f64>> {
    let mut draw = uniform(seed);
    let mut direction = |s: &Scalar<f64>| match s {
        real if real.real().is_some() => Scalar::constant(Const::rounded(draw(), real.prim()), |x| x),
        other => Scalar::constant(other.prim().zero(), |x| x),
    };
    let mut of = |value: &Value<f64>| {
        let elements = value.elements().iter().map(&mut direction).collect();
        Value::array(value.sizes(), elements).expect("as many elements as before")
    };
    like.iter().map(&mut of).collect()
}

/// All reals in these values, in order.
pub(crate) fn reals<C: Copy>(values: &[Value<C>]) -> Vec<C> {
    let real = |x: &Scalar<C>| x.real().copied();
    values.iter().flat_map(|v| v.elements().iter().filter_map(real)).collect()
}

/// Whether all reals in these values are numbers. Where a result is infinite or NaN, so may be anything of a derivative.
pub(crate) fn finite(values: &[Value<f64>]) -> bool {
    reals(values).iter().all(|x| x.is_finite())
}

/// Whether two derivatives are the same. What is infinite by one way may be NaN by another; what is finite is finite.
pub(crate) fn close(left: &[f64], right: &[f64]) -> bool {
    let near =
        |(x, y): (&f64, &f64)| x == y || !y.is_finite() || (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0);
    left.len() == right.len() && left.iter().zip(right).all(near)
}

/// Whether two lists of values are the same, but for reals that are sums of the same numbers in another order: relative to 1
/// and their sizes they are at most `apart`.
pub(crate) fn all_close(left: &[Value<f64>], right: &[Value<f64>], apart: f64) -> bool {
    let near =
        |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= apart * (1.0 + a.abs() + b.abs());
    let same = |(a, b): (&Scalar<f64>, &Scalar<f64>)| match (a.real(), b.real()) {
        (Some(x), Some(y)) => a.prim() == b.prim() && near(*x, *y),
        _ => a == b,
    };
    let close =
        |(a, b): (&Value<f64>, &Value<f64>)| same_sizes(a, b) && a.elements().iter().zip(b.elements()).all(same);
    left.len() == right.len() && left.iter().zip(right).all(close)
}

/// These values, with NaN for the reals in the places of which others have one.
#[cfg(feature = "futhark")]
pub(crate) fn with_nans_of(values: &[Value<f64>], others: &[Value<f64>]) -> Vec<Value<f64>> {
    let one = |(value, other): (&Value<f64>, &Value<f64>)| {
        if value.sizes() != other.sizes() {
            return value.clone();
        }
        let is_nan = |x: &Scalar<f64>| x.real().is_some_and(|x| x.is_nan());
        let elements = value.elements().iter().zip(other.elements());
        let elements = elements.map(|(x, other)| if is_nan(other) { *other } else { *x }).collect();
        Value::array(value.sizes(), elements).expect("as many elements as before")
    };
    values.iter().zip(others).map(one).collect()
}

/// Whether two values have the same sizes. A size of an array without elements is 0 where nothing is known of it, and a program
/// that is rewritten may know more.
pub(crate) fn same_sizes(left: &Value<f64>, right: &Value<f64>) -> bool {
    let (left, right) = (left.sizes(), right.sizes());
    let is_empty = left.contains(&0) && right.contains(&0);
    let same = |(a, b): (&usize, &usize)| a == b || is_empty && (*a == 0 || *b == 0);
    left.len() == right.len() && left.iter().zip(right).all(same)
}

/// Whether a program takes reals to integers, which mix with those that it is differentiated by: tangents of both go on
/// with them, where dual numbers have none. Without such parameters, what is rounded is constant.
pub(crate) fn mixes(program: &Program) -> bool {
    let is_real = |param: &Var| program.type_of(*param).prim.is_real();
    !program.function().params.iter().all(is_real) && truncates(program, &program.function().body)
}

/// Whether an operation in here takes reals to integers.
fn truncates(program: &Program, body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let here = match &stm.op {
            Op::Scalar(ScalarOp::Convert(to), x) => {
                !to.is_real() && *to != Prim::Bool && program.atom_type(x[0]).prim.is_real()
            }
            _ => false,
        };
        here || stm.op.bodies().any(|inner| truncates(program, inner))
    })
}

/// The program with doubles in place of reals of fewer digits, since derivatives by different ways are rounded
/// differently. One that takes bits, of which the kinds have different numbers, stays as it is.
#[must_use]
pub(crate) fn widened(program: &Program) -> Program {
    let wide = || Program::parse(&program.to_string().replace("f16", "f64").replace("f32", "f64")).ok();
    if is_rounded(program) { wide() } else { None }.unwrap_or_else(|| program.clone())
}

/// Whether a program has reals whose operations are rounded.
pub(crate) fn is_rounded(program: &Program) -> bool {
    program.types().iter().any(|of| of.prim.rounding().is_some())
}

/// Values as text, with commas between them.
pub(crate) fn list<C: Display>(values: &[Value<C>]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A program with its arguments, as text.
pub(crate) fn on<C: Display>(program: &Program, arguments: &[Value<C>]) -> String {
    format!("\n{program}on {}", list(arguments))
}

/// That a law does not hold of a program at these arguments.
pub(crate) fn violation<C: Display>(
    law: &str,
    program: &Program,
    arguments: &[Value<C>],
    left: impl ToString,
    right: impl ToString,
) -> Violation {
    let instances = vec![("p".into(), on(program, arguments))];
    Violation { law: law.into(), instances, left: left.to_string(), right: right.to_string() }
}
