//! Taylor expansions: all derivatives along a line, in one pass.
//!
//! Law: the coefficient `k` is the `k`-th derivative divided by `k!`, and the series of a composition is the
//! composition of the series ("Automatic Differentiation", *Does dual numbers work universally?*, where all orders but
//! the first are dropped; here they are kept) (tests/scalar/taylor.rs).

use super::recorded_code::RecordedCode;
use super::strategy::{Base, check_finite};
use crate::carriers::{Recorded, Series};
use crate::error::{Error, Result};

/// The Taylor coefficients of a function of one number at `x`, up to the order `order`: the value first, then the
/// derivatives divided by the factorials. The cost grows with the square of the order. A number of a differentiation around it
/// enters the function by [`Symbolic::lift`](crate::Symbolic).
///
/// # Errors
/// [`Error::NotFinite`] if `x` is NaN or infinite, [`Error::TooLarge`] for orders above 65 535.
///
/// ```
/// use catadiff::prelude::*;
/// let coefficients = taylor(|t| t.exp(), 0.0, 4)?;
/// assert_eq!(coefficients, [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn taylor<S: Base, F>(f: F, x: S, order: usize) -> Result<Vec<S>>
where
    F: for<'b> Fn(Recorded<'b, S>) -> Recorded<'b, S>,
{
    let mut rows = taylor_along(|x| vec![f(x[0])], &[x], &[S::one()], order)?;
    Ok(rows.swap_remove(0))
}

/// The Taylor coefficients of `t ↦ f(x + t·v)`, one row per result: derivatives of every order in one direction.
///
/// # Errors
/// [`Error::Empty`] without variables or results, [`Error::Length`] if `x` and `v` differ in length,
/// [`Error::NotFinite`] if either holds NaN or ∞, [`Error::TooLarge`] for orders above 65 535.
///
/// ```
/// use catadiff::prelude::*;
/// // (1 + t)·(2 + 3t) = 2 + 5t + 3t²
/// assert_eq!(taylor_along(|x| vec![x[0] * x[1]], &[1.0, 2.0], &[1.0, 3.0], 3)?, [[2.0, 5.0, 3.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn taylor_along<S: Base, F>(f: F, x: &[S], v: &[S], order: usize) -> Result<Vec<Vec<S>>>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
{
    if order > Series::<S>::HIGHEST {
        return Err(Error::TooLarge { what: "the order of the series", limit: Series::<S>::HIGHEST });
    }
    Error::lengths("the direction", x.len(), v.len())?;
    check_finite("the direction", v)?;
    let recording = RecordedCode::new(f, x)?;
    let t = Series::variable(S::zero(), order);
    let on_line = |(x, v): (&S, &S)| Series::lift(*x) + t.clone() * Series::lift(*v);
    let line: Vec<Series<S>> = x.iter().zip(v).map(on_line).collect();
    let rows = recording.fold(&line, Series::lift);
    Ok(rows.iter().map(|row| (0..=order).map(|k| row.coefficient(k)).collect()).collect())
}
