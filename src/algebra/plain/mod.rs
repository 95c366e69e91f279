//! Plain semirings, in which a program computes whether there is a way, how many there are, how cheap or likely they
//! are, and why.
//!
//! Law: `(+, 0)` is a commutative monoid, `(×, 1)` a commutative monoid that distributes over it, and `0` annihilates,
//! for every row of the table below ("Forwards and in reverse", slide *Minimal Expression Language*: a program over
//! `0 1 + ×` means whatever a semiring says it means). The three rows over floats keep the laws exactly on dyadic
//! numbers of moderate size and up to rounding elsewhere (tests/laws/instances.rs).
//!
//! A row reads `Name(inner): 0 = zero, 1 = one, (a + b) = sum, (a * b) = product, derive(…);`.
//! `CONTRIBUTING.md` says what goes with a new one.

mod modular;
mod provenance;

use core::fmt;
use core::iter::{Product, Sum};
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

pub use modular::Modular;
pub use provenance::Provenance;

macro_rules! semirings {
    ($(
        $(#[doc = $doc:expr])+
        $Name:ident($Inner:ty): 0 = $zero:expr, 1 = $one:expr,
            ($a:ident + $b:ident) = $plus:expr, ($c:ident * $d:ident) = $times:expr, derive($($Derived:ident),*);
    )+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd $(, $Derived)*)]
        pub struct $Name(#[doc = "The plain value."] pub $Inner);

        impl Add for $Name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                $Name($plus)
            }
        }

        impl Mul for $Name {
            type Output = Self;
            #[inline]
            fn mul(self, other: Self) -> Self {
                let ($c, $d) = (self.0, other.0);
                $Name($times)
            }
        }

        impl Zero for $Name {
            #[inline]
            fn zero() -> Self { $Name($zero) }
            #[inline]
            fn is_zero(&self) -> bool { self.0 == $zero }
        }

        impl One for $Name {
            #[inline]
            fn one() -> Self { $Name($one) }
        }

        impl Sum for $Name {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self { terms.fold(Self::zero(), Add::add) }
        }

        impl Product for $Name {
            fn product<I: Iterator<Item = Self>>(factors: I) -> Self { factors.fold(Self::one(), Mul::mul) }
        }

        impl From<$Inner> for $Name {
            fn from(value: $Inner) -> Self { $Name(value) }
        }

        impl fmt::Display for $Name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) }
        }
    )+};
}

semirings! {
    /// Truth: `or` for the sum and `and` for the product. A result says whether there is a way at all.
    ///
    /// ```
    /// use catadiff::algebra::plain::Boolean;
    /// let (open, shut) = (Boolean(true), Boolean(false));
    /// // Two ways in parallel, each of two doors in a row.
    /// assert_eq!(open * shut + open * open, Boolean(true));
    /// ```
    Boolean(bool): 0 = false, 1 = true, (a + b) = a || b, (a * b) = a && b, derive(Eq, Ord, Hash);

    /// Natural numbers that stop at the largest `u64`, which stands for "that many or more". A result is the number of
    /// ways.
    ///
    /// Stopping keeps all laws, where wrapping would lie and panicking would break off: "equal, or both at least
    /// `u64::MAX`" is a congruence of the natural numbers, since sums, and products by anything but 0, do not shrink.
    ///
    /// ```
    /// use catadiff::algebra::plain::Counting;
    /// // Two roads and then three, or one direct.
    /// assert_eq!(Counting(2) * Counting(3) + Counting(1), Counting(7));
    /// assert_eq!(Counting(u64::MAX) + Counting(1), Counting(u64::MAX));
    /// ```
    Counting(u64): 0 = 0, 1 = 1, (a + b) = a.saturating_add(b), (a * b) = a.saturating_mul(b), derive(Eq, Ord, Hash);

    /// The tropical semiring of costs: the smaller for the sum, `+` for the product, `+∞` for zero. A result is the
    /// cost of the cheapest way.
    ///
    /// Zero annihilates even `−∞` and NaN; a sum with NaN is NaN.
    ///
    /// ```
    /// use catadiff::algebra::plain::MinPlus;
    /// // The shorter of two routes, of two legs each.
    /// assert_eq!(MinPlus(3.0) * MinPlus(4.0) + MinPlus(1.0) * MinPlus(5.0), MinPlus(6.0));
    /// ```
    MinPlus(f64): 0 = f64::INFINITY, 1 = 0.0, (a + b) = smaller(a, b),
        (a * b) = if a == f64::INFINITY || b == f64::INFINITY { f64::INFINITY } else { a + b }, derive();

    /// The tropical semiring of gains: the larger for the sum, `+` for the product, `−∞` for zero. A result is the
    /// length of the longest way, and with logarithms of probabilities that of the likeliest.
    ///
    /// Zero annihilates even `+∞` and NaN; a sum with NaN is NaN.
    ///
    /// ```
    /// use catadiff::algebra::plain::MaxPlus;
    /// // A project is done when the slower of two chains of tasks is.
    /// assert_eq!(MaxPlus(3.0) * MaxPlus(4.0) + MaxPlus(1.0) * MaxPlus(5.0), MaxPlus(7.0));
    /// ```
    MaxPlus(f64): 0 = f64::NEG_INFINITY, 1 = 0.0, (a + b) = larger(a, b),
        (a * b) = if a == f64::NEG_INFINITY || b == f64::NEG_INFINITY { f64::NEG_INFINITY } else { a + b }, derive();

    /// Probabilities of best ways: the larger for the sum, `×` for the product, on `[0, 1]`. A result is the
    /// probability of the likeliest way; below 0 the laws fail, since 0 is no longer the least.
    ///
    /// ```
    /// use catadiff::algebra::plain::Viterbi;
    /// // Two explanations of the same observation.
    /// assert_eq!(Viterbi(0.5) * Viterbi(0.5) + Viterbi(0.75) * Viterbi(0.5), Viterbi(0.375));
    /// ```
    Viterbi(f64): 0 = 0.0, 1 = 1.0, (a + b) = larger(a, b), (a * b) = a * b, derive();
}

/// `f64::min` and `f64::max` forget a NaN; these hand it on.
fn smaller(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}
