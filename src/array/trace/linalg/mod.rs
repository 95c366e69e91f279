//! Linear algebra: factorisations of matrices and what is solved by them, with their rules of differentiation.
//!
//! Each is a program in the operations of the core: a loop over blocks of rows, whose products are matrix products to executors,
//! in a [`custom_with_result`](super::custom_with_result) whose pullback is the rule of Giles ("Collected matrix derivative results
//! for forward and reverse mode algorithmic differentiation", 2008) or its blocked form (Murray, "Differentiation of the Cholesky
//! decomposition", 2016), in the same words. So every executor has them, and derivatives nest as everywhere. A Gaussian process:
//!
//! ```
//! use catadiff::Elementary;
//! use catadiff::array::{Program, trace::{Arr, F64}};
//! // The logarithm of the marginal likelihood of observations, without its constant.
//! let evidence = Program::trace(|x: Arr<F64>, y: Arr<F64>, scale: F64, noise: F64| {
//!     let kernel = x.map(|a| x.map(|b| (-(a - b) * (a - b) / (scale * scale)).exp())).with_ridge(noise);
//!     let factor = kernel.cholesky();
//!     -0.5 * y.dot(factor.cholesky_solve(y)) - factor.diagonal().map(|d| d.ln()).sum()
//! })?;
//! let by_noise = evidence.grad([3])?;
//! # let _ = by_noise;
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! A matrix that is not positive definite, or singular where it must not be, is an error of the run, which says how many rows it was
//! right for. Derivatives are those of real matrices.
//!
//! Law: factors multiply to the matrix, and what is solved solves it, within the rounding of its condition; derivatives of both modes
//! and of second order agree with each other and with those of scalar programs (tests/array/linalg.rs).

mod cholesky;
mod eigen;
mod lu;
mod qr;
mod svd;
mod triangular;

pub use lu::Lu;
pub use triangular::RightSide;

use super::scope::{Here, emit};
use super::{Arr, As, Handle, I64, Number, if_, iota, replicate, tabulate2d};
use crate::array::{Agree, Agreement, Extent, Op};
use crate::primitives::Real;

/// A matrix, by its rows.
type Matrix<S> = Arr<Arr<S>>;

/// How many rows are worked on together. Of fewer, less would be products of matrices; of more, more would not be.
const BLOCK: i64 = 32;

/// How often a rule is the rule of its own pullback too; derivatives of higher order are those of its loops. Each is a copy of the
/// rule in the program.
const ORDERS: usize = 2;

/// Blocks of rows: how many there are of `n` rows.
#[track_caller]
fn blocks(n: I64) -> I64 {
    (n + (BLOCK - 1)) / BLOCK
}

/// The first row of a block, how many rows it has, and the first row after it.
#[track_caller]
fn block(n: I64, k: I64) -> (I64, I64, I64) {
    let start = k * BLOCK;
    let end = (start + BLOCK).min(n);
    (start, end - start, end)
}

/// The columns from `start` up to `end`, where they are: a map over rows would copy them.
#[track_caller]
fn columns<S: Number>(a: Matrix<S>, start: I64, end: I64) -> Matrix<S> {
    a.transpose().slice(start, end).transpose()
}

/// The symmetric matrix with this lower triangle.
#[track_caller]
fn mirrored<S: Number>(a: Matrix<S>) -> Matrix<S> {
    tabulate2d(a.len(), a.len(), |i, j| a.index2(i.max(j), i.min(j)))
}

/// The symmetric part.
#[track_caller]
fn symmetric<S: Number + Real>(a: Matrix<S>) -> Matrix<S> {
    a.map2(a.transpose(), |row, column| row.map2(column, |x, y| (x + y) * 0.5))
}

/// What two numbers of the program must be, or it is an error.
#[track_caller]
pub(crate) fn agree(what: Agreement, first: I64, second: I64) {
    let operands = [first.ids(), second.ids()];
    let _ = emit(&operands, |x| {
        let [first, second] = [x[0], x[1]].map(|number| vec![Extent::Number(number)]);
        Op::Agree(Box::new(Agree { what, first, second, times: Vec::new() }))
    });
}

/// The columns of the right side of a system of equations, which has to have as many rows as the matrix.
#[track_caller]
fn right_side<S: Number, B: RightSide<S>>(a: Matrix<S>, b: B) -> Matrix<S> {
    let columns = b.into_columns();
    agree(Agreement::RightSide, a.len(), columns.len());
    columns
}

/// A matrix that has to have as many rows as columns.
#[track_caller]
fn square<S: Number>(a: Matrix<S>) -> I64 {
    let n = a.len();
    agree(Agreement::Square, n, a.size(1));
    n
}

impl<S: Number + Real> Arr<Arr<S>> {
    /// The matrix with this number added to each element of its diagonal.
    #[must_use]
    #[track_caller]
    pub fn with_ridge(self, ridge: impl As<S>) -> Self {
        let _here = Here::new();
        let ridge = ridge.handle();
        let places = iota(self.size(1));
        self.map2(iota(self.len()), |row, i| row.map2(places, |x, j| if_(i.eq(j), || x + ridge, || x)))
    }
}

/// Rows of which the first `n` elements are zeros.
#[track_caller]
fn after_zeros<S: Number>(n: I64, rows: Matrix<S>) -> Matrix<S> {
    rows.map(|row| replicate(n, S::zero()).concat(row))
}
