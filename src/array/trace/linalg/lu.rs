//! Factors of any square matrix by elimination with partial pivoting, and what is solved by them: `P A = L U`.
//!
//! Computed by blocks of columns and rows: what factors that are known take from a block is a product of matrices. Systems of equations have a rule of
//! their own, in which the factors are constants: for `X = A⁻¹B` the adjoint of `B` is `A⁻ᵀX̄`, by the same factors, and that of `A` is `−B̄Xᵀ`
//! (Giles 2008, 2.3.1). Factors that are used otherwise have the adjoint `Pᵀ L⁻ᵀ (tril(Lᵀ L̄, −1) + triu(Ū Uᵀ)) U⁻ᵀ`.
//!
//! Law: `P A = L U`, no element of `L` above 1 in size; a column without a pivot leaves a 0 on the diagonal of `U`, so a determinant is 0, and
//! solving is an error (tests/array/linalg.rs).

use super::super::scope::Here;
use super::super::{Arr, Handle, I64, IntoHandle, Number, custom_with_result, eye, if_, iota, loop_for, tabulate2d};
use super::triangular::{backward, by_rows, forward, substituted, substituted_backwards};
use super::{Matrix, ORDERS, RightSide, agree, block, blocks, columns, right_side, square};
use crate::array::Agreement;
use crate::primitives::Real;

/// What [`lu`](Arr::lu) makes of a matrix: `A`, with its rows in another order, is the product of a lower and an upper triangle.
#[derive(Debug, Clone, Copy)]
pub struct Lu<S: Number> {
    matrix: Matrix<S>,
    /// Below the diagonal `L`, whose diagonal is 1, and `U` from it on.
    packed: Matrix<S>,
    rows: Arr<I64>,
    swaps: I64,
}

impl<S: Number + Real> Arr<Arr<S>> {
    /// The factors of a square matrix by elimination with partial pivoting. What is solved by the same factors, or a determinant beside it, takes no
    /// more of them:
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let both = Program::trace(|a: Arr<Arr<F64>>, b: Arr<F64>| {
    ///     let lu = a.lu();
    ///     (lu.solve(b), lu.det())
    /// })?;
    /// let (x, det): (Vec<f64>, f64) = both.at((vec![vec![0.0, 2.0], vec![4.0, 1.0]], vec![2.0, 9.0]))?;
    /// assert_eq!((x, det), (vec![2.0, 1.0], -8.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn lu(self) -> Lu<S> {
        let _here = Here::new();
        let (packed, rows, swaps) = factors(self);
        Lu { matrix: self, packed, rows, swaps }
    }

    /// The solution `x` of `A x = b`; of a matrix `b`, a solution for each column. That the matrix is singular is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn solve<B: RightSide<S>>(self, b: B) -> B {
        self.lu().solve(b)
    }

    /// The inverse. That the matrix is singular is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn inverse(self) -> Self {
        self.solve(eye(self.len()))
    }

    /// The determinant. Of a singular matrix it is 0, and its derivatives are not finite: they go through the factors.
    #[must_use]
    #[track_caller]
    pub fn det(self) -> S {
        self.lu().det()
    }

    /// The sign of the determinant, which is 0 of a singular matrix, and the logarithm of its absolute value.
    #[must_use]
    #[track_caller]
    pub fn slogdet(self) -> (S, S) {
        self.lu().slogdet()
    }
}

impl<S: Number + Real> Lu<S> {
    /// The lower triangle `L`, whose diagonal is 1.
    #[must_use]
    #[track_caller]
    pub fn lower(self) -> Arr<Arr<S>> {
        let _here = Here::new();
        unit_lower(self.packed)
    }

    /// The upper triangle `U`.
    #[must_use]
    #[track_caller]
    pub fn upper(self) -> Arr<Arr<S>> {
        let _here = Here::new();
        upper(self.packed)
    }

    /// Which row of the matrix is each row of `L U`: `a.gather(lu.rows())` is the product.
    #[must_use]
    pub fn rows(self) -> Arr<I64> {
        self.rows
    }

    /// As [`Arr::solve`].
    #[must_use]
    #[track_caller]
    pub fn solve<B: RightSide<S>>(self, b: B) -> B {
        let _here = Here::new();
        let regular = self.packed.diagonal().map(|d| if_(d.equal(S::zero()), || 0, || 1)).sum();
        agree(Agreement::Regular, self.packed.len(), regular);
        let b = right_side(self.matrix, b);
        B::from_columns(solved(ORDERS, false, (self.matrix, self.packed, self.rows), b))
    }

    /// As [`Arr::inverse`].
    #[must_use]
    #[track_caller]
    pub fn inverse(self) -> Arr<Arr<S>> {
        self.solve(eye(self.packed.len()))
    }

    /// As [`Arr::det`].
    #[must_use]
    #[track_caller]
    pub fn det(self) -> S {
        let _here = Here::new();
        self.packed.diagonal().product() * self.parity()
    }

    /// As [`Arr::slogdet`].
    #[must_use]
    #[track_caller]
    pub fn slogdet(self) -> (S, S) {
        let _here = Here::new();
        let diagonal = self.packed.diagonal();
        let sign = |d: S| if_(d.equal(S::zero()), || d, || d.signum());
        (diagonal.map(sign).product() * self.parity(), diagonal.map(|d| d.abs().ln()).sum())
    }

    /// 1 for an even number of exchanged rows, else −1.
    #[track_caller]
    fn parity(self) -> S {
        if_((self.swaps % 2).eq(0), || S::one(), || -S::one())
    }
}

#[track_caller]
fn upper<S: Number>(a: Matrix<S>) -> Matrix<S> {
    a.triu(0)
}

/// The triangle below the diagonal, with ones on it.
#[track_caller]
fn unit_lower<S: Number>(a: Matrix<S>) -> Matrix<S> {
    tabulate2d(a.len(), a.size(1), |i, j| if_(i.eq(j), || S::one(), || if_(j.lt(i), || a.index2(i, j), || S::zero())))
}

/// The factors, packed, with the order of rows and the number of exchanges.
#[track_caller]
fn factors<S: Number + Real>(a: Matrix<S>) -> (Matrix<S>, Arr<I64>, I64) {
    let function = |a: Matrix<S>| {
        let n = square(a);
        eliminated(n, a)
    };
    custom_with_result(a, function, |_, (packed, rows, _), (adjoint, _, _)| {
        let (l, u) = (unit_lower(packed), upper(packed));
        let of_l = l.transpose().matmul(adjoint.tril(-1)).tril(-1);
        let of_u = upper(upper(adjoint).matmul(u.transpose()));
        let half = backward(ORDERS, l.transpose(), of_l.map2(of_u, |x, y| x.map2(y, |x, y| x + y)));
        let of_rows = backward(ORDERS, u, half.transpose()).transpose();
        of_rows.zeros_like().scatter(rows, of_rows)
    })
}

#[track_caller]
fn eliminated<S: Number + Real>(n: I64, a: Matrix<S>) -> (Matrix<S>, Arr<I64>, I64) {
    loop_for(blocks(n), (a, iota(n), 0), |k, (a, rows, swaps): (Matrix<S>, Arr<I64>, I64)| {
        let (start, width, end) = block(n, k);
        let (above, own) = (a.take(start), a.drop(start));
        let panel = columns(own, start, end) - columns(own, 0.into(), start).matmul(columns(above, start, end));
        let (panel, pivots) = by_columns(width, panel);
        let exchanged = loop_for(width, (a, rows, swaps), |i, (a, rows, swaps): (Matrix<S>, Arr<I64>, I64)| {
            let (i, at) = (i + start, pivots.index(i) + start);
            let swaps = if_(at.eq(i), || swaps, || swaps + 1);
            (exchange(a, i, at), exchange(rows, i, at), swaps)
        });
        let (a, rows, swaps) = exchanged;
        let (own, top) = (a.slice(start, end), panel.take(width));
        let left = columns(own, 0.into(), start);
        let right = by_rows(unit_lower(top), columns(own, end, n) - left.matmul(columns(a.take(start), end, n)));
        let a = placed(a, start, start, top.map2(right, |top, right| top.concat(right)));
        (placed(a, end, start, panel.drop(width)), rows, swaps)
    })
}

/// The matrix with another in it, from this row and column on.
#[track_caller]
fn placed<S: Number>(a: Matrix<S>, row: I64, column: I64, part: Matrix<S>) -> Matrix<S> {
    let (n, m) = (a.len(), a.size(1));
    let indices = tabulate2d(part.len(), part.size(1), |i, j| (row + i) * m + (column + j));
    a.flatten().scatter(indices.flatten(), part.flatten()).unflatten(n, m)
}

/// The array with two of its elements exchanged.
#[track_caller]
fn exchange<T: Handle>(a: Arr<T>, i: I64, j: I64) -> Arr<T> {
    let places = [i, j].into_handle();
    a.scatter(places, a.gather(places).reverse())
}

/// Elimination in the columns of one block, and with which row each of the first was exchanged. The columns are kept as rows, which are long.
#[track_caller]
fn by_columns<S: Number + Real>(width: I64, panel: Matrix<S>) -> (Matrix<S>, Arr<I64>) {
    let (rows, places) = (iota(panel.len()), iota(width));
    let (panel, pivots) = loop_for(width, (panel.transpose(), places), |k: I64, (a, pivots): (Matrix<S>, Arr<I64>)| {
        let sizes = a.index(k).drop(k).map(|x| x.abs());
        // Of NaN alone none is the greatest.
        let at = sizes.argmax().min(sizes.len() - 1) + k;
        let a = loop_for(width, a, |j, a: Matrix<S>| {
            let (x, y) = (a.index2(j, k), a.index2(j, at));
            a.with2(j, at, x).with2(j, k, y)
        });
        let column = a.index(k);
        let pivot = column.index(k);
        let factors = column.map2(rows, |x, i| if_(i.le(k) | pivot.equal(S::zero()), || S::zero(), || x / pivot));
        let own = column.map3(factors, rows, |x, factor, i| if_(i.le(k), || x, || factor));
        let pivot_row = a.transpose().index(k).map2(places, |x, j| if_(j.le(k), || S::zero(), || x));
        let a = a.map2(pivot_row, |column, y| column.map2(factors, |x, factor| x - factor * y));
        (a.with(k, own), pivots.with(k, at))
    });
    (panel.transpose(), pivots)
}

/// `A⁻¹B`, or `A⁻ᵀB`, by the factors of `A`, which are constants to the rule; with rules for this many orders of derivatives.
#[track_caller]
fn solved<S: Number + Real>(
    orders: usize,
    transposed: bool,
    (a, packed, rows): (Matrix<S>, Matrix<S>, Arr<I64>),
    b: Matrix<S>,
) -> Matrix<S> {
    let Some(orders) = orders.checked_sub(1) else {
        // Derivatives of the factors themselves go on for ever.
        let (packed, rows, _) = factors(a);
        let (l, u) = (unit_lower(packed), upper(packed));
        return if transposed {
            let half = backward(ORDERS, l.transpose(), forward(ORDERS, u.transpose(), b));
            half.zeros_like().scatter(rows, half)
        } else {
            backward(ORDERS, u, forward(ORDERS, l, b.gather(rows)))
        };
    };
    custom_with_result(
        (a, packed, rows, b),
        |(_, packed, rows, b)| {
            let l = unit_lower(packed);
            if transposed {
                let half = substituted_backwards(l.transpose(), substituted(packed.transpose(), b));
                half.zeros_like().scatter(rows, half)
            } else {
                substituted_backwards(packed, substituted(l, b.gather(rows)))
            }
        },
        |(a, packed, rows, _), x, adjoint| {
            let of_b = solved(orders, !transposed, (a, packed, rows), adjoint);
            let of_a = if transposed { x.matmul(of_b.transpose()) } else { of_b.matmul(x.transpose()) };
            (-of_a, packed.zeros_like(), rows.zeros_like(), of_b)
        },
    )
}
