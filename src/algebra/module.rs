//! Modules over a semiring: what a tangent is, whatever the mode of differentiation.
//!
//! Law: `plus` is a commutative monoid with unit `zero_tangent`, and `scale_ieee` is an action of `(S, ×, 1)` that
//! respects both additions. `scale` is the same action on finite numbers, with a strong zero; `into_zero` is the action
//! of 0 (laws: module, laws: kronecker).
//!
//! # Zeros and infinities
//!
//! Arithmetic is that of the numbers: the product rule multiplies as IEEE does, so the derivative of `√x·√x` at 0,
//! where the rule reads `∞·0`, is NaN and not a silent 0. A zero is stronger than ∞ in two places only, both in the
//! chain rule:
//!
//! - a *zero tangent*, that of a constant, through an infinite partial derivative stays zero: `√c + x` has the
//!   derivative 1 at `c = 0` for a constant `c`. This is [`scale`](Module::scale).
//! - a *partial that is not used*, the 0 of a switch such as `max` or `select` for the side it does not take, and of
//!   a step such as `floor`, discards the tangent, be it infinite or NaN: the derivative of `√max(x, 0)` at −1 is 0.
//!   This is [`into_zero`](Module::into_zero). The rows of the table say which they are
//!   ([`ZeroRule`](crate::primitives::ZeroRule)).
//!
//! A partial whose value happens to be 0, such as that of `cos` at 0, is no such zero, nor is an adjoint that is
//! computed to be 0. Tangents that are numbers cannot see the difference: there a computed 0 is a zero tangent, too, as it is in
//! array programs. So strategies differ where a product of partial derivatives has no value: at 0 the derivative of
//! `∛(x·x·x)` is 0 by forward mode, NaN in reverse, and 1.

use super::Semiring;

/// A module over the semiring `S`: the promise a tangent makes, so that the product rule and the chain rule of
/// [`Dual`](crate::carriers::Dual) can be written once for all of them.
///
/// The method names differ on purpose from `add`, `mul` and `zero`, which a semiring already has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the tangent of a number over `{S}`",
    note = "a tangent implements `Module<{S}>`: `zero_tangent`, `plus` and `scale`"
)]
pub trait Module<S>: Clone {
    /// The zero tangent: that of a constant.
    fn zero_tangent() -> Self;

    /// Whether this is known to be [`zero_tangent`](Module::zero_tangent); `false` is always sound.
    fn is_zero_tangent(&self) -> bool;

    /// The sum of two tangents.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The tangent multiplied by a scalar that may be infinite or NaN: a component that is zero stays zero.
    #[must_use]
    fn scale(self, by: &S) -> Self;

    /// The tangent multiplied by a scalar, as the numbers multiply (as IEEE 754 has it for floats): what the product rule does.
    /// Where the scalar is finite it is the same as [`scale`](Module::scale), and may be faster.
    #[must_use]
    #[inline(always)]
    fn scale_ieee(self, by: &S) -> Self {
        self.scale(by)
    }

    /// The zero tangent, for an operation whose result does not depend on this one: it is zero even if the tangent is
    /// infinite.
    ///
    /// Counts as one of the uses of a tangent that is [shared](Module::share).
    #[must_use]
    #[inline(always)]
    fn into_zero(self) -> Self {
        Self::zero_tangent()
    }

    /// The same tangent, for `uses` later operations that each use it exactly once.
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
    fn zero_tangent() -> Self {
        S::zero()
    }

    #[inline(always)]
    fn is_zero_tangent(&self) -> bool {
        self.is_zero()
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn scale(self, by: &S) -> Self {
        if self.is_zero() { S::zero() } else { self * by.clone() }
    }

    #[inline(always)]
    fn scale_ieee(self, by: &S) -> Self {
        self * by.clone()
    }
}
