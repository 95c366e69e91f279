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
const BORDERS: Pair = (0.414_213_562_373_095_1, 2.414_213_562_373_095);

/// Between these, 2³⁰⁰ and 2⁹⁰⁰, the larger of two numbers and any other that shows beside it have exact quotients.
const MIDDLE: Pair = (f64::from_bits((1023 + 300) << 52), f64::from_bits((1023 + 900) << 52));
/// Factors to there from below and from above: 2⁵⁰⁰ and 2⁻²⁰⁰.
const TO_MIDDLE: Pair = (f64::from_bits((1023 + 500) << 52), f64::from_bits((1023 - 200) << 52));

/// Whether `sin`, `cos` and `tan` are right at `x`: in range, or with no value anyway.
#[inline(always)]
#[must_use]
pub fn trig_is_fast(x: f64) -> bool {
    x.abs() <= TRIG_RANGE || !x.is_finite()
}

/// `x` less `n` times the first part of π/2, exactly, for the nearest `n`; this, and its low bits. NaN out of range.
#[inline(always)]
pub(super) fn begin_reduction<const FMA: bool>(x: f64) -> (u64, f64, f64) {
    let x = if x.abs() <= TRIG_RANGE { x } else { f64::NAN };
    let turns = madd::<FMA>(x, FRAC_2_PI, MAGIC);
    let n = turns - MAGIC;
    (turns.to_bits(), n, madd::<FMA>(-n, HALF_PI[0], x))
}

/// `x` less its nearest multiple of π/2, and that multiple in the low bits; NaN out of range.
#[inline(always)]
fn reduce<const FMA: bool>(x: f64) -> (u64, Pair) {
    let (quadrant, n, r) = begin_reduction::<FMA>(x);
    // Exact unless nothing cancels: see the lengths of the parts.
    let (r, error) = fast_two_sum(r, -n * HALF_PI[1]);
    let (r, error) = fast_two_sum(r, madd::<FMA>(-n, HALF_PI[2], error));
    (quadrant, (r, madd::<FMA>(-n, HALF_PI[3], error)))
}

/// Sine and cosine of `r`, each as a leading part and the rest.
#[inline(always)]
fn sin_cos<const FMA: bool>((r, r_lo): Pair) -> (Pair, Pair) {
    let square = r * r;
    let half = 0.5 * square;
    let lead = 1.0 - half;
    let sin_rest = madd::<FMA>(r * square, horner::<FMA, _>(&SIN, square), r_lo * lead);
    let bend = madd::<FMA>(square * square, horner::<FMA, _>(&COS, square), -r * r_lo);
    ((r, sin_rest), (lead, (1.0 - lead - half) + bend))
}

/// The sine of `r` plus `quadrant` right angles, from sine and cosine of `r`.
#[inline(always)]
pub(super) fn turned(quadrant: u64, sin: f64, cos: f64) -> f64 {
    let value = if quadrant & 1 == 0 { sin } else { cos };
    f64::from_bits(value.to_bits() ^ ((quadrant & 2) << 62))
}

/// The sine.
#[inline(always)]
pub fn sin<const FMA: bool>(x: f64) -> f64 {
    let (quadrant, r) = reduce::<FMA>(x);
    let (sin, cos) = sin_cos::<FMA>(r);
    let value = turned(quadrant, sin.0 + sin.1, cos.0 + cos.1);
    if x == 0.0 { x } else { value }
}

/// The cosine.
#[inline(always)]
pub fn cos<const FMA: bool>(x: f64) -> f64 {
    let (quadrant, r) = reduce::<FMA>(x);
    let (sin, cos) = sin_cos::<FMA>(r);
    turned(quadrant.wrapping_add(1), sin.0 + sin.1, cos.0 + cos.1)
}

/// The tangent.
#[inline(always)]
pub fn tan<const FMA: bool>(x: f64) -> f64 {
    let (quadrant, r) = reduce::<FMA>(x);
    let (sin, cos) = sin_cos::<FMA>(r);
    let (sin, cos) = (fast_two_sum(sin.0, sin.1), fast_two_sum(cos.0, cos.1));
    let even = quadrant & 1 == 0;
    let above = if even { sin } else { (-cos.0, -cos.1) };
    let below = if even { cos } else { sin };
    let value = quotient::<FMA>(above, below);
    if x == 0.0 { x } else { value }
}

/// The angle of `(b, a)` in the first quadrant, for finite `a, b ≥ 0`, not both 0, whose inverses do not overflow.
#[inline(always)]
fn angle<const FMA: bool>(a: f64, b: f64) -> Pair {
    let steep = a > BORDERS.1 * b;
    let middle = a > BORDERS.0 * b;
    let (sum, difference) = (two_sum(a, b), two_sum(a, -b));
    let flat = if middle { difference } else { (a, 0.0) };
    let flat_below = if middle { sum } else { (b, 0.0) };
    let above = if steep { (-b, 0.0) } else { flat };
    let below = if steep { (a, 0.0) } else { flat_below };
    let offset = if middle { (FRAC_PI_4, 0.5 * HALF_PI_LO) } else { (0.0, 0.0) };
    let offset = if steep { (FRAC_PI_2, HALF_PI_LO) } else { offset };

    let (t, t_lo) = divide::<FMA>(above, below);
    let square = t * t;
    let bend = madd::<FMA>(t * square, horner::<FMA, _>(&ATAN, square), t_lo);
    let (hi, lo) = fast_two_sum(offset.0, t);
    fast_two_sum(hi, lo + (offset.1 + bend))
}

/// The inverse tangent.
#[inline(always)]
pub fn atan<const FMA: bool>(x: f64) -> f64 {
    let modulus = x.abs();
    let (hi, _) = angle::<FMA>(if modulus > 1e20 { 1e20 } else { modulus }, 1.0);
    with_sign(hi, x)
}

/// The angle of the point `(x, y)`, in `[−π, π]`.
#[inline(always)]
pub fn atan2<const FMA: bool>(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let most = if a > b { a } else { b };
    let far = most == f64::INFINITY;
    let infinite = |c: f64| if c == f64::INFINITY { 1.0 } else { 0.0 };
    let (a, b) = (if far { infinite(a) } else { a }, if far { infinite(b) } else { b });
    let factor = if most > MIDDLE.1 { TO_MIDDLE.1 } else { 1.0 };
    let factor = if most < MIDDLE.0 { TO_MIDDLE.0 } else { factor };
    let (hi, lo) = angle::<FMA>(a * factor, if most == 0.0 { 1.0 } else { b * factor });
    let back = {
        let (rest, error) = fast_two_sum(PI, -hi);
        rest + (error + (2.0 * HALF_PI_LO - lo))
    };
    let value = with_sign(if x.is_sign_negative() { back } else { hi }, y);
    if x.is_nan() || y.is_nan() { f64::NAN } else { value }
}

/// Of `t` with `|t| ≤ ½`: the inverse sine less `t`, where `square` is `t²`.
#[inline(always)]
fn asin_bend<const FMA: bool>(t: f64, square: f64) -> f64 {
    t * square * horner::<FMA, _>(&ASIN, square)
}

/// The inverse sine; beyond ½ from that of `√((1 − |x|)/2)`.
#[inline(always)]
pub fn asin<const FMA: bool>(x: f64) -> f64 {
    let modulus = x.abs();
    let outer = modulus > 0.5;
    let square = if outer { 0.5 - 0.5 * modulus } else { x * x };
    let t = if outer { square.sqrt() } else { modulus };
    let bend = asin_bend::<FMA>(t, square);
    let (hi, lo) = fast_two_sum(FRAC_PI_2, -2.0 * t);
    let value = if outer { hi + (lo + (HALF_PI_LO - 2.0 * bend)) } else { t + bend };
    with_sign(if x.is_nan() || modulus > 1.0 { f64::NAN } else { value }, x)
}

/// The inverse cosine; beyond ½ from the inverse sine of `√((1 − |x|)/2)`.
#[inline(always)]
pub fn acos<const FMA: bool>(x: f64) -> f64 {
    let modulus = x.abs();
    let outer = modulus > 0.5;
    let square = if outer { 0.5 - 0.5 * modulus } else { x * x };
    let t = if outer { square.sqrt() } else { x };
    let bend = asin_bend::<FMA>(t, square);
    let (hi, lo) = fast_two_sum(FRAC_PI_2, -t);
    let inner = hi + (lo + (HALF_PI_LO - bend));
    let right = 2.0 * (t + bend);
    let left = 2.0 * (hi + (lo + (HALF_PI_LO - bend)));
    let value = if x > 0.0 { right } else { left };
    if outer { value } else { inner }
}
