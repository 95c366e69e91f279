//! Singular values and singular vectors: `A = U diag(s) Vᵀ`.
//!
//! Computed on `A` itself, never on `AᵀA`, by rotations of its columns until all are orthogonal (Hestenes 1958; Demmel and Veselić,
//! "Jacobi's method is more accurate than QR", 1992): the norms are the singular values, and small ones have few digits less than large
//! ones. A round has disjoint pairs of columns, and rounds over all pairs, as a tournament has them, are a sweep. With `X = UᵀŪ`, `Y = VᵀV̄`
//! and `Fᵢⱼ = 1/(sⱼ² − sᵢ²)` the adjoint is `U (F∘(X − Xᵀ) S + diag(s̄) + S F∘(Y − Yᵀ)) Vᵀ + (Ū − U X) S⁻¹ Vᵀ + U S⁻¹ (V̄ − V Y)ᵀ`
//! (Townsend, "Differentiating the singular value decomposition", 2016; of values alone Giles 2008, 3.2).
//!
//! Law: `U diag(s) Vᵀ = A`, `UᵀU = 1` and `VᵀV = 1` within rounding, and singular values descend. Of equal ones `F` is 0, and of 0 its
//! reciprocal: derivatives leave those vectors where they are, which is right where it does not matter which of them they are
//! (tests/array/linalg/svd.rs).

use super::super::scope::Here;
use super::super::words::real;
use super::super::{Arr, Bool, I64, Number, custom_with_result, eye, if_, iota, loop_for, loop_while};
use super::Matrix;
use crate::primitives::Real;

/// More sweeps than any matrix of numbers needs; of NaN there is no end.
const SWEEPS: i64 = 40;

impl<S: Number + Real> Arr<Arr<S>> {
    /// The singular values of a matrix of `m` rows and `n` columns, descending, as `s` of `(u, s, vt)`: with `k` the lesser of `m` and `n`, `u` is an
    /// `m` by `k` matrix and `vt` a `k` by `n` matrix, with `A = u diag(s) vt`; columns of `u` and rows of `vt` are orthonormal. That is
    /// `numpy.linalg.svd(a, full_matrices=False)`, but for signs: of a column of `u` and the row of `vt` both may have the other.
    ///
    /// Vectors of equal singular values are any of their space, and have no derivative, as those of 0; what does not depend on the choice has
    /// the right one.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// // The sum of the singular values, and its derivative, which is U Vᵀ.
    /// let nuclear = Program::trace(|a: Arr<Arr<F64>>| a.svd().1.sum())?;
    /// let (norm, slope): (f64, Vec<Vec<f64>>) = nuclear.value_and_grad(..)?.at([vec![0.0, 2.0], vec![3.0, 0.0], vec![0.0, 0.0]])?;
    /// assert!((norm - 5.0).abs() < 1e-15);
    /// assert!(slope.iter().zip([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]).all(|(row, unit)| (row[0] - unit[0]).hypot(row[1] - unit[1]) < 1e-15));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn svd(self) -> (Self, Arr<S>, Self) {
        let _here = Here::new();
        let (u, s, vt) = custom_with_result(self, decomposed, |_, (u, s, v), (of_u, of_s, of_v)| {
            let (x, y) = (u.matmul(of_u.transpose()), v.matmul(of_v.transpose()));
            let places = iota(s.len());
            let skew = |a: Matrix<S>| a.map2(a.transpose(), |row, column| row.map2(column, |x, y| x - y));
            let turns = skew(x).zip3(skew(y), s.zip(places));
            let inner = turns.map(|(x, y, (si, i))| {
                x.zip3(y, s.zip(places)).map(|(x, y, (sj, j))| {
                    let apart = (sj - si) * (sj + si);
                    let turn = || if_(apart.equal(S::zero()), || S::zero(), || (x * sj + y * si) / apart);
                    if_(i.eq(j), || of_s.index(i), turn)
                })
            });
            // What adjoints have outside of the space of the vectors.
            let outside = |adjoint: Matrix<S>, products: Matrix<S>, vectors: Matrix<S>| {
                adjoint.map3(products.transpose().matmul(vectors), s, |row, inside, s| {
                    let size = if_(s.equal(S::zero()), || S::zero(), || s.recip());
                    row.map2(inside, |x, y| (x - y) * size)
                })
            };
            let left = inner.transpose().matmul(u).map2(outside(of_u, x, u), |x, y| x.map2(y, |x, y| x + y));
            let by_u = left.transpose().matmul(v);
            by_u.map2(u.transpose().matmul(outside(of_v, y, v)), |x, y| x.map2(y, |x, y| x + y))
        });
        (u.transpose(), s, vt)
    }
}

/// How many rounds a tournament of `n` has in which all meet all.
#[track_caller]
fn rounds(n: I64) -> I64 {
    (n + 1) / 2 * 2 - 1
}

/// The partner of each of `n` in a round of a tournament; who has none, is his own.
#[track_caller]
fn partners(n: I64, round: I64) -> Arr<I64> {
    let others = rounds(n);
    iota(n).map(|i| {
        let of_last = (round * ((others + 1) / 2)) % others;
        let among = (round + others - i) % others;
        let partner = if_(i.eq(others), || of_last, || if_(among.eq(i), || others, || among));
        if_(partner.lt(n), || partner, || i)
    })
}

/// Left singular vectors as rows, singular values, and right singular vectors as rows.
#[track_caller]
fn decomposed<S: Number + Real>(a: Matrix<S>) -> (Matrix<S>, Arr<S>, Matrix<S>) {
    let is_tall = a.len().ge(a.size(1));
    let (u, s, v) = of_tall(if_(is_tall, || a.transpose(), || a));
    let (left, right) = if_(is_tall, || (u, v), || (v, u));
    (left, s, right)
}

/// The same of a matrix with as many rows as columns, or more, given by its columns.
#[track_caller]
fn of_tall<S: Number + Real>(columns: Matrix<S>) -> (Matrix<S>, Arr<S>, Matrix<S>) {
    let n = columns.len();
    let (columns, v, ..) = loop_while(
        (columns, eye::<S>(n), 0, true),
        |(_, _, sweep, apart): (Matrix<S>, Matrix<S>, I64, Bool)| apart & sweep.lt(SWEEPS),
        |(columns, v, sweep, _)| {
            let (columns, v, apart) = loop_for(rounds(n), (columns, v, false), |round, (columns, v, apart)| {
                let (columns, v, more) = rotated(partners(n, round), columns, v);
                (columns, v, apart | more)
            });
            (columns, v, sweep + 1, apart)
        },
    );
    let norms = columns.map(|column| column.dot(column).sqrt());
    let order = norms.argsort_descending();
    let s = norms.gather(order);
    let directions = columns.gather(order).map2(s, |column, s| {
        let is_none = s.equal(S::zero());
        column.map(|x| if_(is_none, || S::zero(), || x / s))
    });
    (completed(directions, s), s, v.gather(order))
}

/// The columns after rotations that make those of partners orthogonal, the columns of `V` with them, and whether any were not, within what
/// the rounding of their product hides.
#[track_caller]
fn rotated<S: Number + Real>(partners: Arr<I64>, columns: Matrix<S>, v: Matrix<S>) -> (Matrix<S>, Matrix<S>, Bool) {
    let count = columns.size(1).max(1);
    let rotations = partners.map2(iota(columns.len()), |j, i| {
        let (low, high) = (columns.index(i.min(j)), columns.index(i.max(j)));
        let (product, first, second) = (low.dot(high), low.dot(low), high.dot(high));
        let idle = product.equal(S::zero()) | i.eq(j);
        let cotangent = (second - first) / (product * 2.0);
        let size = (cotangent.abs() + (cotangent * cotangent + 1.0).sqrt()).recip();
        let tangent = if_(idle, || S::zero(), || if_(cotangent.less(S::zero()), || -size, || size));
        let cosine = (tangent * tangent + 1.0).sqrt().recip();
        let sine = tangent * cosine;
        let rounding = first.sqrt() * second.sqrt() * real::<S>(count);
        let apart = !idle & !(rounding + product.abs()).equal(rounding);
        (cosine, if_(i.lt(j), || -sine, || sine), apart)
    });
    let (cosines, sines, apart) = rotations.unzip();
    let turned = |a: Matrix<S>| {
        let others = a.gather(partners);
        a.zip3(others, cosines.zip(sines)).map(|(row, other, (c, s))| row.map2(other, |x, y| x * c + y * s))
    };
    (turned(columns), turned(v), apart.any())
}

/// Orthonormal rows, of which those with the singular value 0 are not there yet: in their place is what the axis that is farthest from the others
/// leaves of itself, twice (as in [`qr`](Arr::qr)).
#[track_caller]
fn completed<S: Number + Real>(rows: Matrix<S>, s: Arr<S>) -> Matrix<S> {
    loop_for(rows.len(), rows, |i, rows: Matrix<S>| {
        let next = || {
            let axis = rows.transpose().map(|column| -column.dot(column)).argmax();
            let unit = iota(rows.size(1)).map(|k| if_(k.eq(axis), || S::one(), || S::zero()));
            let left = |x: Arr<S>| {
                let inside = rows.matvec(x);
                x.map2(rows.transpose(), |x, column| x - column.dot(inside))
            };
            let vector = left(left(unit));
            let norm = vector.dot(vector).sqrt();
            rows.with(i, vector.map(|x| x / norm))
        };
        if_(s.index(i).equal(S::zero()), next, || rows)
    })
}
