//! Triangular systems of equations, by substitution.
//!
//! For `X = L⁻¹B` the adjoint of `B` is `L⁻ᵀX̄`, which is a triangular system again, and that of `L` the lower triangle of `−B̄Xᵀ`
//! (Giles 2008, 2.3.1). Upper triangles are lower ones read backwards, so there is one substitution. It goes over blocks of rows: what
//! the rows above have to do with a block is a product of matrices.
//!
//! Law: `L·X = B`, row by row, within the rounding of the products; only the triangle is read, and only it has derivatives
//! (tests/array/linalg.rs).

use super::super::scope::Here;
use super::super::{Arr, Handle, I64, Number, custom_with_result, if_, iota, loop_for};
use super::{Matrix, ORDERS, agree, block, blocks, columns, right_side, square};
use crate::array::Agreement;
use crate::primitives::Real;

/// The right side of a system of equations: a vector, or a matrix of which each column is one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the right side of a system of equations over `{S}`",
    note = "`Arr<{S}>` is, and `Arr<Arr<{S}>>` for many systems at once"
)]
pub trait RightSide<S: Number>: Handle {
    /// The columns, side by side.
    #[must_use]
    #[track_caller]
    fn into_columns(self) -> Arr<Arr<S>>;

    /// The way back.
    #[must_use]
    #[track_caller]
    fn from_columns(columns: Arr<Arr<S>>) -> Self;
}

impl<S: Number> RightSide<S> for Arr<S> {
    #[track_caller]
    fn into_columns(self) -> Arr<Arr<S>> {
        self.unflatten(self.len(), 1)
    }
    #[track_caller]
    fn from_columns(columns: Arr<Arr<S>>) -> Self {
        columns.flatten()
    }
}

impl<S: Number> RightSide<S> for Arr<Arr<S>> {
    fn into_columns(self) -> Self {
        self
    }
    fn from_columns(columns: Self) -> Self {
        columns
    }
}

impl<S: Number + Real> Arr<Arr<S>> {
    /// The solution `x` of `L x = b`, where `L` is the lower triangle of this matrix, with its diagonal; what is above is not read. Of
    /// a matrix `b`, a solution for each column. A 0 on the diagonal is an error of the program.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let solve = Program::trace(|l: Arr<Arr<F64>>, b: Arr<F64>| l.solve_lower(b))?;
    /// let x: Vec<f64> = solve.at((vec![vec![2.0, 0.0], vec![1.0, 4.0]], vec![6.0, 11.0]))?;
    /// assert_eq!(x, [3.0, 2.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn solve_lower<B: RightSide<S>>(self, b: B) -> B {
        let _here = Here::new();
        is_regular(self);
        B::from_columns(forward(ORDERS, self, right_side(self, b)))
    }

    /// The solution `x` of `U x = b`, where `U` is the upper triangle of this matrix, with its diagonal; what is below is not read.
    /// That of `Lᵀ x = b` is `l.transpose().solve_upper(b)`. Else as [`solve_lower`](Arr::solve_lower).
    #[must_use]
    #[track_caller]
    pub fn solve_upper<B: RightSide<S>>(self, b: B) -> B {
        let _here = Here::new();
        is_regular(self);
        B::from_columns(backward(ORDERS, self, right_side(self, b)))
    }
}

/// A triangular matrix has to be square, and without zeros on its diagonal.
#[track_caller]
fn is_regular<S: Number + Real>(a: Matrix<S>) {
    let n = square(a);
    let regular = a.diagonal().map(|d| if_(d.equal(S::zero()), || 0, || 1)).sum();
    agree(Agreement::Regular, n, regular);
}

/// `L⁻¹B`, with rules for this many orders of derivatives.
#[track_caller]
pub(super) fn forward<S: Number + Real>(orders: usize, l: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    let Some(orders) = orders.checked_sub(1) else { return substituted(l, b) };
    custom_with_result(
        (l, b),
        |(l, b)| substituted(l, b),
        |(l, _), x, adjoint| {
            let of_b = backward(orders, l.transpose(), adjoint);
            (-of_b.matmul(x.transpose()).tril(0), of_b)
        },
    )
}

/// `U⁻¹B`: forward in the order of rows and columns that makes `U` a lower triangle.
#[track_caller]
pub(super) fn backward<S: Number + Real>(orders: usize, u: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    forward(orders, backwards(u), b.reverse()).reverse()
}

/// The matrix with rows and columns in the opposite order.
#[track_caller]
fn backwards<S: Number>(a: Matrix<S>) -> Matrix<S> {
    a.reverse().transpose().reverse().transpose()
}

#[track_caller]
pub(super) fn substituted<S: Number + Real>(l: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    let n = l.len();
    loop_for(blocks(n), b, |k, x| {
        let (start, width, end) = block(n, k);
        let rows = l.slice(start, end);
        let right = x.slice(start, end) - columns(rows, 0.into(), start).matmul(x.take(start));
        x.scatter(iota(width) + start, by_rows(columns(rows, start, end), right))
    })
}

/// `U⁻¹B`, by substitution.
#[track_caller]
pub(super) fn substituted_backwards<S: Number + Real>(u: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    substituted(backwards(u), b.reverse()).reverse()
}

/// The same row by row, for the rows of a block.
#[track_caller]
pub(super) fn by_rows<S: Number + Real>(l: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    loop_for(l.len(), b, |i: I64, x: Matrix<S>| {
        let coefficients = l.index(i);
        let known = x.take(i).transpose().map(|column| column.dot(coefficients.take(i)));
        let pivot = coefficients.index(i);
        x.with(i, x.index(i).map2(known, |b, known| (b - known) / pivot))
    })
}

/// `U⁻¹B`, row by row.
#[track_caller]
pub(super) fn by_rows_backwards<S: Number + Real>(u: Matrix<S>, b: Matrix<S>) -> Matrix<S> {
    by_rows(backwards(u), b.reverse()).reverse()
}
