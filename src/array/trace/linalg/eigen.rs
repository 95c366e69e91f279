//! Eigenvalues and eigenvectors of symmetric matrices, by way of a tridiagonal one.
//!
//! Householder's reflections make the matrix tridiagonal, each of which is a map over rows; then sweeps of rotations with implicit
//! shifts, which are scalar but for the two eigenvectors that each turns, take what is off the diagonal away (Bowdler, Martin, Reinsch and
//! Wilkinson 1968; Golub and Van Loan, "Matrix Computations", section 8.3). The adjoint is `V (diag(w̄) + F ∘ VᵀV̄) Vᵀ` with
//! `Fᵢⱼ = 1/(wⱼ − wᵢ)` (Giles 2008, 3.1), in nothing but products.
//!
//! Law: `A V = V diag(w)` and `VᵀV = 1` within rounding, and eigenvalues ascend. Of equal ones `F` is 0: derivatives leave their eigenvectors
//! where they are among each other, which is right where it does not matter which of them they are (tests/array/linalg.rs).

use super::super::scope::Here;
use super::super::{Arr, I64, Number, custom_with_result, eye, if_, iota, loop_for, loop_while, tabulate};
use super::{Matrix, square, symmetric};
use crate::primitives::Real;

/// More sweeps for each eigenvalue than any matrix of numbers needs.
const SWEEPS: i64 = 40;

impl<S: Number + Real> Arr<Arr<S>> {
    /// The eigenvalues of a symmetric matrix, ascending, and a matrix whose columns are orthonormal eigenvectors. Of a matrix that is not
    /// symmetric, of its symmetric part `(A + Aᵀ)/2`; so derivatives are symmetric.
    ///
    /// Eigenvectors of equal eigenvalues are any of their space, and have no derivative; what does not depend on the choice has the right one.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let largest = Program::trace(|a: Arr<Arr<F64>>| a.eigh().0.last())?;
    /// let (value, slope): (f64, Vec<Vec<f64>>) = largest.value_and_grad(..)?.at([vec![0.0, 1.0], vec![1.0, 0.0]])?;
    /// assert!((value - 1.0).abs() < 1e-15 && slope.iter().flatten().all(|x| (x - 0.5).abs() < 1e-15));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn eigh(self) -> (Arr<S>, Self) {
        let _here = Here::new();
        let function = |a: Matrix<S>| {
            let n = square(a);
            ascending(diagonalised(tridiagonal(n, symmetric(a))))
        };
        let (values, vectors) = custom_with_result(self, function, |_, (w, v), (of_w, of_v)| {
            let turned = v.matmul(of_v.transpose());
            let places = iota(w.len());
            let inner = turned.map3(w, places, |row, wi, i| {
                row.map3(w, places, |x, wj, j| {
                    let apart = wj - wi;
                    if_(i.eq(j), || of_w.index(i), || if_(apart.equal(S::zero()), || S::zero(), || x / apart))
                })
            });
            symmetric(v.transpose().matmul(inner.matmul(v)))
        });
        (values, vectors.transpose())
    }
}

/// The diagonal of a tridiagonal matrix, what is beside it at the right, with a 0 at the end, and rows that are turned with it.
type Tridiagonal<S> = (Arr<S>, Arr<S>, Matrix<S>);

/// The tridiagonal matrix `T` with `A = Q T Qᵀ`, and the rows of `Qᵀ`.
#[track_caller]
fn tridiagonal<S: Number + Real>(n: I64, a: Matrix<S>) -> Tridiagonal<S> {
    let places = iota(n);
    let (a, q) = loop_for((n - 2).max(0), (a, eye::<S>(n)), |k: I64, (a, q): (Matrix<S>, Matrix<S>)| {
        let column = a.index(k).map2(places, |x, i| if_(i.gt(k), || x, S::zero));
        let tail = column.map2(places, |x, i| if_(i.gt(k + 1), || x * x, S::zero)).sum();
        let first = column.index(k + 1);
        let norm = (tail + first * first).sqrt();
        // The reflection 1 − β v vᵀ takes the column to its first element, of the sign that cancels nothing.
        let v = column.with(k + 1, if_(first.less(S::zero()), || first - norm, || first + norm));
        let beta = if_(tail.equal(S::zero()), S::zero, || (norm * (norm + first.abs())).recip());
        let product = a.map(|row| row.dot(v) * beta);
        let half = product.dot(v) * beta * 0.5;
        let w = product.map2(v, |x, v| x - half * v);
        let a = a.map3(v, w, |row, vi, wi| row.map3(v, w, |x, vj, wj| x - vi * wj - wi * vj));
        let q = q.map(|row| {
            let size = row.dot(v) * beta;
            row.map2(v, |x, v| x - size * v)
        });
        (a, q)
    });
    let beside = tabulate(n, |i| if_(i.lt(n - 1), || a.index2(i, i + 1), S::zero));
    (a.diagonal(), beside, q.transpose())
}

/// The eigenvalues of a tridiagonal matrix, and the rows turned as its eigenvectors are.
#[track_caller]
fn diagonalised<S: Number + Real>((diagonal, beside, rows): Tridiagonal<S>) -> (Arr<S>, Matrix<S>) {
    let n = diagonal.len();
    // Where what is beside the diagonal is more than the rounding of what is on it.
    let parts = |d: Arr<S>, e: Arr<S>| {
        e.map2(iota(n), |e, i| {
            let size = d.index(i).abs() + d.index((i + 1).min(n - 1)).abs();
            if_(size.less(size + e.abs()), || 1, || 0)
        })
    };
    let (values, _, rows, ..) = loop_while(
        (diagonal, beside, rows, parts(diagonal, beside), 0),
        |(_, _, _, left, count): (Arr<S>, Arr<S>, Matrix<S>, Arr<I64>, I64)| left.max().gt(0) & count.lt(n * SWEEPS),
        |(d, e, rows, left, count)| {
            let start = left.argmax();
            let end = left.map2(iota(n), |left, i| if_(left.eq(0) & i.gt(start), || 1, || 0)).argmax();
            let (d, e, rows) = swept((start, end), d, e, rows);
            (d, e, rows, parts(d, e), count + 1)
        },
    );
    (values, rows)
}

/// A sweep over the part of a tridiagonal matrix from a row to another, with the shift of Wilkinson: each rotation takes away what the
/// one before brought in.
#[track_caller]
fn swept<S: Number + Real>((start, end): (I64, I64), d: Arr<S>, e: Arr<S>, rows: Matrix<S>) -> Tridiagonal<S> {
    let half = (d.index(start + 1) - d.index(start)) / (e.index(start) * 2.0);
    let root = (half * half + 1.0).sqrt();
    let shift = d.index(start) - e.index(start) / (half + if_(half.less(S::zero()), || -root, || root));
    let first = ((d, e, rows), (d.index(end) - shift, S::one(), S::one(), S::zero()));
    let ((d, e, rows), (last, _, _, moved)) =
        loop_for(end - start, first, |step: I64, ((d, e, rows), (g, s, c, moved)): (Tridiagonal<S>, (S, S, S, S))| {
            let i = end - 1 - step;
            let (out, beside) = (s * e.index(i), c * e.index(i));
            let r = (out * out + g * g).sqrt();
            let (s, c) = if_(r.equal(S::zero()), || (S::zero(), S::one()), || (out / r, g / r));
            let above = d.index(i + 1) - moved;
            let turned = (d.index(i) - above) * s + c * beside * 2.0;
            let moved = s * turned;
            let (x, y) = (rows.index(i), rows.index(i + 1));
            let (x, y) = x.map2(y, |x, y| (c * x - s * y, s * x + c * y)).unzip();
            let matrix = (d.with(i + 1, above + moved), e.with(i + 1, r), rows.with(i, x).with(i + 1, y));
            (matrix, (c * turned - beside, s, c, moved))
        });
    (d.with(start, d.index(start) - moved), e.with(start, last).with(end, S::zero()), rows)
}

/// Values in ascending order, with the rows that belong to them.
#[track_caller]
fn ascending<S: Number + Real>((values, rows): (Arr<S>, Matrix<S>)) -> (Arr<S>, Matrix<S>) {
    let order = values.argsort();
    (values.gather(order), rows.gather(order))
}
