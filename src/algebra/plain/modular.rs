//! Residues modulo a number: a finite field when it is prime, in which a law holds or fails without rounding.
//!
//! Law: ℤ → ℤ/P is a homomorphism of rings, and `x · x⁻¹ = 1` wherever `x` has no factor in common with `P` (Euclid's
//! algorithm, run backwards). Polynomials that differ, differ on ℤ/P at all but few points, so agreement of two
//! derivatives on random residues of a large prime is as good as proof (tests/laws/instances.rs).

use core::fmt;
use core::iter::{Product, Sum};
use core::ops::{Add, Div, Mul, Neg, Sub};
use num_traits::{Inv, One, Zero};

/// The integers modulo `P`; a [`Field`](crate::Field) if `P` is prime, a commutative ring otherwise.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff::carriers::Dual;
/// type F = Modular<7>;
/// assert_eq!(F::new(5) + F::new(4), F::new(2));
/// assert_eq!(F::new(3) / F::new(5) * F::new(5), F::new(3));
/// assert_eq!(F::from(-1), F::new(6));
/// // Derivatives are exact as well: x³ has the derivative 3·2² = 12 = 5 at 2.
/// let x = Dual { value: F::new(2), tangent: F::new(1) };
/// assert_eq!((x * x * x).tangent, F::new(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Modular<const P: u64>(u64);

impl<const P: u64> Modular<P> {
    /// The residue of an integer. A modulus of 0 does not compile.
    #[must_use]
    pub const fn new(value: u64) -> Self {
        const { assert!(P > 0, "a modulus is positive") };
        Modular(value % P)
    }

    /// The representative in `0..P`.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }

    /// The multiplicative inverse; `None` for 0 and, if `P` is not prime, for whatever shares a factor with it.
    ///
    /// ```
    /// use catadiff::algebra::plain::Modular;
    /// assert_eq!(Modular::<7>::new(3).checked_inv(), Some(Modular::new(5)));
    /// assert_eq!(Modular::<7>::new(0).checked_inv(), None);
    /// assert_eq!(Modular::<6>::new(4).checked_inv(), None);
    /// ```
    #[must_use]
    pub fn checked_inv(self) -> Option<Self> {
        // Throughout, `r ≡ s · self` for both pairs `(r, s)`; the last remainder is the common divisor.
        let (mut last, mut next) = ((P, Self::zero()), (self.0, Self::one()));
        while next.0 != 0 {
            let quotient = last.0 / next.0;
            (last, next) = (next, (last.0 % next.0, last.1 - Self::new(quotient) * next.1));
        }
        (last.0 == 1).then_some(last.1)
    }
}

impl<const P: u64> From<u64> for Modular<P> {
    fn from(value: u64) -> Self {
        Self::new(value)
    }
}

impl<const P: u64> From<i64> for Modular<P> {
    fn from(value: i64) -> Self {
        let residue = Self::new(value.unsigned_abs());
        if value < 0 { -residue } else { residue }
    }
}

impl<const P: u64> From<i32> for Modular<P> {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl<const P: u64> Add for Modular<P> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let room = P - other.0;
        Modular(if self.0 < room { self.0 + other.0 } else { self.0 - room })
    }
}

impl<const P: u64> Mul for Modular<P> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        if P <= 1 << 32 {
            Modular(self.0 * other.0 % P)
        } else {
            Modular((u128::from(self.0) * u128::from(other.0) % u128::from(P)) as u64)
        }
    }
}

impl<const P: u64> Neg for Modular<P> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Modular(if self.0 == 0 { 0 } else { P - self.0 })
    }
}

impl<const P: u64> Sub for Modular<P> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

/// Division by multiplication with the inverse.
///
/// # Panics
/// Where there is no inverse, as integers and rationals do: no residue can stand for infinity, and any that did
/// would be a silently wrong number. [`Modular::checked_inv`] asks first.
impl<const P: u64> Div for Modular<P> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl, reason = "to divide is to multiply with the inverse")]
    fn div(self, other: Self) -> Self {
        match other.checked_inv() {
            Some(inverse) => self * inverse,
            None => panic!("division by {}, which has no inverse modulo {P}", other.0),
        }
    }
}

/// The inverse, as `1 / self`.
///
/// # Panics
/// As division does.
impl<const P: u64> Inv for Modular<P> {
    type Output = Self;
    fn inv(self) -> Self {
        Self::one() / self
    }
}

impl<const P: u64> Zero for Modular<P> {
    #[inline]
    fn zero() -> Self {
        Self::new(0)
    }
    #[inline]
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl<const P: u64> One for Modular<P> {
    #[inline]
    fn one() -> Self {
        Self::new(1)
    }
}

impl<const P: u64> Sum for Modular<P> {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::zero(), Add::add)
    }
}

impl<const P: u64> Product for Modular<P> {
    fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
        factors.fold(Self::one(), Mul::mul)
    }
}

impl<const P: u64> fmt::Display for Modular<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const P: u64> fmt::Debug for Modular<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (mod {P})", self.0)
    }
}
