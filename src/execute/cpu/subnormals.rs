//! Subnormal numbers in products: many processors take a hundred times as long to multiply one.
//!
//! Law: what is put aside is added in the end, so that a sum has the same terms in another order; what cannot change a sum is not
//! multiplied at all (tests/execute/products.rs).

use super::real::Real;

/// Where reals of a kind are subnormal, and when that does not matter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<R> {
    /// The least normal number.
    pub(super) normal: R,
    /// A subnormal number times one that is no larger than this is less than half the distance from a sum to its neighbours,
    pub(super) most: R,
    /// if the sum is no smaller than this.
    pub(super) least: R,
}

impl Scale<f64> {
    pub(super) const DOUBLE: Self = Scale {
        normal: f64::MIN_POSITIVE,
        most: f64::from_bits((1023 + 200) << 52),
        least: f64::from_bits((1023 - 700) << 52),
    };
}

impl Scale<f32> {
    pub(super) const SINGLE: Self = Scale {
        normal: f32::MIN_POSITIVE,
        most: f32::from_bits((127 + 20) << 23),
        least: f32::from_bits((127 - 70) << 23),
    };
}

#[inline(always)]
fn is_subnormal<R: Real<G>, const G: usize>(x: R) -> bool {
    // Both comparisons are made, so that vectors of numbers are compared.
    (x.abs() < R::SCALE.normal) & (x != R::default())
}

/// Whether there is a subnormal number among these.
#[inline(always)]
pub(super) fn any<R: Real<G>, const G: usize>(line: &[R]) -> bool {
    line.iter().fold(false, |found, x| found | is_subnormal(*x))
}

/// Whether the product of each of these with a subnormal number is tiny. Infinity is none of them: its product with a zero in the place of
/// a subnormal number would be another.
#[inline(always)]
pub(super) fn are_moderate<R: Real<G>, const G: usize>(line: &[R]) -> bool {
    line.iter().fold(true, |all, x| all & (x.abs() <= R::SCALE.most))
}

/// Rows of moderate numbers, with zeros for the subnormal ones.
pub(super) struct Apart<R> {
    /// One after the other.
    pub(super) rows: Vec<R>,
    /// The subnormal numbers, row by row, with their row and their place in it.
    subnormal: Vec<(usize, usize, R)>,
}

impl<R> Apart<R> {
    /// Of these rows.
    #[inline(always)]
    pub(super) fn of<'r, const G: usize>(rows: impl Iterator<Item = &'r [R]>) -> Self
    where
        R: Real<G>,
    {
        let mut apart = Apart { rows: Vec::new(), subnormal: Vec::new() };
        for (i, row) in rows.enumerate() {
            let start = apart.rows.len();
            apart.rows.extend_from_slice(row);
            // Few groups of numbers have one.
            for (group, numbers) in apart.rows[start..].chunks_mut(G).enumerate() {
                if any(numbers) {
                    for (k, x) in numbers.iter_mut().enumerate().filter(|(_, x)| is_subnormal(**x)) {
                        apart.subnormal.push((i, group * G + k, core::mem::take(x)));
                    }
                }
            }
        }
        apart
    }

    /// Adds the products of the subnormal numbers of each row, and of those of `count` others in the same places, to the sums of this
    /// row and these others, where that can change one. The others are moderate.
    #[inline(always)]
    pub(super) fn add<'s, const G: usize>(
        &self,
        count: usize,
        other: impl Fn(usize, usize) -> R,
        sum: impl Fn(usize, usize) -> &'s mut R,
    ) where
        R: Real<G>,
    {
        for row in self.subnormal.chunk_by(|one, next| one.0 == next.0) {
            let i = row[0].0;
            if (0..count).all(|j| sum(i, j).abs() >= R::SCALE.least) {
                continue;
            }
            for &(_, k, x) in row {
                for j in 0..count {
                    let sum = sum(i, j);
                    *sum = x.mul_add(other(j, k), *sum);
                }
            }
        }
    }
}
