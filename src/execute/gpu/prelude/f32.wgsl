// What the functions of real numbers need of f32: its bits, constants, and polynomials. These are interpolated at Chebyshev nodes
// with 60 digits, then rounded; `_LO` is what the constant before it leaves.

const BIAS_f32: i32 = 127i;
const ODD_NAN_f32: u32 = 0x7fa5a5a5u;
const NAN_BITS_f32: u32 = 0x7fc00000u;
const INF_BITS_f32: u32 = 0x7f800000u;
const ABS_MASK_f32: u32 = 0x7fffffffu;
const SIGN_MASK_f32: u32 = 0x80000000u;
const FRACTION_BITS_f32: u32 = 23u;
const UPPER_MASK_f32: u32 = 0xfffff000u;
const HALF_DROPPED_f32: u32 = 13u;
const HALF_ROUNDING_f32: u32 = 0xfffu;
const HALF_MASK_f32: u32 = 0xffffe000u;
const LOG2_E_f32: f32 = 1.442695f;
const LN2_HI_f32: f32 = 0.69314575f;
const LN2_LO_f32: f32 = 1.4286068e-06f;
const EXP_MIN_f32: f32 = -104.0f;
const EXP_MAX_f32: f32 = 89.0f;
const EXP2_MIN_f32: f32 = -151.0f;
const EXP2_MAX_f32: f32 = 129.0f;
const NEGLIGIBLE_f32: f32 = 9.313226e-10f;
const COSH_MAX_f32: f32 = 89.5f;
const SMALLEST_NORMAL_f32: f32 = 1.1754944e-38f;
const SUBNORMAL_SCALE_f32: f32 = 33554432.0f;
const ONE_BITS_f32: u32 = 0x3f800000u;
const SQRT_HALF_BITS_f32: u32 = 0x3f3504f3u;
const SUBNORMAL_SHIFT_f32: i32 = 25i;
const FRACTION_MASK_f32: u32 = 0x7fffffu;
const FEW_MASK_f32: u32 = 0xfffff000u;
const LOG2_E_HI_f32: f32 = 1.4423828f;
const LOG2_E_LO_f32: f32 = 0.0003122284f;
const LOG10_E_HI_f32: f32 = 0.4342041f;
const LOG10_E_LO_f32: f32 = 9.038034e-05f;
const LOG10_2_HI_f32: f32 = 0.3010254f;
const LOG10_2_LO_f32: f32 = 4.605039e-06f;
const LOG_LARGE_f32: f32 = 16384.0f;
const HALF_STEP_f32: u32 = 0x400000u;
const LOW_MASK_f32: u32 = 0xffffu;
const HALF_BITS_f32: u32 = 16u;
const BITS_f32: u32 = 32u;
const BITS_LESS_1_f32: u32 = 31u;
const HIDDEN_BIT_f32: u32 = 0x800000u;
const WHOLE_BIAS_f32: i32 = 150i;
const BITS_LESS_2_f32: u32 = 30u;
const ONES_f32: u32 = 0xffffffffu;
const HALF_UNIT_f32: f32 = 1.5258789e-05f;
const HALF_PI_f32: f32 = 1.5707964f;
const HALF_PI_LO_f32: f32 = -4.371139e-08f;
const TRIG_RANGE_f32: f32 = 3000.0f;
const TWO_OVER_PI_f32: f32 = 0.63661975f;
const HALF_PI_PART_0_f32: f32 = 1.5705566f;
const HALF_PI_PART_1_f32: f32 = 0.00023967028f;
const HALF_PI_PART_2_f32: f32 = 1.5890691e-08f;
const HALF_PI_PART_3_f32: f32 = 2.563344e-12f;
const COT_BORDER_f32: f32 = 2.4142137f;
const TAN_BORDER_f32: f32 = 0.41421357f;
const QUARTER_PI_f32: f32 = 0.7853982f;
const QUARTER_PI_LO_f32: f32 = -2.1855694e-08f;
const ANGLE_BIG_f32: f32 = 1.2379401e+27f;
const ANGLE_DOWN_f32: f32 = 9.313226e-10f;
const ANGLE_TINY_f32: f32 = 9.094947e-13f;
const ANGLE_UP_f32: f32 = 1.1529215e+18f;
const PI_f32: f32 = 3.1415927f;
const PI_LO_f32: f32 = -8.742278e-08f;
const THIRD_HI_f32: f32 = 0.33333334f;
const THIRD_LO_f32: f32 = -9.934108e-09f;
const POW_BIG_f32: f32 = 2.0e+10f;
const POW_CUT_f32: f32 = 110.0f;
const WHOLE_f32: f32 = 8388608.0f;
const WHOLE2_f32: f32 = 16777216.0f;
const CBRT_HALF_f32: f32 = 0.7937005f;
const HYPOT_BIG_f32: f32 = 1.1529215e+18f;
const HYPOT_DOWN_f32: f32 = 8.4703295e-22f;
const HYPOT_UP_f32: f32 = 1.1805916e+21f;
const HYPOT_TINY_f32: f32 = 8.881784e-16f;
const EXACT_FACTORIALS_f32: i32 = 12i;
const ERFC_TOP_f32: f32 = 11.0f;
const ERFC_SHIFT_f32: f32 = 0.17f;
const ERFC_MIDDLE_f32: f32 = 0.6278502f;
const ERFC_MIDDLE_LO_f32: f32 = 2.5317254e-08f;
const ERF_TOP_f32: f32 = 4.0f;
const LGAMMA_CONSTANT_f32: f32 = 0.41893855f;
const LN_PI_f32: f32 = 1.1447299f;
const ROOT_HI_f32: f32 = 0.46163213f;
const ROOT_LO_f32: f32 = 1.243815e-08f;
const INVERSE_ROOT_f32: f32 = 0.68416667f;
const INVERSE_ROOT_LO_f32: f32 = 1.9414885e-09f;
const ALONE_f32: f32 = 1.0e-05f;
const HURWITZ_FROM_f32: f32 = 6.0f;
const HURWITZ_STOP_f32: f32 = 1.0e-09f;
const INVERSE_E_f32: f32 = 0.36787945f;
const INVERSE_E_LO_f32: f32 = -9.149756e-09f;
const TWO_PI_f32: f32 = 6.2831855f;

// (eʳ − 1 − r)/r² for |r| ≤ ½ ln 2.
fn exp_series_f32(t: f32) -> f32 {
    return 0.5f + t * (0.16666667f + t * (0.041666456f + t * (0.0083333105f + t * (0.0013934541f + t * 0.0001989198f))));
}

// (2ʳ − 1)/r for |r| ≤ ½.
fn exp2_series_f32(t: f32) -> f32 {
    return 0.6931472f + t * (0.2402265f + t * (0.05550411f + t * (0.009618054f + t * (0.00133335f + t * (0.0001546261f + t *
        1.5298221e-05f)))));
}

// (sinh x/x − 1)/x², of x² for |x| ≤ 1.
fn sinh_series_f32(t: f32) -> f32 {
    return 0.16666667f + t * (0.008333339f + t * (0.00019838102f + t * 2.8062802e-06f));
}

// (atanh s/s − 1)/s², of s² for |s| ≤ 0.2012.
fn atanh_series_f32(t: f32) -> f32 {
    return 0.33333334f + t * (0.20000161f + t * (0.14265889f + t * 0.11883299f));
}

// (sin r/r − 1)/r², of r² for |r| ≤ π/4.
fn sin_series_f32(t: f32) -> f32 {
    return -0.16666667f + t * (0.008333332f + t * (-0.00019840077f + t * 2.7248702e-06f));
}

// (cos r − 1 + r²/2)/r⁴, of r² for |r| ≤ π/4.
fn cos_series_f32(t: f32) -> f32 {
    return 0.041666664f + t * (-0.0013888298f + t * 2.4546931e-05f);
}

// (asin t/t − 1)/t², of t² for |t| ≤ ½.
fn asin_series_f32(t: f32) -> f32 {
    return 0.16666666f + t * (0.07500095f + t * (0.04459932f + t * (0.031101728f + t * (0.017143717f + t * 0.033700727f))));
}

// (atan t/t − 1)/t², of t² for |t| ≤ tan π/8.
fn atan_series_f32(t: f32) -> f32 {
    return -0.3333333f + t * (0.19999534f + t * (-0.14263721f + t * (0.107411996f + t * -0.064435534f)));
}

// ((atanh s/s − 1)/s² − ⅓)/s², of s² for |s| ≤ 0.1724.
fn atanh_wide_series_f32(t: f32) -> f32 {
    return 0.2f + t * (0.14285767f + t * (0.11102209f + t * 0.095648795f));
}

// m^(−1/3) for 1 ≤ m ≤ 2, roughly.
fn inverse_cbrt_f32(t: f32) -> f32 {
    return 1.6662787f + t * (-1.1623974f + t * (0.6846527f + t * (-0.21636185f + t * 0.027782802f)));
}

// erf x/x − 1, of x² for |x| ≤ ¾.
fn erf_series_f32(t: f32) -> f32 {
    return 0.12837917f + t * (-0.3761262f + t * (0.112833865f + t * (-0.026835099f + t * (0.0051152967f + t *
        -0.00067562005f))));
}

// ((x + ½)·exp(x²)·erfc x − W0)/s, of s = 1/(x + 3) − WC for x from ¾ to where erfc vanishes.
fn erfc_series_f32(t: f32) -> f32 {
    return 0.4006775f + t * (-1.0013891f + t * (-15.062122f + t * (-81.81005f + t * (-276.75668f + t * (-561.70197f + t *
        (-307.6166f + t * (1620.4526f + t * 3398.296f)))))));
}

// B₂ₖ/(2k(2k − 1)), the tail of ln Γ.
fn lgamma_tail_f32(t: f32) -> f32 {
    return 0.083333336f + t * (-0.0027777778f + t * (0.0007936508f + t * -0.0005952381f));
}

// ln Γ(1 + y)/(y(y − 1)), of y − ½ for 0 ≤ y ≤ 1.
fn lgamma_from_1_f32(t: f32) -> f32 {
    return 0.48312896f + t * (-0.1459599f + t * (0.062911056f + t * (-0.031308275f + t * (0.016808098f + t * (-0.009432412f + t
        * (0.005325992f + t * (-0.0031377363f + t * (0.0024467446f + t * -0.0014874843f))))))));
}

// ln Γ(2 + y)/y, of y − ½ for 0 ≤ y ≤ 1.
fn lgamma_from_2_f32(t: f32) -> f32 {
    return 0.56936574f + t * (0.2675818f + t * (-0.044806f + t * (0.010877057f + t * (-0.003092088f + t * (0.00095999654f + t *
        (-0.00033459248f + t * 0.000114050585f))))));
}

// (ψ(2 + y) − ψ(2 + root))/(y − root), of y − ½ for 0 ≤ y ≤ 1.
fn digamma_slope_f32(t: f32) -> f32 {
    return 0.49494475f + t * (-0.119553335f + t * (0.03782643f + t * (-0.013261238f + t * (0.0048928405f + t * (-0.0018531271f +
        t * (0.0007161754f + t * (-0.0003068038f + t * 0.000120875884f)))))));
}

// B₂ₖ/(2k), the tail of ψ.
fn digamma_tail_f32(t: f32) -> f32 {
    return 0.083333336f + t * (-0.008333334f + t * (0.003968254f + t * -0.004166667f));
}

// the same, for n!.
fn stirling_tail_f32(t: f32) -> f32 {
    return 0.083333336f + t * (-0.0027777778f + t * (0.0007936508f + t * (-0.0005952381f + t * 0.0008417508f)));
}

// The corrections of Euler and Maclaurin, with B₂ⱼ/(2j)!.
fn euler_maclaurin_f32(s: f32, inverse: f32) -> f32 {
    var tail = 0.5f;
    var factor = s * inverse;
    tail = tail + 0.083333336f * factor;
    factor = factor * ((s + 1.0f) * inverse) * ((s + 2.0f) * inverse);
    tail = tail + -0.0013888889f * factor;
    factor = factor * ((s + 3.0f) * inverse) * ((s + 4.0f) * inverse);
    tail = tail + 3.3068784e-05f * factor;
    factor = factor * ((s + 5.0f) * inverse) * ((s + 6.0f) * inverse);
    tail = tail + -8.267196e-07f * factor;
    factor = factor * ((s + 7.0f) * inverse) * ((s + 8.0f) * inverse);
    tail = tail + 2.0876756e-08f * factor;
    return tail;
}

// The bits of 2/π, after one word of zeros.
fn two_over_pi_f32(k: u32) -> u32 {
    var table = array<u32, 10>(0x0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
        0xdebbc561u, 0xb7246e3au);
    return table[k];
}

// Exact.
fn single_f32(x: f32) -> f32 { return x; }

// The 16 bits of a number of half precision.
fn bits_of_half(x: f32) -> u32 {
    let bits = bitcast<u32>(x) & ABS_MASK_f32;
    let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
    if (bits > INF_BITS_f32) { return sign | 0x7e00u | ((bits >> 13u) & 0x3ffu); }
    if (bits == INF_BITS_f32) { return sign | 0x7c00u; }
    if (bits < 0x38800000u) { return sign | u32(abs(x) * 16777216.0f); }
    return sign | ((bits - 0x38000000u) >> 13u);
}

// The number of half precision that has these bits.
fn half_of_bits(bits: u32) -> f32 {
    let exponent = (bits >> 10u) & 0x1fu;
    let fraction = bits & 0x3ffu;
    let sign = (bits & 0x8000u) << 16u;
    if (exponent == 0x1fu) { return f32_of_bits(sign | INF_BITS_f32 | (fraction << 13u)); }
    if (exponent == 0u) { return bitcast<f32>(sign | bitcast<u32>(f32(fraction) * 5.9604644775390625e-08f)); }
    return bitcast<f32>(sign | ((exponent + 112u) << 23u) | (fraction << 13u));
}

// A power of many factors: the exponent in two parts, of which a number has all digits.
fn power_f32(x: f32, n: i32) -> f32 {
    let low = n % 4096i;
    if (n == low) { return pow_f32(x, f32(n)); }
    return pow_f32(x, f32(low)) * pow_f32(x, f32(n - low));
}
