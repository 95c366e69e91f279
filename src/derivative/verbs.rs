//! The verbs with their default strategies: what most users call.
//!
//! Law: `verb(f, x)` is `Default::verb(f, x)` of the strategy that suits it best (tests/scalar/strategies.rs).

use generic_array::typenum::U8;

use super::VectorForward;
use super::forward::VectorVar;
use super::reverse::{self, ReverseVar};
use super::strategy::{Base, Strategy};
use crate::error::Result;
use crate::primitives::Elementary;

/// The gradient of a function of many numbers with one result, by reverse mode.
///
/// A generic function `fn f<R: Real>(x: &[R]) -> R` is passed as `|x| f(x)`; its bare name is "not general enough".
///
/// # Errors
/// [`Error::Empty`](crate::Error::Empty) if there are no variables, [`Error::NotFinite`](crate::Error::NotFinite)
/// if the point holds NaN or ∞, [`Error::TooLarge`](crate::Error::TooLarge) beyond 2³² recorded operations.
///
/// ```
/// use catadiff::prelude::*;
/// let gradient = grad(|x| x[0].ln() + x[0] * x[1] - x[1].sin(), &[2.0, 5.0])?;
/// assert_eq!(gradient, [5.5, 2.0 - 5.0_f64.cos()]);
///
/// // It runs once, so it may change what it captures, as a source of random numbers does.
/// let mut seed = 1_u32;
/// let mut noise = || {
///     seed = seed.wrapping_mul(48_271);
///     f64::from(seed)
/// };
/// assert_eq!(grad(|x| x[0] * noise() + x[1] * noise(), &[0.0, 0.0])?, [48_271.0, 48_271.0 * 48_271.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn grad<S: Base, F>(f: F, x: &[S]) -> Result<Vec<S>>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
{
    Ok(value_and_grad(f, x)?.1)
}

/// The value and the gradient of a function of many numbers with one result, by reverse mode.
///
/// # Errors
/// As for [`grad`].
///
/// ```
/// use catadiff::prelude::*;
/// let (value, gradient) = value_and_grad(|x| x[0] * x[1], &[2.0, 5.0])?;
/// assert_eq!((value, gradient), (10.0, vec![5.0, 2.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn value_and_grad<S: Base, F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
{
    reverse::value_and_grad(f, x)
}

/// The Jacobian by reverse mode, one row per result: the same as [`jacrev`].
///
/// # Errors
/// As for [`grad`], and [`Error::Empty`](crate::Error::Empty) if there are no results.
///
/// ```
/// use catadiff::prelude::*;
/// assert_eq!(jacobian(|x| vec![x[0] * x[1], x[1]], &[2.0, 5.0])?, [[5.0, 2.0], [0.0, 1.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacobian<S: Base, F>(f: F, x: &[S]) -> Result<Vec<Vec<S>>>
where
    F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    jacrev(f, x)
}

/// The Jacobian by reverse mode, a reverse sweep per row: for fewer results than variables.
///
/// # Errors
/// As for [`jacobian`].
///
/// ```
/// use catadiff::prelude::*;
/// // The lecture's z = xy + sin x: one row, in a single reverse sweep.
/// assert_eq!(jacrev(|x| vec![x[0] * x[1] + x[0].sin()], &[0.0, 2.0])?, [[3.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacrev<S: Base, F>(f: F, x: &[S]) -> Result<Vec<Vec<S>>>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    Ok(reverse::value_and_jacobian(f, x)?.1)
}

/// The Jacobian by vector forward mode, eight columns to a run: for at least as many results as variables.
///
/// # Errors
/// As for [`jacobian`].
///
/// ```
/// use catadiff::prelude::*;
/// // The lecture's example: three results of one variable, in a single run.
/// assert_eq!(jacfwd(|x| vec![x[0] + 5.0, 5.0 * x[0], 5.0 / x[0]], &[2.0])?, [[1.0], [5.0], [-1.25]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacfwd<S: Base, F>(f: F, x: &[S]) -> Result<Vec<Vec<S>>>
where
    F: for<'b> Fn(&'b [VectorVar<'b, U8, S>]) -> Vec<VectorVar<'b, U8, S>>,
{
    VectorForward::<U8>::jacobian(f, x)
}

/// The number itself, taken as a constant by every derivative.
///
/// ```
/// use catadiff::prelude::*;
/// assert_eq!(grad(|x| x[0] * stop_gradient(x[0]), &[3.0])?, [3.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
pub fn stop_gradient<E: Elementary>(x: E) -> E {
    x.stop_gradient()
}
