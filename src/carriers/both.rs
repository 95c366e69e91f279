//! Products of two carriers: two analyses of a program in one pass.
//!
//! Law: everything is componentwise, so the projections are homomorphisms and `eval` into the product is the pair of
//! both `eval`s (the "banana split" of folds; "Forwards and in reverse" pairs value and derivative this way)
//! (tests/scalar/both.rs).

use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::algebra::Semiring;
use crate::primitives::{Elementary, Rule};

/// A number with two meanings, which see nothing of each other.
///
/// Comparisons are decided by `first` alone: the second meaning goes where the first one branches.
///
/// ```
/// use catadiff::{Elementary, carriers::{Both, Dual, Support}};
/// // Value and derivative, and at once which variables they depend on.
/// let x = Both { first: Dual { value: 2.0, tangent: 1.0 }, second: Support::variable(0) };
/// let y = Both { first: Dual { value: 3.0, tangent: 0.0 }, second: Support::variable(1) };
/// let z = (x.clone() * y).exp() + x.floor();
/// assert_eq!(z.first.tangent, 3.0 * 6.0_f64.exp());
/// assert!(z.second.iter().eq(&[0, 1]));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Both<A, B> {
    /// The first meaning, which decides comparisons and is the plain value if it has one.
    pub first: A,
    /// The second meaning.
    pub second: B,
}

impl<A: Add<Output = A>, B: Add<Output = B>> Add for Both<A, B> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Both { first: self.first + other.first, second: self.second + other.second }
    }
}

impl<A: Mul<Output = A>, B: Mul<Output = B>> Mul for Both<A, B> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Both { first: self.first * other.first, second: self.second * other.second }
    }
}

impl<A: Semiring, B: Semiring> Zero for Both<A, B> {
    #[inline]
    fn zero() -> Self {
        Both { first: A::zero(), second: B::zero() }
    }
    /// Whether both meanings are 0.
    #[inline]
    fn is_zero(&self) -> bool {
        self.first.is_zero() && self.second.is_zero()
    }
}

impl<A: Semiring, B: Semiring> One for Both<A, B> {
    #[inline]
    fn one() -> Self {
        Both { first: A::one(), second: B::one() }
    }
}

crate::operators!([A: Elementary, B: Elementary] Both<A, B>, []);

impl<A: Elementary, B: Elementary> Elementary for Both<A, B> {
    #[inline]
    fn constant(value: f64) -> Self {
        Both { first: A::constant(value), second: B::constant(value) }
    }

    /// That of `first`, or of `second` if `first` has none.
    #[inline]
    fn primal(&self) -> Option<f64> {
        self.first.primal().or_else(|| self.second.primal())
    }

    #[inline]
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let first = A::apply(rule, core::array::from_fn(|i| x[i].first.clone()));
        Both { first, second: B::apply(rule, x.map(|x| x.second)) }
    }
}

crate::primitives::compared_by!([A, B] Both<A, B>: A, first);
