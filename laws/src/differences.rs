//! Finite differences: derivatives from values alone, which no rule of calculus has touched.
//!
//! Law: central differences `(f(h) − f(−h)) / 2h` have an error in even powers of `h`, so each column of Richardson's
//! tableau removes one of them, and the result is the entry whose neighbours differ least (Ridders, "Accurate
//! computation of F'(x) and F'(x)F''(x)", 1982) (tests/scalar/checking.rs).

/// Each step is this much shorter than the one before.
const SHRINK: f64 = 1.5;
const ROWS: usize = 16;

/// The derivative of `f` at 0, from values within `reach` of it.
///
/// On functions that are smooth there it has ten or more correct digits; on others it is some number, or NaN.
///
/// ```
/// use catadiff_laws::slope;
/// let found = slope(|t| (1.0 + t).ln(), 0.5);
/// assert!((found - 1.0).abs() < 1e-11);
/// ```
#[must_use]
pub fn slope(f: impl Fn(f64) -> f64, reach: f64) -> f64 {
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    let mut above: Vec<f64> = Vec::new();
    let mut step = reach;
    for _ in 0..ROWS {
        let mut row = vec![(f(step) - f(-step)) / (2.0 * step)];
        let mut gain = 1.0;
        for (column, previous) in above.iter().enumerate() {
            gain *= SHRINK * SHRINK;
            let improved = row[column] + (row[column] - previous) / (gain - 1.0);
            let doubt = (improved - row[column]).abs().max((improved - previous).abs());
            if doubt <= error {
                (best, error) = (improved, doubt);
            }
            row.push(improved);
        }
        above = row;
        step /= SHRINK;
    }
    best
}
