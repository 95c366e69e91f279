//! Angles: `sin`, `cos`, `tan` up to [`TRIG_RANGE`], and the inverses `asin`, `acos`, `atan`, `atan2`.
//!
//! Law: ≤ 2 ulp with and without FMA, below 1 for most, next to the zeros as well; beyond the range sine, cosine and
//! tangent are NaN, never a wrong number: [`trig_is_fast`] says which to do elsewhere (tests/scalar/vector_math.rs).
//!
//! The reduction by multiples of π/2 is that of Cody and Waite ("Software Manual for the Elementary Functions", 1980)
//! with four parts of π/2, the first three short enough that their multiples are exact. Polynomials are minimax
//! (Remez's exchange in 70 digits), then rounded to doubles.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

use super::arithmetic::{MAGIC, Pair, divide, fast_two_sum, horner, madd, quotient, two_sum, with_sign};
use super::number::{Bits, Number};

/// Up to this modulus `sin`, `cos` and `tan` are what they should be: the multiple of π/2 has 20 bits.
pub const TRIG_RANGE: f64 = 1_600_000.0;

/// π/2 as parts of 33, 31, 33 and 53 bits.
const HALF_PI: [f64; 4] = [1.5707963267341256, 6.07710050359346e-11, 2.912732056084878e-20, 8.4784276603689e-32];
/// What is left of [`FRAC_PI_2`].
const HALF_PI_LO: f64 = 6.123233995736766e-17;

/// `(sin r / r − 1)/r²` in powers of `r²` on `|r| ≤ π/4`; the sine to 2⁻⁵⁷.
const SIN: [f64; 6] = [
    -0.16666666666666632,
    0.008333333333322424,
    -0.00019841269829816468,
    2.7557313695085585e-06,
    -2.505075863396034e-08,
    1.5896826923201664e-10,
];

/// `(cos r − 1 + r²/2)/r⁴` in powers of `r²` on `|r| ≤ π/4`; the cosine to 2⁻⁶⁰.
const COS: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887414,
    2.4801587289492244e-05,
    -2.755731435536669e-07,
    2.0875723701786918e-09,
    -1.1359670776009167e-11,
];

/// `(atan t / t − 1)/t²` in powers of `t²` on `|t| ≤ tan π/8`; relative error 2⁻⁵⁸.
const ATAN: [f64; 12] = [
    -0.33333333333333326,
    0.19999999999997692,
    -0.14285714285390963,
    0.11111111088362045,
    -0.09090908151183645,
    0.07692282909318526,
    -0.06666228984838736,
    0.058770436374473004,
    -0.05218545154712437,
    0.04504122574763007,
    -0.03348781887668789,
    0.015208743473615567,
];

/// `(asin t / t − 1)/t²` in powers of `t²` on `|t| ≤ ½`; relative error 2⁻⁵⁸.
const ASIN: [f64; 13] = [
    0.16666666666666763,
    0.07499999999970262,
    0.04464285717512099,
    0.030381942683601896,
    0.02237221566080196,
    0.01735160008271177,
    0.013980961556601352,
    0.011397775182712533,
    0.010786533215152648,
    0.0036830276048328173,
    0.02176353086811474,
    -0.021077332514610567,
    0.03267691208376524,
];

/// tan π/8 and its inverse, the borders between which the angle is measured from π/4.
const BORDERS: Pair<f64> = (0.414_213_562_373_095_1, 2.414_213_562_373_095);

/// Between these, 2³⁰⁰ and 2⁹⁰⁰, the larger of two numbers and any other that shows beside it have exact quotients.
const MIDDLE: Pair<f64> = (f64::from_bits((1023 + 300) << 52), f64::from_bits((1023 + 900) << 52));
/// Factors to there from below and from above: 2⁵⁰⁰ and 2⁻²⁰⁰.
const TO_MIDDLE: Pair<f64> = (f64::from_bits((1023 + 500) << 52), f64::from_bits((1023 - 200) << 52));

/// Whether `sin`, `cos` and `tan` are right at `x`: in range, or with no value anyway.
#[inline(always)]
pub(super) fn trig_is_fast<N: Number>(x: N) -> N::Truth {
    let modulus = x.abs();
    modulus.le(TRIG_RANGE) | !modulus.lt(f64::INFINITY)
}

/// `x` less `n` times the first part of π/2, exactly, for the nearest `n`; this, and its low bits. NaN out of range.
#[inline(always)]
pub(super) fn begin_reduction<N: Number>(x: N) -> (N::Bits, N, N) {
    let x = N::select(x.abs().le(TRIG_RANGE), x, f64::NAN);
    let turns = madd(x, FRAC_2_PI, MAGIC);
    let n = turns - MAGIC;
    (turns.to_bits(), n, madd(-n, HALF_PI[0], x))
}

/// `x` less its nearest multiple of π/2, and that multiple in the low bits; NaN out of range.
#[inline(always)]
fn reduce<N: Number>(x: N) -> (N::Bits, Pair<N>) {
    let (quadrant, n, r) = begin_reduction(x);
    // Exact unless nothing cancels: see the lengths of the parts.
    let (r, error) = fast_two_sum(r, -n * HALF_PI[1]);
    let (r, error) = fast_two_sum(r, madd(-n, HALF_PI[2], error));
    (quadrant, (r, madd(-n, HALF_PI[3], error)))
}

/// Sine and cosine of `r`, each as a leading part and the rest.
#[inline(always)]
fn sin_cos<N: Number>((r, r_lo): Pair<N>) -> (Pair<N>, Pair<N>) {
    let square = r * r;
    let half = square * 0.5;
    let one = N::from(1.0);
    let lead = one - half;
    let sin_rest = madd(r * square, horner(&SIN, square), r_lo * lead);
    let bend = madd(square * square, horner(&COS, square), -r * r_lo);
    ((r, sin_rest), (lead, (one - lead - half) + bend))
}

/// The sine of `r` plus `quadrant` right angles, from sine and cosine of `r`.
#[inline(always)]
pub(super) fn turned<N: Number>(quadrant: N::Bits, sin: N, cos: N) -> N {
    let value = N::select((quadrant & 1).is_zero(), sin, cos);
    N::from_bits(value.to_bits() ^ ((quadrant & 2) << 62))
}

/// The sine.
#[inline(always)]
pub(super) fn sin<N: Number>(x: N) -> N {
    let (quadrant, r) = reduce(x);
    let (sin, cos) = sin_cos(r);
    let value = turned(quadrant, sin.0 + sin.1, cos.0 + cos.1);
    N::select(x.eq(0.0), x, value)
}

/// The cosine.
#[inline(always)]
pub(super) fn cos<N: Number>(x: N) -> N {
    let (quadrant, r) = reduce(x);
    let (sin, cos) = sin_cos(r);
    turned(quadrant + 1, sin.0 + sin.1, cos.0 + cos.1)
}

/// The tangent of `r` plus `quadrant` right angles, from sine and cosine of `r`.
#[inline(always)]
fn turned_tan<N: Number>(quadrant: N::Bits, sin: Pair<N>, cos: Pair<N>) -> N {
    let (sin, cos) = (fast_two_sum(sin.0, sin.1), fast_two_sum(cos.0, cos.1));
    let even = (quadrant & 1).is_zero();
    let above = N::select_pair(even, sin, (-cos.0, -cos.1));
    let below = N::select_pair(even, cos, sin);
    quotient(above, below)
}

/// The tangent.
#[inline(always)]
pub(super) fn tan<N: Number>(x: N) -> N {
    let (quadrant, r) = reduce(x);
    let (sin, cos) = sin_cos(r);
    N::select(x.eq(0.0), x, turned_tan(quadrant, sin, cos))
}

/// The sine of `n` right angles and `r + rest`, for a small whole `n` and `|r| ≤ π/4`, which others have reduced.
#[cfg(feature = "native")]
#[inline(always)]
pub(super) fn sin_from<N: Number>(n: N, r: N, rest: N) -> N {
    let (sin, cos) = sin_cos((r, rest));
    turned((n + MAGIC).to_bits(), sin.0 + sin.1, cos.0 + cos.1)
}

/// The tangent of the same.
#[cfg(feature = "native")]
#[inline(always)]
pub(super) fn tan_from<N: Number>(n: N, r: N, rest: N) -> N {
    let (sin, cos) = sin_cos((r, rest));
    turned_tan((n + MAGIC).to_bits(), sin, cos)
}

/// The angle of `(b, a)` in the first quadrant, for finite `a, b ≥ 0`, not both 0, whose inverses do not overflow.
#[inline(always)]
fn angle<N: Number>(a: N, b: N) -> Pair<N> {
    let steep = a.gt(b * BORDERS.1);
    let middle = a.gt(b * BORDERS.0);
    let (sum, difference) = (two_sum(a, b), two_sum(a, -b));
    let flat = N::select_pair(middle, difference, (a, 0.0));
    let flat_below = N::select_pair(middle, sum, (b, 0.0));
    let above = N::select_pair(steep, (-b, 0.0), flat);
    let below = N::select_pair(steep, (a, 0.0), flat_below);
    let offset = N::select_pair(middle, (FRAC_PI_4, 0.5 * HALF_PI_LO), (0.0, 0.0));
    let offset = N::select_pair(steep, (FRAC_PI_2, HALF_PI_LO), offset);

    let (t, t_lo) = divide(above, below);
    let square = t * t;
    let bend = madd(t * square, horner(&ATAN, square), t_lo);
    let (hi, lo) = fast_two_sum(offset.0, t);
    fast_two_sum(hi, lo + (offset.1 + bend))
}

/// The inverse tangent.
#[inline(always)]
pub(super) fn atan<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let (hi, _) = angle(N::select(modulus.gt(1e20), 1e20, modulus), N::from(1.0));
    with_sign(hi, x)
}

/// The angle of the point `(x, y)`, in `[−π, π]`.
#[inline(always)]
pub(super) fn atan2<N: Number>(y: N, x: N) -> N {
    let (a, b) = (y.abs(), x.abs());
    let most = N::select(a.gt(b), a, b);
    let far = most.eq(f64::INFINITY);
    let infinite = |c: N| N::select(c.eq(f64::INFINITY), 1.0, 0.0);
    let (a, b) = N::select_pair(far, (infinite(a), infinite(b)), (a, b));
    let factor = N::select(most.gt(MIDDLE.1), TO_MIDDLE.1, 1.0);
    let factor = N::select(most.lt(MIDDLE.0), TO_MIDDLE.0, factor);
    let (hi, lo) = angle(a * factor, N::select(most.eq(0.0), 1.0, b * factor));
    let back = {
        let (rest, error) = fast_two_sum(N::from(PI), -hi);
        rest + (error + (N::from(2.0 * HALF_PI_LO) - lo))
    };
    let value = with_sign(N::select(x.is_sign_negative(), back, hi), y);
    N::select(x.is_nan() | y.is_nan(), f64::NAN, value)
}

/// Of `t` with `|t| ≤ ½`: the inverse sine less `t`, where `square` is `t²`.
#[inline(always)]
fn asin_bend<N: Number>(t: N, square: N) -> N {
    t * square * horner(&ASIN, square)
}

/// The inverse sine; beyond ½ from that of `√((1 − |x|)/2)`.
#[inline(always)]
pub(super) fn asin<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let outer = modulus.gt(0.5);
    let square = N::select(outer, N::from(0.5) - modulus * 0.5, x * x);
    let t = N::select(outer, square.sqrt(), modulus);
    let bend = asin_bend(t, square);
    let (hi, lo) = fast_two_sum(N::from(FRAC_PI_2), t * -2.0);
    let value = N::select(outer, hi + (lo + (N::from(HALF_PI_LO) - bend * 2.0)), t + bend);
    with_sign(N::select(x.is_nan() | modulus.gt(1.0), f64::NAN, value), x)
}

/// The inverse cosine; beyond ½ from the inverse sine of `√((1 − |x|)/2)`.
#[inline(always)]
pub(super) fn acos<N: Number>(x: N) -> N {
    let modulus = x.abs();
    let outer = modulus.gt(0.5);
    let square = N::select(outer, N::from(0.5) - modulus * 0.5, x * x);
    let t = N::select(outer, square.sqrt(), x);
    let bend = asin_bend(t, square);
    let (hi, lo) = fast_two_sum(N::from(FRAC_PI_2), -t);
    let inner = hi + (lo + (N::from(HALF_PI_LO) - bend));
    let right = (t + bend) * 2.0;
    let left = (hi + (lo + (N::from(HALF_PI_LO) - bend))) * 2.0;
    let value = N::select(x.gt(0.0), right, left);
    N::select(outer, value, inner)
}
