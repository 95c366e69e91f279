//! Powers and roots: `pow`, `cbrt`, `hypot`.
//!
//! Law: ≤ 2 ulp with and without FMA, below 1 for most, over the whole range of exponents
//! (tests/scalar/vector_math.rs).
//!
//! A power of modulus `e⁷⁴⁵` needs `ln x` to 2⁻⁶⁵ of itself: [`ln_wide`] keeps the leading terms of the series of the
//! inverse hyperbolic tangent in two parts. The cube root is from one of order 3 of the inverse one, and a last step
//! of Newton with an exact remainder. Coefficients are minimax (Remez's exchange in 70 digits).

use super::arithmetic::{
    FRACTION, LN_2_HI, LN_2_LO, Pair, as_number, clamp, divide, fast_two_sum, horner, madd, nearest, power_of_two,
    scale, two_product, two_sum, with_sign,
};
use super::exp::exp_pair;
use super::log::split;

/// 1/3, the first coefficient of the series of `(atanh s / s − 1)/s²`, in two parts.
const THIRD: Pair = (0.3333333333333333, 1.850371707708594e-17);
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
const CBRTS: Pair = (1.2599210498948732, 0.7937005259840998);

/// `ln x` to some 2⁻⁶⁵ of itself, for positive finite `x`.
#[inline(always)]
fn ln_wide<const FMA: bool>(x: f64) -> Pair {
    let (k, m) = split(x);
    let (s, s_lo) = divide::<FMA>((m - 1.0, 0.0), two_sum(1.0, m));
    let (square, square_lo) = two_product::<FMA>(s, s);
    let square_lo = madd::<FMA>(2.0 * s, s_lo, square_lo);
    let (series, series_lo) = fast_two_sum(THIRD.0, square * horner::<FMA, _>(&ATANH, square));
    let (cube, cube_lo) = two_product::<FMA>(s, square);
    let cube_lo = madd::<FMA>(s_lo, square, madd::<FMA>(s, square_lo, cube_lo));
    let (bend, bend_lo) = two_product::<FMA>(cube, series);
    let bend_lo = madd::<FMA>(cube, series_lo + THIRD.1, madd::<FMA>(cube_lo, series, bend_lo));

    let (half, half_lo) = fast_two_sum(s, bend);
    let (hi, lo) = fast_two_sum(k * LN_2_HI, 2.0 * half);
    fast_two_sum(hi, lo + madd::<FMA>(k, LN_2_LO, 2.0 * (half_lo + (bend_lo + s_lo))))
}

/// Whether `y` is an integer, and whether an odd one; infinities are even.
#[inline(always)]
fn parity(y: f64) -> (bool, bool) {
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let modulus = y.abs();
    let fraction = modulus < WHOLE && (modulus + WHOLE) - WHOLE != modulus;
    let half = 0.5 * modulus;
    (!fraction, !fraction && modulus < 2.0 * WHOLE && (half + WHOLE) - WHOLE != half)
}

/// Puts in place what `x^y` is at the ends and for negative `x`, where `value` is `|x|^y`.
#[inline(always)]
pub(super) fn with_ends(x: f64, y: f64, value: f64) -> f64 {
    let modulus = x.abs();
    let (integer, odd) = parity(y);
    let end = if (modulus > 1.0) == (y > 0.0) { f64::INFINITY } else { 0.0 };
    let value = if modulus == 0.0 || modulus == f64::INFINITY { end } else { value };
    let outside = x < 0.0 && modulus < f64::INFINITY && !integer;
    let value = if outside || x.is_nan() || y.is_nan() { f64::NAN } else { value };
    let value = if odd { with_sign(value, x) } else { value };
    if y == 0.0 || x == 1.0 { 1.0 } else { value }
}

/// `x^y`, also of negative `x` for integers `y`.
#[inline(always)]
pub fn pow<const FMA: bool>(x: f64, y: f64) -> f64 {
    let ln = ln_wide::<FMA>(x.abs());
    // No larger exponent makes a difference, and the product stays finite.
    let exponent = clamp(y, -LARGEST_EXPONENT, LARGEST_EXPONENT);
    let (product, error) = two_product::<FMA>(exponent, ln.0);
    let lo = madd::<FMA>(exponent, ln.1, error);
    let lo = if product.abs() > 800.0 { 0.0 } else { lo };
    let (n, (hi, lo)) = exp_pair::<FMA>((clamp(product, -800.0, 800.0), lo));
    with_ends(x, y, scale(hi + lo, n))
}

/// The cube root.
#[inline(always)]
pub fn cbrt<const FMA: bool>(x: f64) -> f64 {
    let modulus = x.abs();
    let subnormal = modulus < f64::MIN_POSITIVE;
    let bits = if subnormal { modulus * 18_014_398_509_481_984.0 } else { modulus }.to_bits();
    let exponent = as_number(bits >> 52) - if subnormal { 1077.0 } else { 1023.0 };
    let m = f64::from_bits((bits & FRACTION) | 1.0_f64.to_bits());

    // x = 8ᵗ·g with g between ½ and 4, of which r is the inverse cube root.
    let third = nearest(exponent * (1.0 / 3.0));
    let left = exponent - 3.0 * third;
    let factor = if left > 0.0 { (2.0, CBRTS.1) } else { (1.0, 1.0) };
    let factor = if left < 0.0 { (0.5, CBRTS.0) } else { factor };
    let g = m * factor.0;
    let r = horner::<FMA, _>(&INVERSE_CBRT, m) * factor.1;
    let e = madd::<FMA>(-(g * r), r * r, 1.0);
    let r = madd::<FMA>(r * e, madd::<FMA>(e, 2.0 / 9.0, 1.0 / 3.0), r);

    let root = g * (r * r);
    let (square, square_lo) = two_product::<FMA>(root, root);
    let (cube, cube_lo) = two_product::<FMA>(square, root);
    let rest = (g - cube) - madd::<FMA>(square_lo, root, cube_lo);
    let root = madd::<FMA>(rest, r * r * (1.0 / 3.0), root);
    let value = with_sign(root * power_of_two(third), x);
    if modulus > 0.0 && modulus < f64::INFINITY { value } else { x }
}

/// `√(x² + y²)` without overflow; infinite if either is, be the other NaN.
#[inline(always)]
pub fn hypot<const FMA: bool>(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let most = if x > y { x } else { y };
    let (down, up) = (1.0 / HUGE, HUGE);
    let factor = if most > 1.0 / TINY { (down, up) } else { (1.0, 1.0) };
    let factor = if most < TINY { (up, down) } else { factor };
    let (a, b) = (x * factor.0, y * factor.0);
    let value = madd::<FMA>(a, a, b * b).sqrt() * factor.1;
    if x == f64::INFINITY || y == f64::INFINITY { f64::INFINITY } else { value }
}
