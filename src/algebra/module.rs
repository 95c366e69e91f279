//! Modules over a semiring: what a tangent is, whatever the mode of differentiation.
//!
//! Law: `join` is a commutative monoid with unit `null`, and `scale` is an action of `(S, ×, 1)` that respects
//! both additions. Zero is *strong*: scaling by `0`, and scaling `null`, give `null` even against `∞` and `NaN`,
//! so a partial derivative that is not used never poisons one that is.

use super::Semiring;

/// A module over the semiring `S`: the promise a tangent makes, so that the product rule and the chain rule of
/// [`Dual`](crate::carriers::Dual) can be written once for all of them.
///
/// The method names differ on purpose from `add`, `mul` and `zero`, which a semiring already has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the tangent of a number over `{S}`",
    note = "a tangent implements `Module<{S}>`: `null`, `join` and `scale`"
)]
pub trait Module<S>: Clone {
    /// The zero tangent: that of a constant.
    fn null() -> Self;

    /// Whether this is known to be [`null`](Module::null); `false` is always a sound answer.
    fn is_null(&self) -> bool;

    /// The sum of two tangents.
    #[must_use]
    fn join(self, other: Self) -> Self;

    /// The tangent multiplied by a scalar.
    #[must_use]
    fn scale(self, by: &S) -> Self;

    /// The same tangent, told that `uses` later operations will each use it exactly once.
    ///
    /// A tangent that is a function of the sensitivity can then add up what arrives and go on once, instead of once
    /// per use: linearity makes the two equal, and turns exponential time on shared terms into linear time.
    #[must_use]
    fn share(self, uses: usize) -> Self {
        let _ = uses;
        self
    }
}

/// A module whose vectors are indexed by variables, and which knows the unit vector of each.
///
/// Law: `delta(v)` is `1` at `v` and `0` elsewhere: the Kronecker delta, which the textbook rule `∂y/∂x` of a
/// variable asks for.
pub trait Kronecker<V, S>: Module<S> {
    /// The unit tangent of the variable `variable`.
    fn delta(variable: V) -> Self;
}

/// Every semiring is a module over itself.
impl<S: Semiring> Module<S> for S {
    #[inline(always)]
    fn null() -> Self {
        S::zero()
    }

    #[inline(always)]
    fn is_null(&self) -> bool {
        self.is_zero()
    }

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn scale(self, by: &S) -> Self {
        if self.is_zero() || by.is_zero() { S::zero() } else { self * by.clone() }
    }
}
