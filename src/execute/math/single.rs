//! The functions of f32, in f64 arithmetic: no part of it needs two parts, and shorter polynomials do.
//!
//! Law: 0.6 ulp with and without FMA, subnormal results included: the double is rounded once
//! (tests/scalar/vector_math.rs).
//!
//! Those that programs in f32 are full of are written out here, with polynomials minimax (Remez's exchange in 70
//! digits) to 2⁻²⁸ and better; the others are those of f64, rounded.

use core::f64::consts::{LN_2, LOG2_E, LOG10_2, LOG10_E};

use super::arithmetic::{clamp, horner, madd, nearest, power_of_two, with_sign};
use super::log::{split_normal, with_ends};
use super::trig::{begin_reduction, turned};
use super::{double, power};
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
fn exponential<const FMA: bool>(x: f64) -> (f64, f64) {
    let n = nearest(x * LOG2_E);
    let r = madd::<FMA>(-n, LN_2, x);
    (power_of_two(n), madd::<FMA>(r * r, horner::<FMA, _>(&EXP, r), r))
}

/// `eˣ` as a double, for what is 0 or infinite as an f32 from `−120` and `120` on.
#[inline(always)]
fn exp_wide<const FMA: bool>(x: f64) -> f64 {
    let (power, e) = exponential::<FMA>(clamp(x, -120.0, 120.0));
    madd::<FMA>(power, e, power)
}

/// `eˣ − 1` as a double.
#[inline(always)]
fn expm1_wide<const FMA: bool>(x: f64) -> f64 {
    let (power, e) = exponential::<FMA>(clamp(x, -40.0, 120.0));
    madd::<FMA>(power, e, power - 1.0)
}

/// `2 atanh(f/(2 + f)) = ln(1 + f)`.
#[inline(always)]
fn series<const FMA: bool>(f: f64) -> f64 {
    let s = 2.0 * f / (2.0 + f);
    let square = 0.25 * s * s;
    madd::<FMA>(s * square, horner::<FMA, _>(&ATANH, square), s)
}

/// `k·whole + ln(m)·unit` for `x = 2ᵏ·m`.
#[inline(always)]
fn logarithm<const FMA: bool>(x: f64, unit: f64, whole: f64) -> f64 {
    let (k, m) = split_normal(x);
    madd::<FMA>(k, whole, series::<FMA>(m - 1.0) * unit)
}

/// `ln(1 + x)` as a double.
#[inline(always)]
fn log1p_wide<const FMA: bool>(x: f64) -> f64 {
    let sum = 1.0 + x;
    let (k, m) = split_normal(sum);
    let f = madd::<FMA>(x - (sum - 1.0), power_of_two(-k), m - 1.0);
    madd::<FMA>(k, LN_2, series::<FMA>(f))
}

/// The quadrant, and the sine and cosine of what is left.
#[inline(always)]
fn sin_cos<const FMA: bool>(x: f64) -> (u64, f64, f64) {
    let (quadrant, n, r) = begin_reduction::<FMA>(x);
    let r = madd::<FMA>(-n, HALF_PI_LO, r);
    let square = r * r;
    let sin = madd::<FMA>(r * square, horner::<FMA, _>(&SIN, square), r);
    let cos = madd::<FMA>(square * square, horner::<FMA, _>(&COS, square), madd::<FMA>(-0.5, square, 1.0));
    (quadrant, sin, cos)
}

/// `erfc x` for `x ≥ ¾`.
#[inline(always)]
fn tail<const FMA: bool>(x: f64) -> f64 {
    let x = if x > 11.0 { 11.0 } else { x };
    let inverse = 1.0 / ((x + 3.0) * (x + 0.5));
    let s = madd::<FMA>(inverse, x + 0.5, -0.17);
    exp_wide::<FMA>(-x * x) * horner::<FMA, _>(&ERFC, s) * (inverse * (x + 3.0))
}

macro_rules! narrowed {
    ($($(#[doc = $doc:literal])+ $function:ident<$FMA:ident>($x:ident $(, $y:ident)?) = $value:expr;)+) => {$(
        $(#[doc = $doc])+
        #[inline(always)]
        pub fn $function<const $FMA: bool>($x: f32 $(, $y: f32)?) -> f32 {
            let $x = f64::from($x);
            $(let $y = f64::from($y);)?
            let value: f64 = $value;
            value as f32
        }
    )+};
}

narrowed! {
    /// `eˣ`.
    exp<FMA>(x) = exp_wide::<FMA>(x);
    /// `2ˣ`.
    exp2<FMA>(x) = {
        let x = clamp(x, -160.0, 160.0);
        let n = nearest(x);
        let r = (x - n) * LN_2;
        let e = madd::<FMA>(r * r, horner::<FMA, _>(&EXP, r), r);
        power_of_two(n) * (1.0 + e)
    };
    /// `eˣ − 1`.
    expm1<FMA>(x) = with_sign(expm1_wide::<FMA>(x), x);
    /// The natural logarithm.
    ln<FMA>(x) = with_ends(x, logarithm::<FMA>(x, 1.0, LN_2));
    /// The logarithm to base 2; whole at powers of 2.
    log2<FMA>(x) = with_ends(x, logarithm::<FMA>(x, LOG2_E, 1.0));
    /// The logarithm to base 10.
    log10<FMA>(x) = with_ends(x, logarithm::<FMA>(x, LOG10_E, LOG10_2));
    /// `ln(1 + x)`.
    log1p<FMA>(x) = with_sign(with_ends(1.0 + x, log1p_wide::<FMA>(x)), x);
    /// The sine.
    sin<FMA>(x) = {
        let (quadrant, sin, cos) = sin_cos::<FMA>(x);
        let value = turned(quadrant, sin, cos);
        if x == 0.0 { x } else { value }
    };
    /// The cosine.
    cos<FMA>(x) = { let (quadrant, sin, cos) = sin_cos::<FMA>(x); turned(quadrant.wrapping_add(1), sin, cos) };
    /// The tangent.
    tan<FMA>(x) = {
        let (quadrant, sin, cos) = sin_cos::<FMA>(x);
        let even = quadrant & 1 == 0;
        let value = (if even { sin } else { -cos }) / (if even { cos } else { sin });
        if x == 0.0 { x } else { value }
    };
    /// The inverse sine.
    asin<FMA>(x) = double::asin::<FMA>(x);
    /// The inverse cosine.
    acos<FMA>(x) = double::acos::<FMA>(x);
    /// The inverse tangent.
    atan<FMA>(x) = double::atan::<FMA>(x);
    /// The angle of the point `(x, y)`, in `[−π, π]`.
    atan2<FMA>(y, x) = double::atan2::<FMA>(y, x);
    /// The hyperbolic sine.
    sinh<FMA>(x) = {
        let t = expm1_wide::<FMA>(x.abs());
        with_sign(0.5 * (t + t / (t + 1.0)), x)
    };
    /// The hyperbolic cosine.
    cosh<FMA>(x) = { let e = exp_wide::<FMA>(x.abs()); 0.5 * (e + 1.0 / e) };
    /// The hyperbolic tangent.
    tanh<FMA>(x) = {
        let t = expm1_wide::<FMA>(clamp(2.0 * x.abs(), 0.0, 40.0));
        with_sign(t / (t + 2.0), x)
    };
    /// The inverse hyperbolic sine.
    asinh<FMA>(x) = double::asinh::<FMA>(x);
    /// The inverse hyperbolic cosine; NaN below 1.
    acosh<FMA>(x) = double::acosh::<FMA>(x);
    /// The inverse hyperbolic tangent; NaN beyond ±1.
    atanh<FMA>(x) = double::atanh::<FMA>(x);
    /// The cube root.
    cbrt<FMA>(x) = double::cbrt::<FMA>(x);
    /// `x^y`, also of negative `x` for integers `y`.
    pow<FMA>(x, y) = {
        let exponent = clamp(y, -power::LARGEST_EXPONENT, power::LARGEST_EXPONENT);
        let value = exp_wide::<FMA>(exponent * logarithm::<FMA>(x.abs(), 1.0, LN_2));
        power::with_ends(x, y, value)
    };
    /// `√(x² + y²)`; infinite if either is, be the other NaN.
    hypot<FMA>(x, y) = {
        let value = madd::<FMA>(x, x, y * y).sqrt();
        if x.abs() == f64::INFINITY || y.abs() == f64::INFINITY { f64::INFINITY } else { value }
    };
    /// The error function.
    erf<FMA>(x) = {
        let far = with_sign(1.0 - tail::<FMA>(x.abs()), x);
        let near = madd::<FMA>(x, horner::<FMA, _>(&ERF, x * x), x);
        if x.abs() < ERFC_TAIL { near } else { far }
    };
    /// The complementary error function, `1 − erf x`.
    erfc<FMA>(x) = {
        let far = tail::<FMA>(x.abs());
        let far = if x < 0.0 { 2.0 - far } else { far };
        let near = 1.0 - madd::<FMA>(x, horner::<FMA, _>(&ERF, x * x), x);
        if x.abs() < ERFC_TAIL { near } else { far }
    };
    /// The logistic function `1/(1 + e^(−x))`.
    sigmoid<FMA>(x) = {
        let e = exp_wide::<FMA>(-x.abs());
        (if x < 0.0 { e } else { 1.0 }) / (1.0 + e)
    };
    /// `ln(1 + eˣ)`.
    softplus<FMA>(x) = {
        let positive = if x > 0.0 { x } else { 0.0 };
        let value = positive + log1p_wide::<FMA>(exp_wide::<FMA>(-x.abs()));
        if x.is_nan() { x } else { value }
    };
}

/// Whether `sin`, `cos` and `tan` are right at `x`.
#[inline(always)]
#[must_use]
pub fn trig_is_fast(x: f32) -> bool {
    double::trig_is_fast(f64::from(x))
}
