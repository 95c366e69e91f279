//! What a way of differentiating is: a number type for the user's function, and a way to read the derivative off.
//!
//! Law: all strategies agree, exactly on exact numbers and to rounding on floats: they multiply the same Jacobians in
//! another order ("Automatic Differentiation", *Theory*) (laws: strategies).

use super::recording::Recording;
use crate::error::{Error, Result};
use crate::primitives::{Decide, Scalar};

/// A number that can be differentiated at: `f32`, `f64`, or a number of an outer differentiation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that can be differentiated at",
    note = "`f32`, `f64` and the numbers of an outer differentiation are; integers and exact numbers need `Dual` itself"
)]
pub trait Base: Scalar + PartialOrd {}

impl<T: Scalar + PartialOrd> Base for T {}

/// The number type of a strategy over the base `S`, for the differentiation branded `'b`.
///
/// `Implied` is never given: it tells the compiler that `S` outlives `'b`, which a bound could not say for every
/// `'b` at once.
pub trait Numbers<'b, S, Implied = &'b S> {
    /// The number type in which the function is run.
    type Num: Decide;

    /// A number of the base, such as one of an outer differentiation, as a constant of this one.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// let slopes = jvp(|x| vec![x[0] * Forward::lift(3.0), Forward::lift(3.0)], &[2.0], &[1.0])?.1;
    /// assert_eq!(slopes, [3.0, 0.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    fn lift(constant: S) -> Self::Num;
}

/// The number type of the strategy `A` over the base `S`.
pub type Num<'b, A, S> = <A as Numbers<'b, S>>::Num;

/// A way of differentiating at points of the base `S`. The implementors are types without values; the verbs are
/// called on them:
///
/// ```
/// use catadiff::prelude::*;
/// fn gradient_by<A: Strategy<f64>>(x: &[f64]) -> Vec<f64> {
///     A::grad(|x| x[0] * x[1] + x[0].sin(), x).unwrap()
/// }
/// assert_eq!(gradient_by::<Forward>(&[0.0, 2.0]), [3.0, 0.0]);
/// assert_eq!(gradient_by::<Reverse>(&[0.0, 2.0]), [3.0, 0.0]);
/// ```
///
/// Functions take a slice of [`Num`]s and return one or a `Vec` of them. `'b` brands the numbers of one
/// differentiation, so that they cannot leave it or meet those of another; [`lift`](Numbers::lift), as in
/// `Reverse::lift(x)`, takes an outer number into an inner function. A generic function
/// `fn f<R: Real>(x: &[R]) -> R` of your own is passed as `|x| f(x)`: its bare name stands for one number type, and
/// rustc says that it is "not general enough".
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a strategy of differentiation over `{S}`",
    note = "the strategies are `Forward`, `VectorForward<N>`, `Reverse` and those of `catadiff::derivative`; the numbers are `f32`, `f64` and those of an outer differentiation"
)]
pub trait Strategy<S: Base>: for<'b> Numbers<'b, S> {
    /// The values of several results and their Jacobian, one row per result.
    ///
    /// # Errors
    /// [`Error::Empty`] without variables or results, [`Error::NotFinite`] at a point with NaN or ∞,
    /// [`Error::TooLarge`] where the recording outgrows 32-bit indices.
    fn value_and_jacobian<F>(f: F, x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
    where
        F: for<'b> Fn(&'b [Num<'b, Self, S>]) -> Vec<Num<'b, Self, S>>;

    /// The value and the gradient of a function with one result.
    ///
    /// # Errors
    /// As for [`value_and_jacobian`](Strategy::value_and_jacobian).
    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [Num<'b, Self, S>]) -> Num<'b, Self, S>;

    /// The gradient of a function with one result.
    ///
    /// # Errors
    /// As for [`value_and_jacobian`](Strategy::value_and_jacobian).
    fn grad<F>(f: F, x: &[S]) -> Result<Vec<S>>
    where
        F: for<'b> Fn(&'b [Num<'b, Self, S>]) -> Num<'b, Self, S>,
    {
        Ok(Self::value_and_grad(f, x)?.1)
    }

    /// The Jacobian, one row per result.
    ///
    /// # Errors
    /// As for [`value_and_jacobian`](Strategy::value_and_jacobian).
    fn jacobian<F>(f: F, x: &[S]) -> Result<Vec<Vec<S>>>
    where
        F: for<'b> Fn(&'b [Num<'b, Self, S>]) -> Vec<Num<'b, Self, S>>,
    {
        Ok(Self::value_and_jacobian(f, x)?.1)
    }

    /// The value and the gradient of the first result of a recording.
    ///
    /// # Errors
    /// As for [`Recording::grad`].
    fn replay(program: &Recording<S>, x: &[S]) -> Result<(S, Vec<S>)> {
        // The decisions are checked on plain numbers once, so that the strategy's run cannot fail.
        program.run(x)?;
        Self::value_and_grad(|x| program.results_in(x, <Self as Numbers<'_, S>>::lift)[0], x)
    }

    /// The Jacobian of the results of a recording.
    ///
    /// # Errors
    /// As for [`Recording::grad`].
    fn replay_jacobian(program: &Recording<S>, x: &[S]) -> Result<Vec<Vec<S>>> {
        program.run(x)?;
        Self::jacobian(|x| program.results_in(x, <Self as Numbers<'_, S>>::lift), x)
    }
}

/// Checks a point before it is differentiated at: not empty, and every number finite.
pub(crate) fn check_point<S: Scalar>(what: &'static str, x: &[S]) -> Result<()> {
    if x.is_empty() {
        return Err(Error::Empty { what });
    }
    check_finite(what, x)
}

/// Checks that every number is finite.
pub(crate) fn check_finite<S: Scalar>(what: &'static str, x: &[S]) -> Result<()> {
    // What is not finite is no zero if it is multiplied by 0, nor is a sum with it. There are several sums and no branches, so that
    // many are checked together.
    let (parts, rest) = x.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for part in parts {
        for (sum, x) in sums.iter_mut().zip(part) {
            *sum += x.primal().unwrap_or_default() * 0.0;
        }
    }
    let zeros = sums.iter().fold(true, |zeros, sum| zeros & (*sum == 0.0));
    if zeros && rest.iter().all(|x| x.primal().is_none_or(f64::is_finite)) {
        return Ok(());
    }
    match x.iter().enumerate().find_map(|(index, x)| Some((index, x.primal().filter(|v| !v.is_finite())?))) {
        Some((index, value)) => Err(Error::NotFinite { what, index, value }),
        None => Ok(()),
    }
}

/// Checks that a function has results.
pub(crate) fn check_results<T>(results: &[T]) -> Result<()> {
    if results.is_empty() { Err(Error::Empty { what: "the function's list of results" }) } else { Ok(()) }
}
