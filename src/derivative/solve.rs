//! Linear systems as one differentiable operation, by the implicit function theorem.
//!
//! Law: where `A x = b`, the tangents satisfy `A x' = b' − A' x`; so the elimination runs on plain values, and what is
//! recorded is `2n²` sums instead of the `n³/3` of its steps ("Automatic Differentiation", *Tricks to decrease memory
//! consumptions*: custom rules over large functional blocks) (tests/scalar/rules.rs).

use core::iter::{once, once_with};
use num_traits::{One, Zero};

use super::custom::WithTangent;
use super::strategy::{Base, check_finite};
use crate::error::{Error, Result};

/// The solution `x` of the linear system `A x = b`, with `A` given row by row, in any mode of differentiation.
///
/// The numbers are those of any strategy, or plain ones. Over a nested base the elimination is done in the numbers of
/// the outer differentiation, so higher derivatives are exact.
///
/// # Errors
/// [`Error::Empty`] without equations, [`Error::Length`] if `a` has not `b.len()²` numbers, [`Error::NotFinite`] if
/// one of them, or of the solution, is NaN or infinite, [`Error::Singular`] if a column has no pivot but 0 or ∞.
///
/// ```
/// use catadiff::derivative::solve;
/// use catadiff::prelude::*;
///
/// // 2x + y = p, x + 3y = 1, and the derivative of both unknowns by p: the first column of A⁻¹.
/// let (x, dx) = jvp(
///     |p| solve(&[2.0, 1.0, 1.0, 3.0].map(Forward::lift), &[p[0], Forward::lift(1.0)]).unwrap(),
///     &[3.0],
///     &[1.0],
/// )?;
/// assert!((x[0] - 1.6).abs() < 1e-15 && (x[1] + 0.2).abs() < 1e-15);
/// assert!((dx[0] - 0.6).abs() < 1e-15 && (dx[1] + 0.2).abs() < 1e-15);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn solve<N: WithTangent<Base: Base>>(a: &[N], b: &[N]) -> Result<Vec<N>> {
    let n = b.len();
    if n == 0 {
        return Err(Error::Empty { what: "the linear system" });
    }
    let expected = n.checked_mul(n).ok_or(Error::TooLarge { what: "the linear system", limit: usize::MAX })?;
    Error::lengths("the matrix of a linear system", expected, a.len())?;
    let (values, right): (Vec<_>, Vec<_>) = (a.iter().map(N::base).collect(), b.iter().map(N::base).collect());
    check_finite("the matrix of a linear system", &values)?;
    check_finite("the right side of a linear system", &right)?;

    let lu = Lu::factor(n, values)?;
    let x = lu.solve(&right);
    check_finite("the solution of a linear system", &x)?;
    // The terms are lazy: numbers without a tangent never ask for the inverse.
    let residual = |(row, b): (&[N], &N)| {
        let of_matrix = row.iter().zip(x.iter().map(|x| -*x));
        N::linear(N::Base::zero(), once((b, N::Base::one())).chain(of_matrix))
    };
    let residuals: Vec<N> = a.chunks_exact(n).zip(b).map(residual).collect();
    let unknown = |(i, x): (usize, &N::Base)| {
        let row = once_with(|| lu.row_of_inverse(i)).flatten();
        N::linear(*x, residuals.iter().zip(row))
    };
    Ok(x.iter().enumerate().map(unknown).collect())
}

/// The factors of a matrix with its rows in another order: `L` below the diagonal, where it has ones, and `U` from the
/// diagonal on.
struct Lu<S> {
    n: usize,
    factors: Vec<S>,
    order: Vec<usize>,
}

impl<S: Base> Lu<S> {
    /// Gaussian elimination with the largest pivot of each column.
    fn factor(n: usize, mut a: Vec<S>) -> Result<Self> {
        let mut order: Vec<usize> = (0..n).collect();
        for column in 0..n {
            let (mut pivot, mut largest) = (column, S::zero());
            for row in column..n {
                let size = a[row * n + column].abs();
                if size > largest {
                    (pivot, largest) = (row, size);
                }
            }
            // Not zero, nor grown beyond the numbers, of which no solution would be right.
            if !(largest > S::zero() && largest.primal().is_none_or(f64::is_finite)) {
                return Err(Error::Singular { column });
            }
            if pivot != column {
                order.swap(column, pivot);
                let (above, below) = a.split_at_mut(pivot * n);
                above[column * n..][..n].swap_with_slice(&mut below[..n]);
            }
            let (above, below) = a.split_at_mut((column + 1) * n);
            let pivot_row = &above[column * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[column] / pivot_row[column];
                row[column] = factor;
                for (entry, above) in row.iter_mut().zip(pivot_row).skip(column + 1) {
                    *entry = *entry - factor * *above;
                }
            }
        }
        Ok(Lu { n, factors: a, order })
    }

    fn row(&self, row: usize) -> &[S] {
        &self.factors[row * self.n..][..self.n]
    }

    /// The solution for one right side.
    fn solve(&self, b: &[S]) -> Vec<S> {
        let mut x: Vec<S> = self.order.iter().map(|&row| b[row]).collect();
        for i in 1..self.n {
            x[i] = self.row(i)[..i].iter().zip(&x[..i]).fold(x[i], |sum, (l, x)| sum - *l * *x);
        }
        for i in (0..self.n).rev() {
            let rest = self.row(i)[i + 1..].iter().zip(&x[i + 1..]).fold(x[i], |sum, (u, x)| sum - *u * *x);
            x[i] = rest / self.row(i)[i];
        }
        x
    }

    /// The row `i` of the inverse: the solution of the transposed system for the unit vector `i`.
    fn row_of_inverse(&self, i: usize) -> Vec<S> {
        let mut y = vec![S::zero(); self.n];
        y[i] = S::one();
        for k in i..self.n {
            let (row, (done, rest)) = (self.row(k), y.split_at_mut(k + 1));
            done[k] = done[k] / row[k];
            for (y, u) in rest.iter_mut().zip(&row[k + 1..]) {
                *y = *y - done[k] * *u;
            }
        }
        for k in (1..self.n).rev() {
            let (rest, done) = y.split_at_mut(k);
            for (y, l) in rest.iter_mut().zip(self.row(k)) {
                *y = *y - done[0] * *l;
            }
        }
        let mut row = vec![S::zero(); self.n];
        for (&place, y) in self.order.iter().zip(y) {
            row[place] = y;
        }
        row
    }
}
