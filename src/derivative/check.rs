//! Checking a gradient against finite differences.
//!
//! Law: a derivative is the limit of difference quotients; Richardson's extrapolation of central differences comes
//! within `tolerance` of it wherever the function is smooth.

use super::Reverse;
use super::reverse::Var;
use super::strategy::Strategy;
use crate::error::{Error, Result};

/// Compares the reverse-mode gradient of `f` at `x` with extrapolated central differences, to a relative tolerance
/// (absolute below 1). Use it in tests of code with branches or rules of your own.
///
/// # Errors
/// [`Error::Disagree`] with the worst entry if they differ; otherwise as for [`grad`](super::grad).
///
/// ```
/// use catadiff::prelude::*;
/// check_grad(|x| x[0].sin() * x[1].exp(), &[0.3, 0.7], 1e-8)?;
/// // `floor` is not differentiable at 1; the two sides disagree, and the check says so.
/// assert!(check_grad(|x| x[0].floor(), &[1.0], 1e-8).is_err());
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn check_grad<F>(f: F, x: &[f64], tolerance: f64) -> Result<()>
where
    F: for<'b> Fn(&'b [Var<'b, f64>]) -> Var<'b, f64>,
{
    let gradient = Reverse::grad(&f, x)?;
    let value = |x: &[f64]| Reverse::value_and_grad(&f, x).map(|(value, _)| value);
    let mut worst = (tolerance, Ok(()));
    for (index, found) in gradient.into_iter().enumerate() {
        let expected = central(&value, x, index)?;
        let error = (found - expected).abs() / expected.abs().max(1.0);
        // A NaN on either side is a disagreement, and the worst.
        if error > worst.0 || error.is_nan() {
            worst = (error, Err(Error::Disagree { what: "reverse-mode gradient".into(), index, found, expected }));
        }
    }
    worst.1
}

/// The partial derivative by central differences, extrapolated three times (error of order h⁸).
fn central(f: &impl Fn(&[f64]) -> Result<f64>, x: &[f64], index: usize) -> Result<f64> {
    let quotient = |h: f64| -> Result<f64> {
        let mut at = x.to_vec();
        let (above, below) = (x[index] + h, x[index] - h);
        at[index] = above;
        let high = f(&at)?;
        at[index] = below;
        Ok((high - f(&at)?) / (above - below))
    };
    let h = 0.02 * x[index].abs().max(1.0);
    let mut column = [quotient(h)?, quotient(h / 2.0)?, quotient(h / 4.0)?, quotient(h / 8.0)?];
    for round in 1..4 {
        let factor = 4.0_f64.powi(round as i32);
        for k in 0..4 - round {
            column[k] = (factor * column[k + 1] - column[k]) / (factor - 1.0);
        }
    }
    Ok(column[0])
}
