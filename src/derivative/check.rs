//! Checking a gradient against finite differences.
//!
//! Law: a derivative is the limit of difference quotients: central differences have an error in even powers of the
//! step, so each column of Richardson's tableau removes one of them, and the result is the entry whose neighbours
//! differ least, with that difference as its error (Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", 1982)
//! (tests/scalar/checking.rs).

use super::Reverse;
use super::reverse::ReverseVar;
use super::strategy::Strategy;
use crate::error::{Error, Result};

/// Compares the reverse-mode gradient of `f` at `x` with extrapolated central differences, to a relative tolerance
/// (absolute below 1). Use it in tests of code with branches or rules of your own.
///
/// The steps of the differences shrink until the quotients settle, first from a fraction of the number itself and
/// then from one of 1; samples where `f` is not finite are ignored. Where the quotients do not settle to within
/// the tolerance, their estimated error is allowed on top of it.
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
    F: for<'b> Fn(&'b [ReverseVar<'b, f64>]) -> ReverseVar<'b, f64>,
{
    let gradient = Reverse::grad(&f, x)?;
    let value = |x: &[f64]| Reverse::value_and_grad(&f, x).map(|(value, _)| value);
    let mut worst = (0.0, Ok(()));
    for (index, found) in gradient.into_iter().enumerate() {
        let quotient = |h: f64| {
            let mut at = x.to_vec();
            let (above, below) = (x[index] + h, x[index] - h);
            let mut sample = |moved: f64| {
                at[index] = moved;
                value(&at).ok().filter(|y| y.is_finite())
            };
            let (high, low) = (sample(above)?, sample(below)?);
            // What the values are rounded by is in the quotient too.
            let rounding = f64::EPSILON * high.abs().max(low.abs()) / (above - below);
            Some(((high - low) / (above - below), rounding)).filter(|(slope, _)| slope.is_finite())
        };
        let Slope { value: expected, error } = slope(quotient, x[index], found, tolerance);
        let excess = (found - expected).abs() - error - tolerance * expected.abs().max(1.0);
        // A NaN on either side is a disagreement, and the worst.
        if excess > worst.0 || excess.is_nan() {
            worst = (excess, Err(Error::Disagree { what: "reverse-mode gradient".into(), index, found, expected }));
        }
    }
    worst.1
}

/// A derivative estimated from samples, and a bound on its error.
struct Slope {
    value: f64,
    error: f64,
}

/// Each step is this much shorter than the one before. A ratio and a start that fit no period keep periodic functions
/// from looking settled.
const SHRINK: f64 = 1.6;
const START: f64 = 0.0931;
/// From a tenth of a number down to its rounding.
const MAX_STEPS: usize = 72;
/// Coarser steps than this many back have nothing to add.
const COLUMNS: usize = 8;

/// The derivative that the quotients at shrinking steps settle to, with the least error found, or NaN if none do. It
/// stops as soon as it is sure of the derivative `found`.
fn slope(quotient: impl Fn(f64) -> Option<(f64, f64)>, x: f64, found: f64, tolerance: f64) -> Slope {
    let mut best = Slope { value: f64::NAN, error: f64::INFINITY };
    let near = x.abs();
    // First from a fraction of the number, so as to stay in the domain; a number near 0 may need more.
    let first = if near == 0.0 { 1.0 } else { near };
    for scale in [first].into_iter().chain((first < 1.0).then_some(1.0)) {
        let (mut step, mut above) = (START * scale, Vec::new());
        for _ in 0..MAX_STEPS {
            let sampled = quotient(step);
            step /= SHRINK;
            let Some((first, rounding)) = sampled else {
                above.clear();
                continue;
            };
            let mut row = vec![first];
            let mut power = 1.0;
            for column in 1..=above.len().min(COLUMNS) {
                power *= SHRINK * SHRINK;
                let (left, corner): (f64, f64) = (row[column - 1], above[column - 1]);
                let entry = left + (left - corner) / (power - 1.0);
                row.push(entry);
                let error = (entry - left).abs().max((entry - corner).abs()) + rounding;
                // Two quotients may agree by chance; three do not.
                if column > 1 && error < best.error {
                    best = Slope { value: entry, error };
                }
            }
            above = row;
            let allowed = tolerance * best.value.abs().max(1.0);
            if best.error <= 0.1 * allowed && (best.value - found).abs() <= allowed {
                return best;
            }
        }
    }
    best
}
