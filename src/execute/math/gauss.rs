//! The error functions `erf` and `erfc`.
//!
//! Law: ≤ 2 ulp with and without FMA, for `erfc` down to the underflow at 27.2 (tests/scalar/vector_math.rs).
//!
//! Up to ¾ by a polynomial, minimax in `x²` (Remez's exchange in 70 digits); from there on by the approximation of
//! `(x + ½)·exp(x²)·erfc(x)` of [`special`](crate::primitives::special), in one piece for all `x`.

use super::arithmetic::{
    Pair, clamp, divide, fast_two_sum, horner, madd, power_of_two, scale, two_product, two_sum, with_sign,
};
use super::exp::exp_pair;
use super::number::Number;
use crate::primitives::special::{ERFC_MIDDLE, ERFC_SLOPE, ERFC_TAIL};

/// `erf x / x − 1` in powers of `x²` on `|x| ≤ ¾`, to 2⁻⁵⁶.
const ERF: [f64; 12] = [
    0.1283791670955126,
    -0.37612638903183754,
    0.11283791670955087,
    -0.02686617064511857,
    0.005223977625223977,
    -0.0008548327001282166,
    0.00012055331552762993,
    -1.4925589628863204e-05,
    1.646038837445024e-06,
    -1.6333296930969392e-07,
    1.4414379094709221e-08,
    -9.504436783095747e-10,
];

/// `erf x − x` for `|x| ≤ ¾`.
#[inline(always)]
fn erf_bend<N: Number>(x: N) -> N {
    x * horner(&ERF, x * x)
}

/// `erfc x = 2ⁿ·(hi + lo)` for `¾ ≤ x ≤ 28`.
#[inline(always)]
fn tail<N: Number>(x: N) -> (N, Pair<N>) {
    // The rounding of x² alone, exponentiated, would cost hundreds of ulp.
    let (square, square_lo) = two_product(x, x);
    let (n, (e, e_lo)) = exp_pair((-square, -square_lo));
    let s = N::from(1.0) / (x + 3.0) - 0.15;
    let (w, w_lo) = fast_two_sum(N::from(ERFC_MIDDLE.0), madd(s, horner(&ERFC_SLOPE, s), ERFC_MIDDLE.1));
    let (product, product_lo) = two_product(e, w);
    let product_lo = madd(e_lo, w, madd(e, w_lo, product_lo));
    (n, divide((product, product_lo), two_sum(x, N::from(0.5))))
}

/// The error function.
#[inline(always)]
pub(super) fn erf<N: Number>(x: N) -> N {
    let modulus = x.abs();
    // From 6 on the tail does not show.
    let (n, (hi, lo)) = tail(clamp(modulus, 0.0, 6.0));
    let far = with_sign(N::from(1.0) - (hi + lo) * power_of_two(n), x);
    let near = x + erf_bend(x);
    N::select(modulus.lt(ERFC_TAIL), near, far)
}

/// The complementary error function, `1 − erf x`.
#[inline(always)]
pub(super) fn erfc<N: Number>(x: N) -> N {
    // From 28 on it is 0.
    let (n, (hi, lo)) = tail(clamp(x.abs(), 0.0, 28.0));
    let far = scale(hi + lo, n);
    let far = N::select(x.lt(0.0), N::from(2.0) - far, far);
    let (sum, error) = two_sum(N::from(1.0), -x);
    let near = sum + (error - erf_bend(x));
    N::select(x.abs().lt(ERFC_TAIL), near, far)
}
