//! Logarithms `ln`, `log2`, `log10`, `log1p`, and what is one in disguise: `softplus`, `asinh`, `acosh`, `atanh`.
//!
//! Law: ≤ 2 ulp with and without FMA, below 1 for most, also where the result is near 0 (tests/scalar/vector_math.rs).
//!
//! All split `x = 2ᵏ·(1 + f)` with `√½ ≤ 1 + f < √2`; then `ln(1 + f) = 2 atanh s`, where `s = f/(2 + f)`. That this
//! is `f − (f²/2 − s(f²/2 + R(s²)))`, in which the rounding of `s` hardly shows, is from the notes of Sun's `e_log`.

use super::arithmetic::{
    FRACTION, LN_2_HI, LN_2_LO, Pair, as_number, divide, fast_two_sum, horner, madd, power_of_half, two_product,
    two_sum, with_sign,
};
use super::exp::decay;
use super::number::Number;

/// `(atanh s / s − 1)/s²` in powers of `s²` on `|s| ≤ 0.2012`, minimax for the relative error of `atanh`: 2⁻⁵⁹·⁶.
const ATANH: [f64; 8] = [
    0.3333333333333329,
    0.2000000000003058,
    0.14285714277389203,
    0.11111112206162892,
    0.09090829539091087,
    0.07695664990193168,
    0.06584995831247073,
    0.06933558618696682,
];

/// 1/ln 2, its first 31 bits and the rest.
const LOG2_E: Pair<f64> = (1.442695040255785, 6.331784189566044e-10);
/// 1/ln 10, its first 31 bits and the rest.
const LOG10_E: Pair<f64> = (0.43429448176175356, 1.414982685385801e-10);
/// lg 2, its first 42 bits and the rest.
const LOG10_2: Pair<f64> = (0.30102999566395283, 2.8363394551044964e-14);

const ONE: u64 = 1.0_f64.to_bits();
const SQRT_HALF: u64 = core::f64::consts::FRAC_1_SQRT_2.to_bits();
/// From here on `x ± 1`, or `√(x² ± 1)`, is `x` as far as a logarithm can tell.
const LARGE: f64 = 268_435_456.0;

/// `x = 2ᵏ·m` with `√½ ≤ m < √2`, for positive finite `x` that is not subnormal.
#[inline(always)]
pub(super) fn split_normal<N: Number>(x: N) -> (N, N) {
    let bits = x.to_bits() + (ONE - SQRT_HALF);
    (as_number::<N>(bits >> 52) - 1023.0, N::from_bits((bits & FRACTION) + SQRT_HALF))
}

/// [`split_normal`] for subnormal numbers as well.
#[inline(always)]
pub(super) fn split<N: Number>(x: N) -> (N, N) {
    let subnormal = x.lt(f64::MIN_POSITIVE);
    let (k, m) = split_normal(N::select(subnormal, x * 18_014_398_509_481_984.0, x));
    (N::select(subnormal, k - 54.0, k), m)
}

/// `f²/2` and the rest of `f − ln(1 + f)`, negative: `ln(1 + f) = f − half + rest`.
#[inline(always)]
fn bend<N: Number>(f: N) -> Pair<N> {
    let s = f / (f + 2.0);
    let square = s * s;
    let half = f * 0.5 * f;
    (half, s * madd(square * 2.0, horner(&ATANH, square), half))
}

/// Puts in place what logarithms are at the ends: `−∞` at 0, NaN below, and `x` for `∞` and NaN.
#[inline(always)]
pub(super) fn with_ends<N: Number>(x: N, value: N) -> N {
    let end = N::select(x.lt(0.0), f64::NAN, x);
    let end = N::select(x.eq(0.0), f64::NEG_INFINITY, end);
    N::select(x.gt(0.0) & x.lt(f64::INFINITY), value, end)
}

/// The natural logarithm.
#[inline(always)]
pub(super) fn ln<N: Number>(x: N) -> N {
    let (k, m) = split(x);
    let f = m - 1.0;
    let (half, rest) = bend(f);
    let low = half - madd(k, LN_2_LO, rest);
    with_ends(x, madd(k, LN_2_HI, -(low - f)))
}

/// `ln m·unit` for `k = 0`, in two parts, and added to `k·whole`.
#[inline(always)]
fn in_base<N: Number>(x: N, unit: Pair<f64>, whole: Pair<f64>) -> N {
    let (k, m) = split(x);
    let f = m - 1.0;
    let (half, rest) = bend(f);
    // The first 21 bits, so that the product with those of the unit is exact.
    let hi = N::from_bits((f - half).to_bits() & 0xffff_ffff_0000_0000);
    let lo = (f - hi - half) + rest;
    let (sum, error) = fast_two_sum(k * whole.0, hi * unit.0);
    let small = madd(lo, unit.0, (lo + hi) * unit.1);
    with_ends(x, sum + (error + madd(k, whole.1, small)))
}

/// The logarithm to base 2; whole at powers of 2.
#[inline(always)]
pub(super) fn log2<N: Number>(x: N) -> N {
    in_base(x, LOG2_E, (1.0, 0.0))
}

/// The logarithm to base 10.
#[inline(always)]
pub(super) fn log10<N: Number>(x: N) -> N {
    in_base(x, LOG10_E, LOG10_2)
}

/// `ln(u + c)`, plus `extra·ln 2`, for a pair with positive finite `u`.
#[inline(always)]
fn ln_pair<N: Number>((u, c): Pair<N>, extra: impl Into<N>) -> N {
    let (k, m) = split(u);
    let fewer = N::select(k.gt(1000.0), 1000.0, k);
    let (f, f_lo) = two_sum(m - 1.0, c * power_of_half(fewer));
    let (half, rest) = bend(f);
    // 1/(1 + f) to a twentieth is enough for what is below the last place.
    let rest = madd(f_lo, madd(f, madd(f, 0.9, -1.0), 1.0), rest);
    let k = k + extra.into();
    let low = half - madd(k, LN_2_LO, rest);
    madd(k, LN_2_HI, -(low - f))
}

/// `ln(1 + x)`.
#[inline(always)]
pub(super) fn log1p<N: Number>(x: N) -> N {
    let sum = two_sum(N::from(1.0), x);
    with_sign(with_ends(sum.0, ln_pair(sum, 0.0)), x)
}

/// `ln(1 + eˣ)`.
#[inline(always)]
pub(super) fn softplus<N: Number>(x: N) -> N {
    let e = decay(x);
    let (sum, error) = fast_two_sum(N::from(1.0), e.0);
    let positive = N::select(x.gt(0.0), x, 0.0);
    let value = positive + ln_pair((sum, error + e.1), 0.0);
    N::select(x.is_nan(), x, value)
}

/// The inverse hyperbolic sine, `ln(1 + t)` with `t = |x| + x²/(1 + √(1 + x²))`.
#[inline(always)]
pub(super) fn asinh<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let square = x * x;
    let (t, t_lo) = two_sum(modulus, square / (madd(x, x, 1.0).sqrt() + 1.0));
    let (sum, error) = two_sum(N::from(1.0), t);
    let large = modulus.gt(LARGE);
    let sum = N::select_pair(large, (modulus, 0.0), (sum, error + t_lo));
    with_sign(with_ends(sum.0, ln_pair(sum, N::select(large, 1.0, 0.0))), x)
}

/// The inverse hyperbolic cosine, `ln(1 + t + √(t(t + 2)))` with `t = x − 1`; NaN below 1.
#[inline(always)]
pub(super) fn acosh<N: Number>(x: N) -> N {
    let t = x - 1.0;
    let (square, square_lo) = two_product(t, t);
    let (square, error) = two_sum(t * 2.0, square);
    let root = square.sqrt();
    let (product, product_lo) = two_product(root, root);
    let rest = ((square - product) - product_lo + (error + square_lo)) / (root * 2.0);
    let (sum, sum_lo) = two_sum(t, root);
    let (total, total_lo) = two_sum(N::from(1.0), sum);
    let large = x.gt(LARGE);
    let sum = N::select_pair(large, (x, 0.0), (total, total_lo + (sum_lo + rest)));
    let value = with_ends(sum.0, ln_pair(sum, N::select(large, 1.0, 0.0)));
    let value = N::select(x.eq(1.0), 0.0, value);
    N::select(x.lt(1.0), f64::NAN, value)
}

/// The inverse hyperbolic tangent, `½ ln((1 + x)/(1 − x))`; NaN beyond ±1.
#[inline(always)]
pub(super) fn atanh<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let (above, below) = (two_sum(N::from(1.0), modulus), two_sum(N::from(1.0), -modulus));
    // Bits are a logarithm to within a twelfth: the quotient less 2ᵏ is between ⅔ and 3/2.
    let k = as_number::<N>((above.0.to_bits() - below.0.to_bits() + (1 << 51)) >> 52);
    let power = power_of_half(k);
    let above = (above.0 * power, above.1 * power);
    let (difference, difference_lo) = two_sum(above.0, -below.0);
    let (sum, sum_lo) = two_sum(above.0, below.0);
    let difference = fast_two_sum(difference, difference_lo + (above.1 - below.1));
    let (s, s_lo) = divide(difference, (sum, sum_lo + (above.1 + below.1)));
    let square = s * s;
    let series = madd(s * square, horner(&ATANH, square), s_lo);
    let (hi, lo) = fast_two_sum(k * 0.5 * LN_2_HI, s);
    let value = hi + (lo + madd(k * 0.5, LN_2_LO, series));
    let value = N::select(modulus.eq(1.0), f64::INFINITY, value);
    with_sign(N::select(modulus.gt(1.0), f64::NAN, value), x)
}
