//! The functions of f32, in f64 arithmetic: no part of it needs two parts, and shorter polynomials do.
//!
//! Law: 0.6 ulp with and without FMA, subnormal results included: the double is rounded once
//! (tests/scalar/vector_math.rs).
//!
//! Those that programs in f32 are full of are written out here, with polynomials minimax (Remez's exchange in 70
//! digits) to 2⁻²⁸ and better; the others are those of f64, rounded.

use core::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

use super::arithmetic::{clamp, horner, madd, nearest, power_of_half, power_of_two, with_sign};
pub(super) use super::log::{acosh, asinh, atanh};
use super::log::{split_normal, with_ends};
use super::number::{Bits, Number};
use super::power;
pub(super) use super::power::cbrt;
pub(super) use super::trig::{acos, asin, atan, atan2, trig_is_fast};
use super::trig::{begin_reduction, turned};
#[cfg(feature = "native")]
pub(super) use super::trig::{sin_from, tan_from};
use crate::primitives::special::ERFC_TAIL;

/// `(eʳ − 1 − r)/r²` on `|r| ≤ ½ ln 2`; `expm1 r` to 2⁻³².
const EXP: [f64; 6] = [
    0.5000000046468067,
    0.16666666817379616,
    0.041666354415492816,
    0.008333272983624386,
    0.001394102915781042,
    0.00019914205860682062,
];

/// `(atanh s / s − 1)/s²` in powers of `s²` on `|s| ≤ 0.1716`; `atanh` to 2⁻³⁷, which the power needs.
const ATANH: [f64; 4] = [0.3333333282184333, 0.20000167816314382, 0.14268639152710333, 0.11791380982697795];

/// `(sin r / r − 1)/r²` in powers of `r²` on `|r| ≤ π/4`; the sine to 2⁻²⁸.
const SIN: [f64; 3] = [-0.16666654944200224, 0.008332178164499422, -0.0001951730083314819];
/// `(cos r − 1 + r²/2)/r⁴` in powers of `r²` on `|r| ≤ π/4`; the cosine to 2⁻³³.
const COS: [f64; 3] = [0.04166664686698728, -0.0013887367542115274, 2.4438454581670248e-05];
/// π/2 less its first 33 bits.
const HALF_PI_LO: f64 = 6.077100506506192e-11;

/// `erf x / x − 1` in powers of `x²` on `|x| ≤ ¾`, to 2⁻²⁹.
const ERF: [f64; 6] = [
    0.12837916562811139,
    -0.37612619906054096,
    0.1128339270304794,
    -0.02683541920314145,
    0.005115946641781523,
    -0.0006760818896104037,
];
/// `(x + ½)·exp(x²)·erfc(x)` in powers of `1/(x + 3) − 0.17` on `¾ ≤ x ≤ 11`; relative error 2⁻³⁰.
const ERFC: [f64; 10] = [
    0.6278501989598633,
    0.40067748464698794,
    -1.001387172556428,
    -15.062084345672583,
    -81.8110436486194,
    -276.77262545369643,
    -561.5316786453914,
    -305.1671916956806,
    1611.3435365034036,
    3275.696760586288,
];

/// `eˣ − 1 = 2ⁿ·(1 + e) − 1` as `2ⁿ` and `e`.
#[inline(always)]
fn exponential<N: Number>(x: N) -> (N, N) {
    let n = nearest(x * LOG2_E);
    let r = madd(-n, LN_2, x);
    (power_of_two(n), madd(r * r, horner(&EXP, r), r))
}

/// `eˣ` as a double, for what is 0 or infinite as an f32 from `−120` and `120` on.
#[inline(always)]
fn exp_wide<N: Number>(x: N) -> N {
    let (power, e) = exponential(clamp(x, -120.0, 120.0));
    madd(power, e, power)
}

/// `eˣ − 1` as a double.
#[inline(always)]
fn expm1_wide<N: Number>(x: N) -> N {
    let (power, e) = exponential(clamp(x, -40.0, 120.0));
    madd(power, e, power - 1.0)
}

/// `2 atanh(f/(2 + f)) = ln(1 + f)`.
#[inline(always)]
fn series<N: Number>(f: N) -> N {
    let s = f * 2.0 / (f + 2.0);
    let square = s * 0.25 * s;
    madd(s * square, horner(&ATANH, square), s)
}

/// `k·whole + ln(m)·unit` for `x = 2ᵏ·m`.
#[inline(always)]
fn logarithm<N: Number>(x: N, unit: f64, whole: f64) -> N {
    let (k, m) = split_normal(x);
    madd(k, whole, series(m - 1.0) * unit)
}

/// `ln(1 + x)` as a double.
#[inline(always)]
fn log1p_wide<N: Number>(x: N) -> N {
    let sum = x + 1.0;
    let (k, m) = split_normal(sum);
    let f = madd(x - (sum - 1.0), power_of_half(k), m - 1.0);
    madd(k, LN_2, series(f))
}

/// The quadrant, and the sine and cosine of what is left.
#[inline(always)]
fn sin_cos<N: Number>(x: N) -> (N::Bits, N, N) {
    let (quadrant, n, r) = begin_reduction(x);
    let r = madd(-n, HALF_PI_LO, r);
    let square = r * r;
    let sin = madd(r * square, horner(&SIN, square), r);
    let cos = madd(square * square, horner(&COS, square), madd(square, -0.5, 1.0));
    (quadrant, sin, cos)
}

/// `erfc x` for `x ≥ ¾`.
#[inline(always)]
fn tail<N: Number>(x: N) -> N {
    let x = N::select(x.gt(11.0), 11.0, x);
    let inverse = N::from(1.0) / ((x + 3.0) * (x + 0.5));
    let s = madd(inverse, x + 0.5, -0.17);
    exp_wide(-x * x) * horner(&ERFC, s) * (inverse * (x + 3.0))
}

/// `eˣ`.
#[inline(always)]
pub(super) fn exp<N: Number>(x: N) -> N {
    exp_wide(x)
}

/// `2ˣ`.
#[inline(always)]
pub(super) fn exp2<N: Number>(x: N) -> N {
    let x = clamp(x, -160.0, 160.0);
    let n = nearest(x);
    let r = (x - n) * LN_2;
    let e = madd(r * r, horner(&EXP, r), r);
    power_of_two(n) * (e + 1.0)
}

/// `eˣ − 1`.
#[inline(always)]
pub(super) fn expm1<N: Number>(x: N) -> N {
    with_sign(expm1_wide(x), x)
}

/// The natural logarithm.
#[inline(always)]
pub(super) fn ln<N: Number>(x: N) -> N {
    with_ends(x, logarithm(x, 1.0, LN_2))
}

/// The logarithm to base 2; whole at powers of 2.
#[inline(always)]
pub(super) fn log2<N: Number>(x: N) -> N {
    with_ends(x, logarithm(x, LOG2_E, 1.0))
}

/// The logarithm to base 10.
#[inline(always)]
pub(super) fn log10<N: Number>(x: N) -> N {
    with_ends(x, logarithm(x, LOG10_E, LOG10_2))
}

/// `ln(1 + x)`.
#[inline(always)]
pub(super) fn log1p<N: Number>(x: N) -> N {
    with_sign(with_ends(x + 1.0, log1p_wide(x)), x)
}

/// The sine.
#[inline(always)]
pub(super) fn sin<N: Number>(x: N) -> N {
    let (quadrant, sin, cos) = sin_cos(x);
    let value = turned(quadrant, sin, cos);
    N::select(x.eq(0.0), x, value)
}

/// The cosine.
#[inline(always)]
pub(super) fn cos<N: Number>(x: N) -> N {
    let (quadrant, sin, cos) = sin_cos(x);
    turned(quadrant + 1, sin, cos)
}

/// The tangent.
#[inline(always)]
pub(super) fn tan<N: Number>(x: N) -> N {
    let (quadrant, sin, cos) = sin_cos(x);
    let even = (quadrant & 1).is_zero();
    let value = N::select(even, sin, -cos) / N::select(even, cos, sin);
    N::select(x.eq(0.0), x, value)
}

/// The hyperbolic sine.
#[inline(always)]
pub(super) fn sinh<N: Number>(x: N) -> N {
    let t = expm1_wide(x.abs());
    with_sign((t + t / (t + 1.0)) * 0.5, x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub(super) fn cosh<N: Number>(x: N) -> N {
    let e = exp_wide(x.abs());
    (e + N::from(1.0) / e) * 0.5
}

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh<N: Number>(x: N) -> N {
    let t = expm1_wide(clamp(x.abs() * 2.0, 0.0, 40.0));
    with_sign(t / (t + 2.0), x)
}

/// `x^y`, also of negative `x` for integers `y`.
#[inline(always)]
pub(super) fn pow<N: Number>(x: N, y: N) -> N {
    let exponent = clamp(y, -power::LARGEST_EXPONENT, power::LARGEST_EXPONENT);
    let value = exp_wide(exponent * logarithm(x.abs(), 1.0, LN_2));
    power::with_ends(x, y, value)
}

/// `√(x² + y²)`; infinite if either is, be the other NaN.
#[inline(always)]
pub(super) fn hypot<N: Number>(x: N, y: N) -> N {
    let value = madd(x, x, y * y).sqrt();
    N::select(x.abs().eq(f64::INFINITY) | y.abs().eq(f64::INFINITY), f64::INFINITY, value)
}

/// The error function.
#[inline(always)]
pub(super) fn erf<N: Number>(x: N) -> N {
    let far = with_sign(N::from(1.0) - tail(x.abs()), x);
    let near = madd(x, horner(&ERF, x * x), x);
    N::select(x.abs().lt(ERFC_TAIL), near, far)
}

/// The complementary error function, `1 − erf x`.
#[inline(always)]
pub(super) fn erfc<N: Number>(x: N) -> N {
    let far = tail(x.abs());
    let far = N::select(x.lt(0.0), N::from(2.0) - far, far);
    let near = N::from(1.0) - madd(x, horner(&ERF, x * x), x);
    N::select(x.abs().lt(ERFC_TAIL), near, far)
}

/// The logistic function `1/(1 + e^(−x))`.
#[inline(always)]
pub(super) fn sigmoid<N: Number>(x: N) -> N {
    let e = exp_wide(-x.abs());
    N::select(x.lt(0.0), e, 1.0) / (e + 1.0)
}

/// `ln(1 + eˣ)`.
#[inline(always)]
pub(super) fn softplus<N: Number>(x: N) -> N {
    let positive = N::select(x.gt(0.0), x, 0.0);
    let value = positive + log1p_wide(exp_wide(-x.abs()));
    N::select(x.is_nan(), x, value)
}
