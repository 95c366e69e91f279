//! The few exact steps that the elementary functions are made of, each a handful of vector instructions.
//!
//! Law: no step branches, calls or looks anything up. Pairs `(hi, lo)` stand for the unevaluated sum `hi + lo`, whose
//! second part is no larger than the rounding error of the first (tests/scalar/vector_math.rs).
//!
//! Sources: T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971);
//! D. E. Knuth, "The Art of Computer Programming" 2, §4.2.2, for the sum in two parts.

use super::number::{Number, SIGN};

/// 1.5·2⁵²: a number of modulus below 2⁵¹ added to it is rounded to an integer, in the low bits of the sum.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;
/// [`MAGIC`] and twice the bias of exponents: the low bits of a sum with it are what the exponents of two powers add up to.
const MAGIC_OF_POWERS: f64 = MAGIC + 2.0 * 1023.0;
/// The bits of the fraction of a double.
pub(super) const FRACTION: u64 = (1 << 52) - 1;
/// 2⁵²: from here on doubles are integers.
pub(super) const WHOLE: f64 = 4_503_599_627_370_496.0;
/// ln 2, its first 42 bits: a multiple by an exponent is exact.
pub(super) const LN_2_HI: f64 = 0.6931471805598903;
/// What is left of ln 2.
pub(super) const LN_2_LO: f64 = 5.497923018708371e-14;

/// A number in two parts.
pub(super) type Pair<N> = (N, N);

/// `a·b + c`: in one rounding where the machine has it, and in two where one would be a call.
#[inline(always)]
pub(super) fn madd<N: Number>(a: N, b: impl Into<N>, c: impl Into<N>) -> N {
    a.madd(b.into(), c.into())
}

/// `c₀ + c₁t + c₂t² + …`
#[inline(always)]
pub(super) fn horner<N: Number, const COUNT: usize>(coefficients: &[f64; COUNT], t: N) -> N {
    let mut sum = N::from(coefficients[COUNT - 1]);
    let mut k = COUNT - 1;
    while k > 0 {
        k -= 1;
        sum = madd(sum, t, coefficients[k]);
    }
    sum
}

/// [`horner`] for even powers and odd ones side by side, in sums of half the depth; `square` is `t²`.
#[inline(always)]
pub(super) fn even_and_odd<N: Number, const COUNT: usize>(coefficients: &[f64; COUNT], t: N, square: N) -> N {
    const { assert!(COUNT.is_multiple_of(2), "as many even powers as odd ones") };
    let (mut even, mut odd) = (N::from(coefficients[COUNT - 2]), N::from(coefficients[COUNT - 1]));
    let mut k = COUNT - 2;
    while k > 0 {
        k -= 2;
        even = madd(even, square, coefficients[k]);
        odd = madd(odd, square, coefficients[k + 1]);
    }
    madd(odd, t, even)
}

/// The nearest integer, for numbers of modulus below 2⁵¹. Unlike `round` it is no call on any machine.
#[inline(always)]
pub(super) fn nearest<N: Number>(x: N) -> N {
    (x + MAGIC) - MAGIC
}

/// `2ⁿ` for an integer `−1023 < n < 1024`; for NaN it is something.
#[inline(always)]
pub(super) fn power_of_two<N: Number>(n: N) -> N {
    N::from_bits((n + (WHOLE + 1023.0)).to_bits() << 52)
}

/// `2⁻ⁿ` for an integer `−1024 < n < 1023`; for NaN it is something. Where `n` is a choice, its negative would be no minimum.
#[inline(always)]
pub(super) fn power_of_half<N: Number>(n: N) -> N {
    N::from_bits((N::from(WHOLE + 1023.0) - n).to_bits() << 52)
}

/// The integer `n < 2⁵²`, as a number; that conversion is in few vector units.
#[inline(always)]
pub(super) fn as_number<N: Number>(n: N::Bits) -> N {
    N::from_bits(n | WHOLE.to_bits()) - WHOLE
}

/// The nearest integer `n` to a number of modulus below 2045, and two powers of two whose product is `2ⁿ`; for NaN, NaN and
/// something.
#[inline(always)]
pub(super) fn nearest_with_powers<N: Number>(x: N) -> (N, [N; 2]) {
    let sum = x + MAGIC_OF_POWERS;
    let (exponents, half) = (sum.to_bits() << 52, (sum.to_bits() >> 1) << 52);
    (sum - MAGIC_OF_POWERS, [N::from_bits(half), N::from_bits(exponents - half)])
}

/// `x·2ⁿ` in one rounding, by the two powers of [`nearest_with_powers`].
#[inline(always)]
pub(super) fn scale_by<N: Number>(x: N, [some, rest]: [N; 2]) -> N {
    x * some * rest
}

/// `x·2ⁿ` in one rounding, for `|n| < 2045`.
#[inline(always)]
pub(super) fn scale<N: Number>(x: N, n: N) -> N {
    scale_by(x, nearest_with_powers(n).1)
}

/// `x`, and NaN where it is, held between two bounds.
#[inline(always)]
pub(super) fn clamp<N: Number>(x: N, low: f64, high: f64) -> N {
    let x = N::select(x.gt(high), high, x);
    N::select(x.lt(low), low, x)
}

/// `|x|` with the sign of `sign`.
#[inline(always)]
pub(super) fn with_sign<N: Number>(x: N, sign: N) -> N {
    N::from_bits((x.to_bits() & !SIGN) | (sign.to_bits() & SIGN))
}

/// The sum of two numbers and its rounding error.
#[inline(always)]
pub(super) fn two_sum<N: Number>(a: N, b: N) -> Pair<N> {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// [`two_sum`] where `a` is 0 or at least as large as `b`, for half the price.
#[inline(always)]
pub(super) fn fast_two_sum<N: Number>(a: N, b: N) -> Pair<N> {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// The product of two numbers and its rounding error. Without FMA the factors must be below 2⁹⁹⁶.
#[inline(always)]
pub(super) fn two_product<N: Number>(a: N, b: N) -> Pair<N> {
    let product = a * b;
    if N::FMA {
        return (product, madd(a, b, -product));
    }
    let ((a_hi, a_lo), (b_hi, b_lo)) = (halves(a), halves(b));
    (product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo)
}

/// A number as the sum of two of 26 bits, whose products are exact.
#[inline(always)]
fn halves<N: Number>(a: N) -> Pair<N> {
    let shifted = a * 134_217_729.0;
    let hi = shifted - (shifted - a);
    (hi, a - hi)
}

/// The quotient of two pairs, to some 2⁻¹⁰⁰ of itself. One division.
#[inline(always)]
pub(super) fn divide<N: Number>(a: Pair<N>, b: Pair<N>) -> Pair<N> {
    let inverse = N::from(1.0) / b.0;
    let quotient = a.0 * inverse;
    let (product, error) = two_product(quotient, b.0);
    let rest = ((a.0 - product) - error) + (a.1 - quotient * b.1);
    (quotient, inverse * rest)
}

/// [`divide`], rounded to one number.
#[inline(always)]
pub(super) fn quotient<N: Number>(a: Pair<N>, b: Pair<N>) -> N {
    let (hi, lo) = divide(a, b);
    hi + lo
}
