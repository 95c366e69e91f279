//! Exponentials `exp`, `exp2`, `expm1`, and what is made of one: `sigmoid`, `tanh`, `sinh`, `cosh`.
//!
//! Law: ≤ 2 ulp with and without FMA, below 1 for most (tests/scalar/vector_math.rs).
//!
//! All reduce `x = n·ln 2 + r` with `|r| ≤ ½ ln 2` and put `2ⁿ` back in two exact factors, so that subnormal results
//! are rounded once and results next to the largest number do not overflow. Polynomials are minimax (Remez's exchange
//! in 70 digits) for the relative error of `expm1` resp. the absolute one of `2ʳ`, then rounded to doubles.

use core::f64::consts::{LN_2, LOG2_E};

use super::arithmetic::{
    LN_2_HI, LN_2_LO, Pair, clamp, divide, even_and_odd, fast_two_sum, horner, madd, nearest, nearest_with_powers,
    power_of_half, power_of_two, quotient, scale, scale_by, two_sum, with_sign,
};
use super::number::Number;

/// `(eʳ − 1 − r)/r²` on `|r| ≤ ½ ln 2`; `expm1 r` to 2⁻⁵⁵·⁵.
const EXP: [f64; 10] = [
    0.5000000000000006,
    0.16666666666666685,
    0.04166666666657347,
    0.008333333333314579,
    0.001388888893243286,
    0.00019841269903063098,
    2.4801504377474992e-05,
    2.755722792066561e-06,
    2.762635500278694e-07,
    2.5114484960365063e-08,
];

/// `(2ʳ − 1)/r` on `|r| ≤ ½`; `2ʳ` to 2⁻⁵⁶.
const EXP2: [f64; 11] = [
    LN_2,
    0.24022650695910133,
    0.05550410866482174,
    0.009618129107593333,
    0.0013333558146379069,
    0.00015403530458078126,
    1.5252733867499002e-05,
    1.3215434817547303e-06,
    1.0178046481605173e-07,
    7.073860077837774e-09,
    4.457383943212829e-10,
];

/// `(sinh x / x − 1)/x²` in powers of `x²` on `|x| ≤ 1`; `sinh` to 2⁻⁵⁶.
const SINH: [f64; 7] = [
    0.16666666666666669,
    0.008333333333333139,
    0.00019841269841437687,
    2.7557319155335913e-06,
    2.505212339866489e-08,
    1.6057240334840107e-10,
    7.759312354225181e-13,
];

/// `x = n·ln 2 + r`, with `r` in two parts.
#[inline(always)]
fn reduce<N: Number>(x: N) -> (N, Pair<N>) {
    let n = nearest(x * LOG2_E);
    let r = madd(-n, LN_2_HI, x);
    (n, fast_two_sum(r, -n * LN_2_LO))
}

/// `eˣ = 2ⁿ·(hi + lo)` to 2⁻⁵⁶, where `hi` is between `√½` and `√2`; for `|x| < 2⁵⁰` in two parts.
#[inline(always)]
pub(super) fn exp_pair<N: Number>(x: Pair<N>) -> (N, Pair<N>) {
    let (n, (r, r_lo)) = reduce(x.0);
    let (r, r_lo) = fast_two_sum(r, r_lo + x.1);
    let (hi, lo) = fast_two_sum(N::from(1.0), r);
    let square = r * r;
    let bend = madd(square, even_and_odd(&EXP, r, square), madd(r, r_lo, r_lo));
    (n, fast_two_sum(hi, lo + bend))
}

/// `eˣ − 1 = 2ⁿ·(hi + lo)` to 2⁻⁵⁵ of itself, for `−40 ≤ x ≤ 710`.
#[inline(always)]
fn expm1_pair<N: Number>(x: N) -> (N, Pair<N>) {
    let (n, (r, r_lo)) = reduce(x);
    // What is below 2⁻⁵⁴ of the rest may be anything small, and 2⁻¹⁰²⁴ is no factor.
    let fewer = N::select(n.gt(100.0), 100.0, n);
    let (hi, lo) = fast_two_sum(N::from(1.0) - power_of_half(fewer), r);
    let square = r * r;
    let bend = madd(square, even_and_odd(&EXP, r, square), r_lo);
    (n, fast_two_sum(hi, lo + bend))
}

/// `eˣ`.
#[inline(always)]
pub(super) fn exp<N: Number>(x: N) -> N {
    let x = clamp(x, -746.0, 710.0);
    let (n, powers) = nearest_with_powers(x * LOG2_E);
    let r = madd(-n, LN_2_LO, madd(-n, LN_2_HI, x));
    let square = r * r;
    let bend = madd(square, even_and_odd(&EXP, r, square), r);
    scale_by(bend + 1.0, powers)
}

/// `2ˣ`.
#[inline(always)]
pub(super) fn exp2<N: Number>(x: N) -> N {
    let x = clamp(x, -1076.0, 1025.0);
    let (n, powers) = nearest_with_powers(x);
    let r = x - n;
    scale_by(madd(horner(&EXP2, r), r, 1.0), powers)
}

/// `eˣ − 1`.
#[inline(always)]
pub(super) fn expm1<N: Number>(x: N) -> N {
    let (n, (hi, lo)) = expm1_pair(clamp(x, -40.0, 710.0));
    with_sign(scale(hi + lo, n), x)
}

/// `e^(−|x|)` in two parts, for what is stable on both sides.
#[inline(always)]
pub(super) fn decay<N: Number>(x: N) -> Pair<N> {
    let (n, (hi, lo)) = exp_pair((clamp(-x.abs(), -746.0, 0.0), N::from(0.0)));
    (scale(hi, n), scale(lo, n))
}

/// The logistic function `1/(1 + e^(−x))`.
#[inline(always)]
pub(super) fn sigmoid<N: Number>(x: N) -> N {
    let e = decay(x);
    let above = N::select_pair(x.lt(0.0), e, (1.0, 0.0));
    let (below, error) = fast_two_sum(N::from(1.0), e.0);
    quotient(above, (below, error + e.1))
}

/// `tanh x = t/(t + 2)` with `t = e^(2|x|) − 1`.
#[inline(always)]
pub(super) fn tanh<N: Number>(x: N) -> N {
    // From 20 on it is 1.
    let (n, (hi, lo)) = expm1_pair(clamp(x.abs() * 2.0, 0.0, 40.0));
    let power = power_of_two(n);
    let t = (hi * power, lo * power);
    let (below, error) = two_sum(N::from(2.0), t.0);
    with_sign(quotient(t, (below, error + t.1)), x)
}

/// `eˣ/4` and `e⁻ˣ/4`, the quarters because the exponential overflows before its half does. For `0 ≤ x ≤ 710.6`.
#[inline(always)]
fn quarters<N: Number>(x: N) -> (Pair<N>, N) {
    let (n, (hi, lo)) = exp_pair((x, N::from(0.0)));
    let (inverse, rest) = divide((N::from(1.0), N::from(0.0)), (hi, lo));
    let fewer = N::select(n.gt(1000.0), 1000.0, n);
    let (up, down) = (power_of_two(n - 2.0), power_of_two(-fewer - 2.0));
    ((hi * up, lo * up), (inverse + rest) * down)
}

/// The hyperbolic cosine.
#[inline(always)]
pub(super) fn cosh<N: Number>(x: N) -> N {
    let ((hi, lo), inverse) = quarters(clamp(x.abs(), 0.0, 710.6));
    (hi + (lo + inverse)) * 2.0
}

/// The hyperbolic sine, by its series where the exponentials would cancel.
#[inline(always)]
pub(super) fn sinh<N: Number>(x: N) -> N {
    let ((hi, lo), inverse) = quarters(clamp(x.abs(), 0.0, 710.6));
    let far = with_sign((hi + (lo - inverse)) * 2.0, x);
    let square = x * x;
    let near = madd(x * square, horner(&SINH, square), x);
    N::select(x.abs().lt(1.0), near, far)
}
