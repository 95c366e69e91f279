//! Powers and roots: `pow`, `cbrt`, `hypot`.
//!
//! Law: ≤ 2 ulp with and without FMA, below 1 for most, over the whole range of exponents
//! (tests/scalar/vector_math.rs).
//!
//! A power of modulus `e⁷⁴⁵` needs `ln x` to 2⁻⁶⁵ of itself: [`ln_wide`] keeps the leading terms of the series of the
//! inverse hyperbolic tangent in two parts. The cube root is from one of order 3 of the inverse one, and a last step
//! of Newton with an exact remainder. Coefficients are minimax (Remez's exchange in 70 digits).

use super::arithmetic::{
    FRACTION, LN_2_HI, LN_2_LO, Pair, WHOLE, as_number, clamp, divide, fast_two_sum, horner, madd, nearest,
    power_of_two, scale, two_product, two_sum, with_sign,
};
use super::exp::exp_pair;
use super::log::split;
use super::number::Number;

/// 1/3, the first coefficient of the series of `(atanh s / s − 1)/s²`, in two parts.
const THIRD: Pair<f64> = (0.3333333333333333, 1.850371707708594e-17);
/// The rest of it, over `s²`, in powers of `s²` for `1 + 2s/(1 − s)` between `√½` and `√2`; `atanh` to 2⁻⁶⁶.
const ATANH: [f64; 8] = [
    0.1999999999999999,
    0.14285714285722576,
    0.11111111108763543,
    0.09090909435733235,
    0.07692278396134283,
    0.06668160227660525,
    0.05837378353026016,
    0.05994764654712466,
];

/// `m^(−1/3)` on `[1, 2]`, to 2⁻¹⁴·⁷.
const INVERSE_CBRT: [f64; 5] =
    [1.6700063622388108, -1.1728792912584256, 0.695481798262453, -0.22123751690728183, 0.0285909742953422];
/// 2⁶⁰⁰, by which numbers below 2⁻⁵⁰⁰ or above its inverse are moved before they are squared.
const HUGE: f64 = f64::from_bits((1023 + 600) << 52);
const TINY: f64 = f64::from_bits((1023 - 500) << 52);

/// All powers of this exponent but those of ±1 are 0 or infinite.
pub(super) const LARGEST_EXPONENT: f64 = 7e19;

/// The cube roots of 2 and of ½.
const CBRTS: Pair<f64> = (1.2599210498948732, 0.7937005259840998);

/// `ln x` to some 2⁻⁶⁵ of itself, for positive finite `x`.
#[inline(always)]
fn ln_wide<N: Number>(x: N) -> Pair<N> {
    let (k, m) = split(x);
    let (s, s_lo) = divide((m - 1.0, N::from(0.0)), two_sum(N::from(1.0), m));
    let (square, square_lo) = two_product(s, s);
    let square_lo = madd(s * 2.0, s_lo, square_lo);
    let (series, series_lo) = fast_two_sum(N::from(THIRD.0), square * horner(&ATANH, square));
    let (cube, cube_lo) = two_product(s, square);
    let cube_lo = madd(s_lo, square, madd(s, square_lo, cube_lo));
    let (bend, bend_lo) = two_product(cube, series);
    let bend_lo = madd(cube, series_lo + THIRD.1, madd(cube_lo, series, bend_lo));

    let (half, half_lo) = fast_two_sum(s, bend);
    let (hi, lo) = fast_two_sum(k * LN_2_HI, half * 2.0);
    fast_two_sum(hi, lo + madd(k, LN_2_LO, (half_lo + (bend_lo + s_lo)) * 2.0))
}

/// Whether `y` is an integer, and whether an odd one; infinities are even.
#[inline(always)]
fn parity<N: Number>(y: N) -> (N::Truth, N::Truth) {
    let modulus = y.abs();
    let fraction = modulus.lt(WHOLE) & !((modulus + WHOLE) - WHOLE).eq(modulus);
    let half = modulus * 0.5;
    (!fraction, !fraction & modulus.lt(2.0 * WHOLE) & !((half + WHOLE) - WHOLE).eq(half))
}

/// Puts in place what `x^y` is at the ends and for negative `x`, where `value` is `|x|^y`.
#[inline(always)]
pub(super) fn with_ends<N: Number>(x: N, y: N, value: N) -> N {
    let modulus = x.abs();
    let (integer, odd) = parity(y);
    let end = N::select(modulus.gt(1.0) ^ y.gt(0.0), 0.0, f64::INFINITY);
    let value = N::select(modulus.eq(0.0) | modulus.eq(f64::INFINITY), end, value);
    let outside = x.lt(0.0) & modulus.lt(f64::INFINITY) & !integer;
    let value = N::select(outside | x.is_nan() | y.is_nan(), f64::NAN, value);
    let value = N::select(odd, with_sign(value, x), value);
    N::select(y.eq(0.0) | x.eq(1.0), 1.0, value)
}

/// `x^y`, also of negative `x` for integers `y`.
#[inline(always)]
pub(super) fn pow<N: Number>(x: N, y: N) -> N {
    let ln = ln_wide(x.abs());
    // No larger exponent makes a difference, and the product stays finite.
    let exponent = clamp(y, -LARGEST_EXPONENT, LARGEST_EXPONENT);
    let (product, error) = two_product(exponent, ln.0);
    let lo = madd(exponent, ln.1, error);
    let lo = N::select(product.abs().gt(800.0), 0.0, lo);
    let (n, (hi, lo)) = exp_pair((clamp(product, -800.0, 800.0), lo));
    with_ends(x, y, scale(hi + lo, n))
}

/// The cube root.
#[inline(always)]
pub(super) fn cbrt<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let subnormal = modulus.lt(f64::MIN_POSITIVE);
    let bits = N::select(subnormal, modulus * 18_014_398_509_481_984.0, modulus).to_bits();
    let exponent = as_number::<N>(bits >> 52) - N::select(subnormal, 1077.0, 1023.0);
    let m = N::from_bits((bits & FRACTION) | 1.0_f64.to_bits());

    // x = 8ᵗ·g with g between ½ and 4, of which r is the inverse cube root.
    let third = nearest(exponent * (1.0 / 3.0));
    let left = exponent - third * 3.0;
    let factor = N::select_pair(left.gt(0.0), (2.0, CBRTS.1), (1.0, 1.0));
    let factor = N::select_pair(left.lt(0.0), (0.5, CBRTS.0), factor);
    let g = m * factor.0;
    let r = horner(&INVERSE_CBRT, m) * factor.1;
    let e = madd(-(g * r), r * r, 1.0);
    let r = madd(r * e, madd(e, 2.0 / 9.0, 1.0 / 3.0), r);

    let root = g * (r * r);
    let (square, square_lo) = two_product(root, root);
    let (cube, cube_lo) = two_product(square, root);
    let rest = (g - cube) - madd(square_lo, root, cube_lo);
    let root = madd(rest, r * r * (1.0 / 3.0), root);
    let value = with_sign(root * power_of_two(third), x);
    N::select(modulus.gt(0.0) & modulus.lt(f64::INFINITY), value, x)
}

/// `√(x² + y²)` without overflow; infinite if either is, be the other NaN.
#[inline(always)]
pub(super) fn hypot<N: Number>(x: N, y: N) -> N {
    let (x, y) = (x.abs(), y.abs());
    let most = N::select(x.gt(y), x, y);
    let (down, up) = (1.0 / HUGE, HUGE);
    let factor = N::select_pair(most.gt(1.0 / TINY), (down, up), (1.0, 1.0));
    let factor = N::select_pair(most.lt(TINY), (up, down), factor);
    let (a, b) = (x * factor.0, y * factor.0);
    let value = madd(a, a, b * b).sqrt() * factor.1;
    N::select(x.eq(f64::INFINITY) | y.eq(f64::INFINITY), f64::INFINITY, value)
}
