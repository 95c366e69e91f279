//! The special functions that primitives take as values and derivatives: the
//! error functions, ln|Γ|, ψ and all its derivatives, at full f64 accuracy.
//!
//! Law: every function here is total (it returns for every input and never panics) and, for x > 0, keeps the bound in
//! *relative* terms that its page states, in units in the last place (ulp) of the true value: 2 for the error
//! functions, 4 for [`lgamma`] and [`digamma`] (their zeros included), 8 for [`polygamma`]. For x < 0 the last three
//! have zeros without end (ψ⁽ⁿ⁾ for even n only); there their pages bound the error against the size of the terms that
//! cancel. `tests/scalar/special.rs` holds all of it to a golden table (tests/scalar/special.rs).
//!
//! Sources: DLMF 7.2 (erf), 5.4(iii) (the root of ψ), 5.5.2 and 5.5.4 (recurrence,
//! reflection), 5.11.1–5.11.2 (the asymptotic series of ln Γ and ψ), 5.15.1 (ψ⁽ⁿ⁾ as
//! a lattice sum), 25.11.5 (Euler–Maclaurin for the Hurwitz zeta function). T. J.
//! Dekker, "A floating-point technique for extending the available precision",
//! Numer. Math. 18 (1971), for sums and quotients in two parts. The coefficients
//! were computed for this file with 70 digits.

use core::f64::consts::{LOG2_E, PI};

/// From here on [`erfc`] is its own: libm's is off by up to 2.5 ulp there.
pub(crate) const ERFC_TAIL: f64 = 0.75;

/// W(s) = (x + ½)·exp(x²)·erfc(x) at s = 1/(x + 3) − 0.15, which keeps W nearly flat
/// for all x ≥ ¾: W(0) as hi + lo, then (W(s) − W(0))/s in powers of s, interpolated
/// at Chebyshev nodes on x ∈ [¾, 28]. Relative error 2e-17 on the whole.
pub(crate) const ERFC_MIDDLE: (f64, f64) = (0.6195443510434469, 3.108141618478875e-17);
pub(crate) const ERFC_SLOPE: [f64; 20] = [
    0.42506567387842914,
    -0.2731888950963796,
    -9.536500412967863,
    -57.40274172387283,
    -212.56716356881356,
    -502.4441218095473,
    -525.0365188131232,
    974.3008533783435,
    4114.3828427638955,
    907.0004820185682,
    -20964.820104666047,
    -22032.691691646203,
    113783.45011228013,
    174733.99687315754,
    -729414.1436838321,
    -1128476.2593802204,
    5106660.619833462,
    5991216.502866246,
    -26879855.034488283,
    -20640726.163582146,
];

/// ln 2 as hi + lo; hi has 33 bits, so that its small multiples are exact.
const LN_2: (f64, f64) = (0.6931471804855391, 7.440617110012397e-11);

/// ψ(1 + `ROOT`) = 0: the only positive root of ψ, less 1, as hi + lo.
pub(crate) const ROOT: (f64, f64) = (0.46163214496836236, -1.5522348162858677e-17);

/// 1 / (1 + root), which is also ψ(2 + root), as hi + lo.
pub(crate) const INV_ROOT1: (f64, f64) = (0.6841666717870696, -4.2470892676890727e-17);

/// (ψ(2 + y) − ψ(2 + root)) / (y − root) on y ∈ [0, 1], in powers of y − ½.
/// Taken one step right of the root, where the nearest pole is further off and
/// the series shorter; interpolated at Chebyshev nodes, relative error 2e-17.
pub(crate) const SLOPE: [f64; 17] = [
    0.49494476150711986,
    -0.11955334493165168,
    0.03782643334091441,
    -0.013260889120694248,
    0.004892701830759204,
    -0.001858118188859778,
    0.0007181572168033181,
    -0.00028067906143039467,
    0.00011050324231502792,
    -4.3718059000027144e-05,
    1.735389055346002e-05,
    -6.90800477118054e-06,
    2.752793129308645e-06,
    -1.0827412493932995e-06,
    4.3227118596724037e-07,
    -2.0797818742300953e-07,
    8.311867318763684e-08,
];

/// B₂ₖ/(2k), k = 1…8: the tail of ψ. At x ≥ 10 the first omitted term is 3e-18.
pub(crate) const PSI_TAIL: [f64; 8] = [
    0.08333333333333333,
    -0.008333333333333333,
    0.003968253968253968,
    -0.004166666666666667,
    0.007575757575757576,
    -0.021092796092796094,
    0.08333333333333333,
    -0.4432598039215686,
];

/// B₂ⱼ/(2j)!, j = 1…11: the weights of Euler–Maclaurin.
pub(crate) const EULER_MACLAURIN: [f64; 11] = [
    0.08333333333333333,
    -0.001388888888888889,
    3.306878306878307e-05,
    -8.267195767195768e-07,
    2.08767569878681e-08,
    -5.284190138687493e-10,
    1.3382536530684679e-11,
    -3.3896802963225827e-13,
    8.586062056277845e-15,
    -2.174868698558062e-16,
    5.5090028283602295e-18,
];

/// B₂ₖ/(2k(2k − 1)), k = 1…5: ln n! beyond Stirling's leading factor.
pub(crate) const STIRLING: [f64; 5] =
    [0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417];

/// 1/e as hi + lo.
pub(crate) const INV_E: (f64, f64) = (0.36787944117144233, -1.2428753672788363e-17);

/// Up to this n, n! is exact in f64 (22! has 51 significant bits).
pub(crate) const EXACT_FACTORIALS: u32 = 22;

/// The error function, 2/√π ∫₀ˣ exp(−t²) dt.
///
/// Odd, increasing, defined everywhere; ±∞ ↦ ±1, NaN ↦ NaN. Error ≤ 2 ulp.
///
/// ```
/// use catadiff::primitives::special::erf;
/// assert_eq!(erf(0.0), 0.0);
/// assert_eq!(erf(-0.5), -erf(0.5));
/// assert!((erf(0.5) - 0.5204998778130465).abs() < 3e-16);
/// ```
#[must_use]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// The complementary error function, 1 − erf(x), without the cancellation.
///
/// Defined everywhere; −∞ ↦ 2, +∞ ↦ 0, NaN ↦ NaN. Error ≤ 2 ulp, down to the
/// underflow at x ≈ 27.2.
///
/// ```
/// use catadiff::primitives::special::erfc;
/// assert_eq!(erfc(0.0), 1.0);
/// assert!((erfc(10.0) / 2.088487583762545e-45 - 1.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn erfc(x: f64) -> f64 {
    // Past 28 it underflows to 0.
    if (ERFC_TAIL..28.0).contains(&x) { erfc_tail(x) } else { libm::erfc(x) }
}

/// ln|Γ(x)|.
///
/// Defined everywhere; the poles 0, −1, −2, … and ±∞ ↦ +∞, NaN ↦ NaN.
///
/// For x > 0 the error is ≤ 4 ulp, also near the zeros 1 and 2. For x < 0, where
/// reflection makes it the difference ln|π/sin πx| − lgamma(1 − x), with zeros, it is
/// ≤ 2ε·(1 + |ln|π/sin πx|| + |lgamma(1 − x)|), ε = 2⁻⁵².
///
/// ```
/// use catadiff::primitives::special::lgamma;
/// assert_eq!(lgamma(1.0), 0.0);
/// assert_eq!(lgamma(-3.0), f64::INFINITY);
/// assert!((lgamma(5.0) - 24f64.ln()).abs() < 1e-15);
/// ```
#[must_use]
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The digamma function ψ(x) = d/dx ln Γ(x).
///
/// The poles 0, −1, −2, … ↦ NaN (the two sides disagree), as do −∞ (no limit)
/// and NaN; +∞ ↦ +∞.
///
/// For x > 0 the error is ≤ 4 ulp, also near the root 1.4616…. For x < 0 it is
/// ≤ 4ε·(1 + |ψ(1 − x)| + |π cot πx|), ε = 2⁻⁵²: tiny against the parts of the
/// reflection formula, but not against ψ where these cancel.
///
/// ```
/// use catadiff::primitives::special::digamma;
/// let euler_gamma = 0.5772156649015329;
/// assert!((digamma(1.0) + euler_gamma).abs() < 2e-16);
/// assert!(digamma(-2.0).is_nan());
/// // The f64 nearest to the root is not the root; its value has all its digits.
/// let nearest = digamma(1.4616321449683622);
/// assert!((nearest / -9.241265521729428e-17 - 1.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn digamma(x: f64) -> f64 {
    // What is no number, or −∞, becomes NaN below.
    if is_pole(x) {
        return f64::NAN;
    }
    if x.abs() < 1e-17 {
        // −1/x − γ, with γ below half an ulp; πx could lose bits underflowing.
        return -1.0 / x;
    }
    if x < 0.0 {
        return digamma_positive(1.0 - x) - pi_cot_pi(x);
    }
    digamma_positive(x)
}

/// The polygamma function ψ⁽ⁿ⁾(x), the n-th derivative of ψ = [`digamma`].
///
/// n = 0 is `digamma`. For n ≥ 1: at the poles 0, −1, −2, … odd n gives +∞ (both
/// sides agree) and even n NaN; +∞ ↦ ±0 with the sign of the approach; −∞ and
/// NaN ↦ NaN. Values beyond the f64 range become ±∞ or ±0.
///
/// For x > 0 the error is ≤ 8 ulp, for every n. For x < 0 the value is
/// (−1)ⁿ⁺¹G(1 − a) + G(a) − G(1 − x), where G = |ψ⁽ⁿ⁾| on the positive axis and a is
/// the distance from x up to the next integer; the error is ≤ 8ε times the sum of
/// the moduli, ε = 2⁻⁵². For odd n nothing cancels and the 8 ulp hold here too.
///
/// At most some 50 terms are summed, whatever n and x are.
///
/// ```
/// use catadiff::primitives::special::polygamma;
/// use std::f64::consts::PI;
/// assert!((polygamma(1, 1.0) - PI * PI / 6.0).abs() < 1e-15);
/// assert!((polygamma(3, 0.5) / PI.powi(4) - 1.0).abs() < 1e-15);
/// assert_eq!(polygamma(1, -4.0), f64::INFINITY);
/// assert!(polygamma(2, -4.0).is_nan());
/// ```
#[must_use]
pub fn polygamma(n: u32, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    let odd = n % 2 == 1;
    if is_pole(x) {
        return if odd { f64::INFINITY } else { f64::NAN };
    }
    if x > 0.0 {
        let g = lattice_sum(n, (x, 0.0));
        return if odd { g } else { -g };
    }
    // The lattice sum Σ 1/(x + k)ⁿ⁺¹, k ≥ 0, holds on both sides of 0. Its terms
    // right of 0 begin at 1 − a, those left of it run from −a down to x. Splitting it
    // there needs no derivatives of the cotangent, so it works for every n.
    let a = -x - libm::floor(-x);
    let left = lattice_sum(n, (a, 0.0));
    let right = lattice_sum(n, two_sum(1.0, -a));
    let beyond = lattice_sum(n, two_sum(1.0, -x));
    if odd {
        // left > beyond, so an overflow of both is one of their difference.
        let left = if left.is_infinite() { left } else { left - beyond };
        return left + right;
    }
    if left.is_infinite() && right.is_infinite() {
        // Both overflow: the nearer pole decides, and halfway they cancel.
        return match a.total_cmp(&0.5) {
            core::cmp::Ordering::Less => f64::INFINITY,
            core::cmp::Ordering::Equal => -beyond,
            core::cmp::Ordering::Greater => f64::NEG_INFINITY,
        };
    }
    (left - right) - beyond
}

/// exp(−x²)·W/(x + ½) for ¾ ≤ x ≤ 28, all in two parts until the end: the rounding
/// of x² alone, exponentiated, would cost hundreds of ulp.
fn erfc_tail(x: f64) -> f64 {
    // exp(−x²) = 2ᵏ·(1 + expm1(r)); x² − k ln 2 loses nothing in its first part.
    let square = x * x;
    let square_lo = libm::fma(x, x, -square);
    let k = libm::rint(-square * LOG2_E);
    let (r, r_lo) = two_sum(-square - k * LN_2.0, -k * LN_2.1 - square_lo);
    let (e, e_lo) = two_sum(1.0, libm::expm1(r));
    let e_lo = e_lo + r_lo;
    let s = 1.0 / (x + 3.0) - 0.15;
    let (w, w_lo) = two_sum(ERFC_MIDDLE.0, s * horner(&ERFC_SLOPE, s) + ERFC_MIDDLE.1);
    let product = e * w;
    let product_lo = libm::fma(e, w, -product) + (e * w_lo + e_lo * w);
    let (q, error) = quotient((product, product_lo), two_sum(x, 0.5));
    // k ≥ −1075, so this may round once more, but only to a subnormal.
    libm::scalbn(q + q * error, k as i32)
}

/// Whether x is 0 or a negative integer (as is every f64 ≤ −2⁵²).
fn is_pole(x: f64) -> bool {
    x <= 0.0 && x.is_finite() && libm::floor(x) == x
}

/// π cot πx for x not an integer.
fn pi_cot_pi(x: f64) -> f64 {
    // Exact: within half a unit of the integer next to it.
    let r = x - libm::rint(x);
    if r.abs() <= 0.25 {
        PI / libm::tan(PI * r)
    } else {
        // Near the zero of cot its argument has to be small, not near π/2.
        libm::copysign(PI * libm::tan(PI * (0.5 - r.abs())), r)
    }
}

/// ψ for x > 0.
fn digamma_positive(x: f64) -> f64 {
    if x >= 10.0 {
        let inv = 1.0 / x;
        let inv2 = inv * inv;
        return libm::log(x) - (0.5 * inv + inv2 * horner(&PSI_TAIL, inv2));
    }
    if x < 2.0 {
        // 1 + y is where the kernel applies; y is exact on both branches.
        let y = if x < 1.0 { x } else { x - 1.0 };
        let (d, slope) = root_kernel(y);
        // ψ(1 + y) = ψ(2 + y) − 1/(1 + y), divided by y − root term by term, so
        // that the factor y − root carries the zero and nothing else cancels.
        let psi = d * (INV_ROOT1.0 / (1.0 + y) + slope);
        return if x < 1.0 { psi - 1.0 / x } else { psi };
    }
    // Stepping down is exact: z stays a multiple of ulp(x), and shrinks.
    let mut sum = 0.0;
    let mut z = x;
    while z >= 3.0 {
        z -= 1.0;
        sum += 1.0 / z;
    }
    let (d, slope) = root_kernel(z - 2.0);
    sum + (INV_ROOT1.0 + (d * slope + INV_ROOT1.1))
}

/// (y − root, (ψ(2 + y) − ψ(2 + root)) / (y − root)) for y ∈ [0, 1].
fn root_kernel(y: f64) -> (f64, f64) {
    ((y - ROOT.0) - ROOT.1, horner(&SLOPE, y - 0.5))
}

/// n! Σ 1/(x + k)ⁿ⁺¹ over k ≥ 0, which is |ψ⁽ⁿ⁾(x)|, for n ≥ 1 and x = hi + lo > 0.
fn lattice_sum(n: u32, x: (f64, f64)) -> f64 {
    if x.0 == f64::INFINITY {
        return 0.0;
    }
    // The first term may overflow or vanish while the sum does not: keep the sum
    // relative to it, and its power in two halves around the other factors.
    let sum = relative_hurwitz(f64::from(n) + 1.0, x);
    let (half, rest) = if n <= EXACT_FACTORIALS {
        let s = f64::from(n) + 1.0;
        let factorial = (2..=n).fold(1.0, |f, k| f * f64::from(k));
        let half = libm::pow(x.0, -0.5 * s);
        // x.1 to first order: it is below x.0·ε and s is small.
        (half, factorial * (1.0 - s * (x.1 / x.0)))
    } else {
        // n!/xⁿ⁺¹ = √(2πn)/x · (n/(e·x))ⁿ · exp(1/(12n) − …).
        let m = f64::from(n);
        let q = m * INV_E.0;
        let q_lo = libm::fma(m, INV_E.0, -q) + m * INV_E.1;
        let (base, error) = quotient((q, q_lo), x);
        let inv = 1.0 / m;
        let tail = inv * horner(&STIRLING, inv * inv) + m * error;
        let half = libm::pow(base, 0.5 * m);
        (half, libm::sqrt(2.0 * PI * m) / x.0 * libm::exp(tail))
    };
    half * (rest * sum) * half
}

/// xˢ ζ(s, x) = Σ (x/(x + k))ˢ over k ≥ 0, for integer s ≥ 2 and x = hi + lo > 0.
fn relative_hurwitz(s: f64, x: (f64, f64)) -> f64 {
    if x.0 < 1e-9 {
        // All terms but the first are below x²·ζ(2), less than half an ulp.
        return 1.0;
    }
    // From here on the correction terms shrink fast enough for any s.
    let start = s + 12.0;
    let (mut sum, mut low) = (0.0, 0.0);
    let mut add = |term: f64| {
        let (t, e) = two_sum(sum, term);
        sum = t;
        low += e;
        t
    };
    let (mut k, mut z, mut power) = (0.0, x, 1.0);
    while z.0 < start {
        let total = add(power);
        // The rest is at most the integral of the terms: power·z/(s − 1) past one.
        if power * (1.0 + z.0 / (s - 1.0)) < 1e-18 * total {
            return sum + low;
        }
        k += 1.0;
        let (hi, lo) = two_sum(x.0, k);
        z = (hi, lo + x.1);
        let (ratio, error) = quotient(x, z);
        let t = s * error;
        power = libm::pow(ratio, s);
        power += power * t * (1.0 + 0.5 * t);
    }
    // Euler–Maclaurin from z: integral, half term, then the corrections.
    let inv = 1.0 / z.0;
    let mut tail = 0.5;
    let mut factor = s * inv;
    let mut order = s;
    for weight in EULER_MACLAURIN {
        tail += weight * factor;
        factor *= ((order + 1.0) * inv) * ((order + 2.0) * inv);
        order += 2.0;
    }
    add(power * (z.0 / (s - 1.0)));
    add(power * tail);
    sum + low
}

/// a/b for a, b > 0 in two parts each: q and δ with a/b = q·(1 + δ), or δ = 0
/// where q overflows and has no error to speak of.
fn quotient(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let q = a.0 / b.0;
    let rest = libm::fma(-q, b.0, a.0) + (a.1 - q * b.1);
    let error = rest / a.0;
    (q, if error.is_finite() { error } else { 0.0 })
}

/// The sum and its rounding error, exactly (unless it overflows).
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// c₀ + c₁t + c₂t² + …
fn horner(coefficients: &[f64], t: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |acc, c| acc * t + c)
}
