//! Semirings, rings and fields, built on `num-traits` so that existing number types are already instances.
//!
//! Law: `(+, 0)` is a commutative monoid, `(×, 1)` a monoid, `×` distributes over `+`, and `0` annihilates. Reverse
//! accumulation reorders products, so it asks in addition that `×` commutes; every type of this crate does
//! (laws: semiring).

use core::ops::{Div, Neg, Sub};
use num_traits::{One, Zero};

/// A semiring: `0`, `1`, `+`, `×`, and nothing else ("Forwards and in reverse", slide *Minimal Expression Language*).
///
/// There is nothing to implement: a type that is [`Clone`] and has `num_traits`' [`Zero`] (hence `+`) and
/// [`One`] (hence `×`) is a semiring. Whether it keeps the equations is what `catadiff-laws` tests.
///
/// ```
/// use catadiff::Semiring;
/// fn square_plus_one<S: Semiring>(x: S) -> S { x.clone() * x + S::one() }
/// assert_eq!(square_plus_one(3_i64), 10);
/// assert_eq!(square_plus_one(0.5_f64), 1.25);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a semiring",
    note = "a semiring is `Clone` and has `num_traits::Zero` and `num_traits::One`"
)]
pub trait Semiring: Clone + Zero + One {}

impl<T: Clone + Zero + One> Semiring for T {}

/// The natural number `n` in any semiring, which has none but the sums of ones.
pub(crate) fn natural<S: Semiring>(n: u64) -> S {
    doubling(n, S::one(), S::zero(), |a, b| a + b)
}

/// The element `x` combined with itself `n` times by an associative operation, in `O(log n)` steps.
pub(crate) fn doubling<S: Clone>(mut n: u64, mut x: S, unit: S, combine: impl Fn(S, S) -> S) -> S {
    let mut result = unit;
    while n > 0 {
        if n % 2 == 1 {
            result = combine(result, x.clone());
        }
        n /= 2;
        // Past the last bit a doubling would be of no use, and might overflow.
        if n > 0 {
            x = combine(x.clone(), x);
        }
    }
    result
}

/// A [`Semiring`] with subtraction.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a ring",
    note = "a ring is a semiring with subtraction: `Sub` and `Neg`; derivatives of sums and products need none"
)]
pub trait Ring: Semiring + Sub<Output = Self> + Neg<Output = Self> {}

impl<T: Semiring + Sub<Output = T> + Neg<Output = T>> Ring for T {}

/// A [`Ring`] with division.
///
/// Division by zero is the type's own affair: floats give infinities, rationals of `num-rational` panic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field",
    note = "a field is a semiring with subtraction and division: `Sub`, `Neg` and `Div`"
)]
pub trait Field: Ring + Div<Output = Self> {}

impl<T: Ring + Div<Output = T>> Field for T {}
