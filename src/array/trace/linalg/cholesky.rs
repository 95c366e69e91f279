//! Cholesky's factor of a positive definite matrix, and what is solved by it.
//!
//! Computed is `U = Lᵀ`, by blocks of its rows: what the rows above take from a block is a product of matrices. The adjoint is
//! computed by the same blocks, from the last (Murray 2016, section 4.1): twice the work of the factor, and no inverse is formed.
//!
//! Law: `L·Lᵀ` is the symmetric part of the matrix, which alone has a part in value and derivatives, so an adjoint is symmetric
//! (tests/array/linalg.rs).

use super::super::scope::Here;
use super::super::{Arr, I64, Number, custom_with_result, if_, iota, loop_for};
use super::triangular::{backward, by_rows_backwards, forward, substituted, substituted_backwards};
use super::{
    Matrix, ORDERS, RightSide, after_zeros, agree, block, blocks, columns, mirrored, right_side, square, symmetric,
};
use crate::array::Agreement;
use crate::primitives::Real;

impl<S: Number + Real> Arr<Arr<S>> {
    /// Cholesky's factor `L` of a positive definite matrix, a lower triangle with `L Lᵀ = A`. Of a matrix that is not symmetric, of its
    /// symmetric part `(A + Aᵀ)/2`; so derivatives are symmetric.
    ///
    /// That a matrix is not positive definite is an error of the program, which says which part of it was:
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let cholesky = Program::trace(|a: Arr<Arr<F64>>| a.cholesky())?;
    /// let l: Vec<Vec<f64>> = cholesky.at([vec![4.0, 2.0], vec![2.0, 10.0]])?;
    /// assert_eq!(l, [[2.0, 0.0], [1.0, 3.0]]);
    /// let error = cholesky.at::<Vec<Vec<f64>>>([vec![4.0, 2.0], vec![2.0, 1.0]]).unwrap_err().to_string();
    /// let told = "the rows of a matrix and of its leading part that is positive definite must agree, and are 2 and 1";
    /// assert!(error.contains(told), "{error}");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn cholesky(self) -> Self {
        let _here = Here::new();
        let factor = |a: Matrix<S>| {
            let n = square(a);
            let (u, order) = factored(n, symmetric(a));
            agree(Agreement::Definite, n, order);
            u
        };
        custom_with_result(self, factor, |_, u, adjoint| pulled_back(u, adjoint)).transpose()
    }

    /// The solution `x` of `L Lᵀ x = b`, of this matrix as the factor `L`: what [`cholesky`](Arr::cholesky) factored is solved. Of a
    /// matrix `b`, a solution for each column.
    #[must_use]
    #[track_caller]
    pub fn cholesky_solve<B: RightSide<S>>(self, b: B) -> B {
        let _here = Here::new();
        square(self);
        B::from_columns(solved(self, right_side(self, b)))
    }

    /// The logarithm of the determinant of a positive definite matrix, by its [factor](Arr::cholesky). Its derivative is the inverse.
    #[must_use]
    #[track_caller]
    pub fn logdet(self) -> S {
        let _here = Here::new();
        self.cholesky().diagonal().map(|d| d.ln()).sum() * 2.0
    }
}

/// The solution `X` of `L H = B` and `Lᵀ X = H`. With `W = L⁻¹X̄` the adjoint of `B` is `L⁻ᵀ(W + H̄)`, and that of `L` the lower triangle of
/// `−(B̄ Hᵀ + X Wᵀ)`, which is one product.
#[track_caller]
fn solved<S: Number + Real>(l: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    let function = |(l, b): (Matrix<S>, Matrix<S>)| {
        let half = substituted(l, b);
        (substituted_backwards(l.transpose(), half), half)
    };
    let beside = |a: Matrix<S>, b: Matrix<S>| a.map2(b, |row, other| row.concat(other));
    let (x, _) = custom_with_result((l, b), function, |(l, _), (x, half), (of_x, of_half)| {
        let w = forward(ORDERS, l, of_x);
        let of_b = backward(ORDERS, l.transpose(), w.map2(of_half, |x, y| x.map2(y, |x, y| x + y)));
        let of_l = beside(of_b, x).matmul(beside(-half, -w).transpose());
        (of_l.tril(0), of_b)
    });
    x
}

/// The factor `U`, and how many rows of it are there: pivots above 0 come before the first that is not.
#[track_caller]
fn factored<S: Number + Real>(n: I64, a: Matrix<S>) -> (Matrix<S>, I64) {
    loop_for(blocks(n), (a, 0), |k, (u, order)| {
        let (start, width, end) = block(n, k);
        let above = columns(u.take(start), start, n);
        let taken = columns(u.take(start), start, end).transpose().matmul(above);
        let (rows, order) = by_rows(width, columns(u.slice(start, end), start, n) - taken, order, start);
        (u.scatter(iota(width) + start, after_zeros(start, rows)), order)
    })
}

/// The rows of `U` of one block, from its diagonal on.
#[track_caller]
fn by_rows<S: Number + Real>(width: I64, a: Matrix<S>, order: I64, start: I64) -> (Matrix<S>, I64) {
    let places = iota(a.size(1));
    loop_for(width, (a, order), |i: I64, (u, order): (Matrix<S>, I64)| {
        let above = u.take(i);
        let coefficients = u.transpose().index(i).take(i);
        let row = u.index(i).map2(above.transpose(), |x, column| x - column.dot(coefficients));
        let pivot = row.index(i);
        let root = pivot.sqrt();
        let row = row.map2(places, |x, j| if_(j.lt(i), || S::zero(), || x / root));
        let is_next = S::zero().less(pivot) & order.eq(start + i);
        (u.with(i, row), if_(is_next, || order + 1, || order))
    })
}

/// The adjoint `F = L⁻ᵀ S L⁻¹/2` of `A`, given that of `U`: `S` is symmetric, with the lower triangle of `Lᵀ L̄`.
///
/// It is linear in `L̄`, and its transpose there is forward mode: `L Φ(M)`, where `M = L⁻¹ G L⁻ᵀ` for a tangent `G` of `A`, and `Φ` is the
/// lower triangle with half of the diagonal. Its derivative by `L` has the adjoint `L̄ Φ(M)ᵀ − 2 F G L⁻ᵀ`.
#[track_caller]
fn pulled_back<S: Number + Real>(u: Matrix<S>, adjoint: Matrix<S>) -> Matrix<S> {
    custom_with_result(
        (u, adjoint),
        |(u, adjoint)| by_blocks(u, adjoint),
        |(u, adjoint), f, g| {
            let (l, g) = (u.transpose(), symmetric(g));
            let m = forward(ORDERS, l, forward(ORDERS, l, g).transpose());
            let phi = m.tril(0).map2(iota(m.len()), |row, i| row.with(i, row.index(i) * 0.5));
            let of_factor = forward(ORDERS, l, g.matmul(f));
            let of_u = phi.matmul(adjoint).map2(of_factor, |x, y| x.map2(y, |x, y| x - y * 2.0));
            (of_u.triu(0), l.matmul(phi).transpose())
        },
    )
}

/// The same by blocks of rows from the last. With the adjoints `V` of what each block of rows was before it was factored, from its diagonal
/// on, and `F = (V + Vᵀ)/2`, the rows below a block take `2 U F` from its adjoint, of what is right of the diagonal.
#[track_caller]
fn by_blocks<S: Number + Real>(u: Matrix<S>, adjoint: Matrix<S>) -> Matrix<S> {
    let n = u.len();
    let count = blocks(n);
    loop_for(count, u.zeros_like(), |k, f: Matrix<S>| {
        let (start, width, end) = block(n, count - 1 - k);
        let (rows, adjoints) = (u.slice(start, end), adjoint.slice(start, end));
        let (diagonal, right) = (columns(rows, start, end), columns(rows, end, n));
        let later = columns(f.drop(end), end, n);
        let halved = |a: Matrix<S>| a.map(|row| row.map(|x| x * 0.5));
        let right_adjoint = by_rows_backwards(diagonal, halved(columns(adjoints, end, n)) - right.matmul(later));
        let diagonal_adjoint = halved(columns(adjoints, start, end)) - right.matmul(right_adjoint.transpose());
        // L⁻ᵀ (the lower triangle of Lᵀ L̄, mirrored) L⁻¹, of the block of the diagonal.
        let places = iota(width);
        let mirrored = mirrored(diagonal.matmul(diagonal_adjoint.transpose()));
        let half = by_rows_backwards(diagonal, mirrored).transpose();
        let own = by_rows_backwards(diagonal, half);
        let f = f.scatter(places + start, after_zeros(start, own.map2(right_adjoint, |own, right| own.concat(right))));
        // The rows below have the same to the left of them.
        let below = iota(n - end);
        let indices = below.map(|i| places.map(|j| (i + end) * n + (j + start))).flatten();
        f.flatten().scatter(indices, right_adjoint.transpose().flatten()).unflatten(n, n)
    })
}
