//! The few exact steps that the elementary functions are made of, each a handful of vector instructions.
//!
//! Law: no step branches, calls or looks anything up. Pairs `(hi, lo)` stand for the unevaluated sum `hi + lo`, whose
//! second part is no larger than the rounding error of the first (tests/scalar/vector_math.rs).
//!
//! Sources: T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971);
//! D. E. Knuth, "The Art of Computer Programming" 2, §4.2.2, for the sum in two parts.

/// 1.5·2⁵²: a number of modulus below 2⁵¹ added to it is rounded to an integer, in the low bits of the sum.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;
/// The bits of the fraction of a double.
pub(super) const FRACTION: u64 = (1 << 52) - 1;
/// ln 2, its first 42 bits: a multiple by an exponent is exact.
pub(super) const LN_2_HI: f64 = 0.6931471805598903;
/// What is left of ln 2.
pub(super) const LN_2_LO: f64 = 5.497923018708371e-14;

/// A number in two parts.
pub(super) type Pair = (f64, f64);

/// `a·b + c`: in one rounding where the machine has it, and in two where one would be a call.
#[inline(always)]
pub(super) fn madd<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// `c₀ + c₁t + c₂t² + …`
#[inline(always)]
pub(super) fn horner<const FMA: bool, const N: usize>(coefficients: &[f64; N], t: f64) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut k = N - 1;
    while k > 0 {
        k -= 1;
        sum = madd::<FMA>(sum, t, coefficients[k]);
    }
    sum
}

/// The nearest integer, for numbers of modulus below 2⁵¹. Unlike `round` it is no call on any machine.
#[inline(always)]
pub(super) fn nearest(x: f64) -> f64 {
    (x + MAGIC) - MAGIC
}

/// `2ⁿ` for an integer `−1023 < n < 1024`; for NaN it is something.
#[inline(always)]
pub(super) fn power_of_two(n: f64) -> f64 {
    f64::from_bits((n + (4_503_599_627_370_496.0 + 1023.0)).to_bits() << 52)
}

/// The integer `n < 2⁵²`, as a number; that conversion is in few vector units.
#[inline(always)]
pub(super) fn as_number(n: u64) -> f64 {
    f64::from_bits(n | 0x4330_0000_0000_0000) - 4_503_599_627_370_496.0
}

/// `hi·2ⁿ` in one rounding, for `|n| < 2045`.
#[inline(always)]
pub(super) fn scale(x: f64, n: f64) -> f64 {
    let half = nearest(0.5 * n);
    x * power_of_two(half) * power_of_two(n - half)
}

/// `x`, and NaN where it is, held between two bounds.
#[inline(always)]
pub(super) fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// `|x|` with the sign of `sign`.
#[inline(always)]
pub(super) fn with_sign(x: f64, sign: f64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits((x.to_bits() & !SIGN) | (sign.to_bits() & SIGN))
}

/// The sum of two numbers and its rounding error.
#[inline(always)]
pub(super) fn two_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// [`two_sum`] where `a` is 0 or at least as large as `b`, for half the price.
#[inline(always)]
pub(super) fn fast_two_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The product of two numbers and its rounding error. Without FMA the factors must be below 2⁹⁹⁶.
#[inline(always)]
pub(super) fn two_product<const FMA: bool>(a: f64, b: f64) -> Pair {
    let product = a * b;
    if FMA {
        return (product, a.mul_add(b, -product));
    }
    let ((a_hi, a_lo), (b_hi, b_lo)) = (halves(a), halves(b));
    (product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo)
}

/// A number as the sum of two of 26 bits, whose products are exact.
#[inline(always)]
fn halves(a: f64) -> Pair {
    let shifted = 134_217_729.0 * a;
    let hi = shifted - (shifted - a);
    (hi, a - hi)
}

/// The quotient of two pairs, to some 2⁻¹⁰⁰ of itself. One division.
#[inline(always)]
pub(super) fn divide<const FMA: bool>(a: Pair, b: Pair) -> Pair {
    let inverse = 1.0 / b.0;
    let quotient = a.0 * inverse;
    let (product, error) = two_product::<FMA>(quotient, b.0);
    let rest = ((a.0 - product) - error) + (a.1 - quotient * b.1);
    (quotient, inverse * rest)
}

/// [`divide`], rounded to one number.
#[inline(always)]
pub(super) fn quotient<const FMA: bool>(a: Pair, b: Pair) -> f64 {
    let (hi, lo) = divide::<FMA>(a, b);
    hi + lo
}
