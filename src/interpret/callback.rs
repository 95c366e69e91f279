//! Functions of Rust in array programs, where they run: on plain numbers, with results of the types and sizes that were stated.
//!
//! Law: a rule is applied in every carrier; a callback only to numbers that are nothing but their value, since it would lose all else,
//! and results of other types or sizes than those stated are an error that names it (tests/array/foreign.rs).

use core::fmt;
use std::sync::Arc;

use super::arguments::ToValues;
use super::budget::{Fault, Step};
use super::results::FromValues;
use super::scalar::VERIFIED;
use super::value::{Scalar, Value};
use crate::array::trace::IntoHandle;
use crate::array::{Foreign, ForeignFunction, ForeignKind, Prim, Program};
use crate::error::Error;
use crate::primitives::Elementary;

type Reason = String;

/// What a callback returns.
type Returned = Result<Vec<Value<f64>>, Reason>;

/// A callback as programs hold it.
struct Callback(Box<dyn Fn(Vec<Value<f64>>) -> Returned + Send + Sync>);

/// What a function for [`pure_callback`] may return: what is made values, or a [`Result`](core::result::Result) of such.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result of a callback",
    note = "what can be an argument of a program is one, and a `Result` of such, whose error is shown"
)]
pub trait CallbackResult {
    /// The values, or why there are none.
    ///
    /// # Errors
    /// Why there are none.
    fn into_values(self) -> Result<Vec<Value<f64>>, String>;
}

impl<T: ToValues> CallbackResult for T {
    fn into_values(self) -> Returned {
        self.to_values().map_err(|error| error.to_string())
    }
}

impl<T: ToValues, E: fmt::Display> CallbackResult for Result<T, E> {
    fn into_values(self) -> Returned {
        self.map_err(|error| error.to_string())?.into_values()
    }
}

/// A function of Rust in a program that is traced: it is called with the values of `arguments` when the program runs, and returns values
/// of the types and sizes of `like`, of which nothing else matters. `name` is for texts and messages.
///
/// The interpreter and the lanes of the CPU run it; for other executors the program is
/// [`Unsupported`](crate::execute::Unsupported), and what is compiled for them leaves it to the interpreter. It has to be pure, since nothing
/// says how often it is called, or whether at all; in a `map` over rows it is called for each, one after the other. Nothing is known of its derivative: put it into [`custom`](crate::array::trace::custom),
/// [`custom_with_result`](crate::array::trace::custom_with_result) or [`custom_jvp`](crate::transform::custom_jvp), with the rule, which
/// may use callbacks in turn: of the arguments in any mode, of adjoints in reverse mode only. A function of numbers is better a [`Rule`](crate::primitives::Rule), which traced closures
/// apply as any other code does.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, custom}};
/// use catadiff::interpret::pure_callback;
/// // Running medians, which another library may compute; a median passes its adjoint to the element that it is.
/// fn medians(x: Vec<f64>) -> Vec<f64> {
///     let median = |k: usize| {
///         let mut near = x[k.saturating_sub(1)..(k + 2).min(x.len())].to_vec();
///         near.sort_by(f64::total_cmp);
///         near[near.len() / 2]
///     };
///     (0..x.len()).map(median).collect()
/// }
/// let smooth = |x: Arr<F64>| pure_callback("medians", x, x, medians);
/// let energy = Program::trace(|x: Arr<F64>| {
///     let smoothed = custom(x, smooth, |x, adjoint| {
///         pure_callback("medians' pullback", (x, adjoint), x, |(x, adjoint): (Vec<f64>, Vec<f64>)| {
///             let mut pulled = vec![0.0; x.len()];
///             for (median, adjoint) in medians(x.clone()).into_iter().zip(adjoint) {
///                 pulled[x.iter().position(|x| *x == median).unwrap()] += adjoint;
///             }
///             pulled
///         })
///     });
///     smoothed.map(|x| x * x).sum()
/// })?;
/// let gradient: Vec<f64> = energy.grad(..)?.compile()?.at([1.0, 9.0, 2.0, 3.0])?;
/// assert_eq!(gradient, [0.0, 18.0, 4.0, 12.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// Of the run: [`Error::Foreign`](crate::Error::Foreign) if the function returns an error, or other values than were stated. Derivatives by
/// what goes into a bare callback are [`Error::NotDifferentiable`].
#[track_caller]
pub fn pure_callback<X, L, A, B>(
    name: &str,
    arguments: X,
    like: L,
    function: impl Fn(A) -> B + Send + Sync + 'static,
) -> L::Handle
where
    X: IntoHandle,
    L: IntoHandle,
    A: FromValues,
    B: CallbackResult,
{
    let call = move |values: Vec<Value<f64>>| {
        let arguments = A::from_values(values).map_err(|error| match error {
            Error::Mismatch { what, expected, found } => {
                format!("it takes {expected} where {found} is given, as {}", what.replace("result", "argument"))
            }
            other => other.to_string(),
        })?;
        function(arguments).into_values()
    };
    let function = ForeignFunction::callback(name, Arc::new(Callback(Box::new(call))));
    crate::array::trace::foreign(function, arguments, like)
}

/// The result of a rule, in any carrier.
pub(super) fn ruled<C: Elementary>(it: &Foreign, arguments: &[Value<C>]) -> Option<Value<C>> {
    let rule = it.function.as_rule()?;
    let real = |value: &Value<C>| match value {
        Value::Scalar(scalar) => scalar.real().expect(VERIFIED).clone(),
        Value::Array(_) => panic!("{VERIFIED}"),
    };
    let reals: Vec<C> = arguments.iter().map(real).collect();
    let kind = arguments.first().map_or(Prim::F64, |x| x.elements()[0].prim());
    Some(Scalar::rounded(kind, rule.apply(&reals)).into())
}

/// The results on plain numbers: as many, of these kinds and sizes.
pub(crate) fn plain(it: &Foreign, arguments: Vec<Value<f64>>, like: &[(Prim, &[usize])]) -> Step<Vec<Value<f64>>> {
    let function = match &it.function.what {
        ForeignKind::Rule(_) => return Ok(vec![ruled(it, &arguments).expect("it is a rule")]),
        ForeignKind::Callback(function) => function.downcast_ref::<Callback>().expect("callbacks are made here"),
    };
    let results = (function.0)(arguments).map_err(|reason| fault(it, reason))?;
    if results.len() != like.len() {
        return Err(fault(it, format!("it returns {} values where {} are stated", results.len(), like.len())));
    }
    results
        .into_iter()
        .zip(like)
        .map(|(value, (prim, sizes))| stated(value, *prim, sizes).map_err(|r| fault(it, r)))
        .collect()
}

/// The kinds and sizes that are stated for the results.
pub(crate) fn kinds<'v, C>(program: &Program, it: &Foreign, like: &'v [Value<C>]) -> Vec<(Prim, &'v [usize])> {
    it.like.iter().zip(like).map(|(atom, value)| (program.atom_type(*atom).prim, value.sizes())).collect()
}

/// The value, if it is of this kind and these sizes; reals are rounded to their kind.
fn stated(value: Value<f64>, prim: Prim, sizes: &[usize]) -> Result<Value<f64>, Reason> {
    let found = value.type_like(prim).prim;
    if found != prim || value.sizes() != sizes {
        let of = |prim: Prim, sizes: &[usize]| {
            let sizes: String = sizes.iter().map(|n| format!("[{n}]")).collect();
            format!("{sizes}{prim}")
        };
        return Err(format!("it returns {} where {} is stated", of(found, value.sizes()), of(prim, sizes)));
    }
    let kept = |scalar: &Scalar<f64>| scalar.real().map_or(*scalar, |x| Scalar::rounded(prim, *x));
    let elements = value.elements().iter().map(kept).collect();
    Ok(Value::array(sizes, elements).expect("there are as many elements as before"))
}

/// What is wrong, of this function.
pub(super) fn fault(it: &Foreign, reason: impl Into<Reason>) -> Fault {
    Fault::Foreign { function: it.function.name().to_owned(), reason: reason.into() }
}
