//! Orthogonal factors of matrices with independent columns: `A = Q R`.
//!
//! Computed column by column, by the method of Gram and Schmidt, whose projections are subtracted twice: that is enough for orthogonality
//! within rounding, unless a column depends on those before it, and then the second time leaves less than half (Kahan, in Parlett, "The
//! Symmetric Eigenvalue Problem", 1980, section 6.9). With `M = R R̄ᵀ − Q̄ᵀ Q`, and `S` symmetric with its lower triangle, the adjoint is
//! `(Q̄ + Q S) R⁻ᵀ` (Walter and Lehmann, "Algorithmic differentiation of linear algebra functions", 2012).
//!
//! Law: `Q R = A` and `Qᵀ Q = 1` within rounding, and `R` is an upper triangle with a positive diagonal (tests/array/linalg.rs).

use super::super::scope::Here;
use super::super::{Arr, I64, Number, custom_with_result, if_, loop_for, replicate};
use super::triangular::backward;
use super::{Matrix, ORDERS, agree, mirrored};
use crate::array::Agreement;
use crate::primitives::Real;

impl<S: Number + Real> Arr<Arr<S>> {
    /// `Q` with orthonormal columns and an upper triangle `R` with a positive diagonal, whose product is this matrix. It has at least as many rows as
    /// columns. That a column depends on those before it is an error of the program.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// // The parameters of the line that is next to some points.
    /// let fit = Program::trace(|a: Arr<Arr<F64>>, b: Arr<F64>| {
    ///     let (q, r) = a.qr();
    ///     r.solve_upper(q.transpose().matvec(b))
    /// })?;
    /// let line: Vec<f64> = fit.at((vec![vec![1.0, 0.0], vec![1.0, 1.0], vec![1.0, 2.0]], vec![1.0, 3.0, 5.0]))?;
    /// assert!((line[0] - 1.0).abs() < 1e-14 && (line[1] - 2.0).abs() < 1e-14);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn qr(self) -> (Self, Self) {
        let _here = Here::new();
        let (q, r) = custom_with_result(self.transpose(), factors, |_, (q, r), (of_q, of_r)| {
            let product = r.transpose().matmul(of_r) - of_q.matmul(q.transpose());
            let rows = of_q.map2(mirrored(product).matmul(q), |x, y| x.map2(y, |x, y| x + y));
            backward(ORDERS, r.transpose(), rows)
        });
        (q.transpose(), r.transpose())
    }
}

/// The columns of `Q`, and those of `R`, of columns.
#[track_caller]
fn factors<S: Number + Real>(columns: Matrix<S>) -> (Matrix<S>, Matrix<S>) {
    let n = columns.len();
    let r = columns.map(|_| replicate(n, S::zero()));
    let (q, r, independent) =
        loop_for(n, (columns.zeros_like(), r, 0), |k: I64, state: (Matrix<S>, Matrix<S>, I64)| {
            let (q, r, independent) = state;
            let before = q.take(k);
            let (first, once) = projected(before, columns.index(k));
            let (second, twice) = projected(before, once);
            let (half, norm) = (once.dot(once).sqrt() * 0.5, twice.dot(twice).sqrt());
            let coefficients = first + second;
            let zeros = replicate(n - k - 1, S::zero());
            let r = r.with(k, coefficients.concat(replicate(1, norm)).concat(zeros));
            let is_independent = half.less(norm) & independent.eq(k);
            (q.with(k, twice.map(|x| x / norm)), r, if_(is_independent, || independent + 1, || independent))
        });
    agree(Agreement::Independent, n, independent);
    (q, r)
}

/// The coefficients of a vector by orthonormal ones, and what is left of it.
#[track_caller]
fn projected<S: Number + Real>(by: Matrix<S>, vector: Arr<S>) -> (Arr<S>, Arr<S>) {
    let coefficients = by.matvec(vector);
    (coefficients, vector.map2(by.transpose(), |x, row| x - row.dot(coefficients)))
}
