//! Half precision: the numbers of 16 bits of IEEE 754. Operations on them are those on doubles, rounded.
//!
//! Law: a number becomes the nearest half, of two the even one; past the largest by half a step it is infinite, and halves are
//! doubles. A sum, difference, product, quotient or square root of halves in doubles, rounded, is the half nearest to the exact one,
//! since 53 ≥ 2 · 11 + 2 (tests/scalar/half.rs).

use core::cmp::Ordering;
use core::fmt;
use core::num::ParseFloatError;
use core::ops::{Add, Mul};
use core::str::FromStr;

use num_traits::{One, Zero};

use super::{Elementary, Rule};

/// A number of half precision: 11 binary digits, and exponents from −14 to 15. It is a [`Real`](super::Real), as `f64` is.
///
/// ```
/// use catadiff::primitives::f16;
/// let tenth = f16::from_f64(0.1);
/// assert_eq!((tenth.to_bits(), f64::from(tenth)), (0x2e66, 0.0999755859375));
/// assert_eq!((tenth.to_string(), "0.1".parse()), ("0.1".into(), Ok(tenth)));
/// assert_eq!(f16::from_f64(65520.0), f16::INFINITY);
/// assert_eq!(tenth * 3.0 + 2048.0, f16::from_f64(2048.0));
/// ```
#[derive(Clone, Copy, Default)]
#[allow(non_camel_case_types, reason = "it is called as the other kinds of numbers are")]
pub struct f16(u16);

/// The bits of a double that are its exponent, and those of some powers of two.
const EXPONENT: u64 = f64::INFINITY.to_bits();
const TO_THE_MINUS_14: u64 = 0x3f1 << 52;
const TO_THE_16: u64 = 0x40f << 52;

/// How many more digits doubles have than halves.
const MORE_DIGITS: u32 = 42;

/// 2 to the difference of the exponents that the same bits mean of doubles and of halves.
const EXPONENTS: f64 = f64::from_bits((1023 + 1023 - 15) << 52);

/// The nearest half, as a double.
#[inline(always)]
pub(crate) fn to_half(x: f64) -> f64 {
    // What is added has the digits of the result for its last ones, so the sum is rounded to them.
    let exponent = (x.to_bits() & EXPONENT).clamp(TO_THE_MINUS_14, TO_THE_16);
    let shift = f64::from_bits(exponent + (u64::from(MORE_DIGITS) << 52));
    let rounded = (x.abs() + shift) - shift;
    (if rounded > LARGEST { f64::INFINITY } else { rounded }).copysign(x)
}

/// The largest finite half.
const LARGEST: f64 = 65504.0;

impl f16 {
    /// ∞.
    pub const INFINITY: Self = f16(0x7c00);
    /// −∞.
    pub const NEG_INFINITY: Self = f16(0xfc00);
    /// Not a number.
    pub const NAN: Self = f16(0x7e00);
    /// The distance from 1 to the next number.
    pub const EPSILON: Self = f16(0x1400);

    /// The number that has these bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        f16(bits)
    }

    /// The bits.
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The nearest to a double, of two the even one.
    #[must_use]
    pub fn from_f64(x: f64) -> Self {
        let rounded = to_half(x);
        // Scaled, its exponent is that of the half, of subnormal numbers too; the first bits are those of the half.
        let bits = (rounded.abs() / EXPONENTS).to_bits() >> MORE_DIGITS & 0x7fff;
        f16(bits as u16 | u16::from(x.is_sign_negative()) << 15)
    }

    /// As a double with the fewest digits that are read as this.
    fn shortest(self) -> f64 {
        let exact = f64::from(self);
        let digits = |n: usize| format!("{exact:.n$e}").parse().ok();
        // Five digits are enough for every half.
        (0..5).filter_map(digits).find(|x| f16::from_f64(*x) == self).unwrap_or(exact)
    }
}

impl From<f16> for f64 {
    #[inline]
    fn from(x: f16) -> f64 {
        let bits = u64::from(x.0 & 0x7fff) << MORE_DIGITS;
        let is_finite = x.0 & f16::INFINITY.0 < f16::INFINITY.0;
        let size = if is_finite { f64::from_bits(bits) * EXPONENTS } else { f64::from_bits(bits | EXPONENT) };
        if x.0 >> 15 == 0 { size } else { -size }
    }
}

impl From<f16> for f32 {
    fn from(x: f16) -> f32 {
        f64::from(x) as f32
    }
}

impl Add for f16 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        f16::from_f64(f64::from(self) + f64::from(other))
    }
}

impl Mul for f16 {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        f16::from_f64(f64::from(self) * f64::from(other))
    }
}

impl Zero for f16 {
    fn zero() -> Self {
        f16(0)
    }
    fn is_zero(&self) -> bool {
        *self == f16(0)
    }
}

impl One for f16 {
    fn one() -> Self {
        f16::from_f64(1.0)
    }
}

impl Elementary for f16 {
    const IS_PLAIN: bool = true;
    fn constant(value: f64) -> Self {
        f16::from_f64(value)
    }
    fn primal(&self) -> Option<f64> {
        Some((*self).into())
    }
    #[inline]
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        f16::from_f64(rule.value(x.map(f64::from)))
    }
}

crate::operators!([] f16, []);

impl PartialEq for f16 {
    fn eq(&self, other: &Self) -> bool {
        f64::from(*self) == f64::from(*other)
    }
}

impl PartialOrd for f16 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        f64::from(*self).partial_cmp(&f64::from(*other))
    }
}

/// In the fewest digits that are read as it.
impl fmt::Debug for f16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shortest(), f)
    }
}

impl fmt::Display for f16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.shortest(), f)
    }
}

/// Rounded once.
impl FromStr for f16 {
    type Err = ParseFloatError;

    fn from_str(text: &str) -> Result<Self, ParseFloatError> {
        let x: f64 = text.parse()?;
        // A double that is as far from one half as from the next may be rounded itself: the digits say what it is nearer to.
        let is_between = x.abs() < 2.0 * LARGEST && x != to_half(x);
        let size = match is_between.then(|| side(text, x.abs())) {
            Some(Ordering::Less) => x.abs().next_down(),
            Some(Ordering::Greater) => x.abs().next_up(),
            Some(Ordering::Equal) | None => x.abs(),
        };
        Ok(f16::from_f64(size.copysign(x)))
    }
}

/// On which side of a double that is next to it a decimal number is, without their signs. The double may be halfway between two
/// halves, which is a multiple of 2⁻²⁵; of others nothing is said.
fn side(text: &str, near: f64) -> Ordering {
    const PLACES: u32 = 25;
    let halfway = near * f64::from(1 << PLACES);
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let digits = digits.trim_start_matches(['+', '-']);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (0.0, Ok(power)) = (halfway.fract(), power.parse::<i64>()) else { return Ordering::Equal };
    // Both are multiplied by 10²⁵: the double is then an integer, and what of the digits is none is not 0 or is.
    let (mut number, mut rest, mut places) = (0_u128, false, whole.len() as i64 + power + i64::from(PLACES));
    for digit in whole.bytes().chain(fraction.bytes()).map(|digit| u128::from(digit - b'0')) {
        places -= 1;
        if places >= 0 { number = number * 10 + digit } else { rest |= digit > 0 }
    }
    number *= 10_u128.pow(places.max(0) as u32);
    (number, rest).cmp(&(halfway as u128 * 5_u128.pow(PLACES), false))
}
