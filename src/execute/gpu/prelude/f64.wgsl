// What the functions of real numbers need of f64: its bits, constants, and polynomials. These are interpolated at Chebyshev nodes
// with 60 digits, then rounded; `_LO` is what the constant before it leaves.

const BIAS_f64: i32 = 1023i;
const ODD_NAN_f64: u64 = 0x7ff4a5a5a5a5a5a5lu;
const NAN_BITS_f64: u64 = 0x7ff8000000000000lu;
const INF_BITS_f64: u64 = 0x7ff0000000000000lu;
const ABS_MASK_f64: u64 = 0x7ffffffffffffffflu;
const SIGN_MASK_f64: u64 = 0x8000000000000000lu;
const FRACTION_BITS_f64: u32 = 52u;
const UPPER_MASK_f64: u64 = 0xfffffffff8000000lu;
const HALF_DROPPED_f64: u32 = 42u;
const HALF_ROUNDING_f64: u64 = 0x1fffffffffflu;
const HALF_MASK_f64: u64 = 0xfffffc0000000000lu;
const LOG2_E_f64: f64 = 1.4426950408889634lf;
const LN2_HI_f64: f64 = 0.6931471805598903lf;
const LN2_LO_f64: f64 = 5.497923018708371e-14lf;
const EXP_MIN_f64: f64 = -746.0lf;
const EXP_MAX_f64: f64 = 710.0lf;
const EXP2_MIN_f64: f64 = -1076.0lf;
const EXP2_MAX_f64: f64 = 1025.0lf;
const NEGLIGIBLE_f64: f64 = 8.673617379884035e-19lf;
const COSH_MAX_f64: f64 = 710.6lf;
const SMALLEST_NORMAL_f64: f64 = 2.2250738585072014e-308lf;
const SUBNORMAL_SCALE_f64: f64 = 1.8014398509481984e+16lf;
const ONE_BITS_f64: u64 = 0x3ff0000000000000lu;
const SQRT_HALF_BITS_f64: u64 = 0x3fe6a09e667f3bcdlu;
const SUBNORMAL_SHIFT_f64: i32 = 54i;
const FRACTION_MASK_f64: u64 = 0xffffffffffffflu;
const FEW_MASK_f64: u64 = 0xffffffff00000000lu;
const LOG2_E_HI_f64: f64 = 1.442695040255785lf;
const LOG2_E_LO_f64: f64 = 6.331784189566044e-10lf;
const LOG10_E_HI_f64: f64 = 0.43429448176175356lf;
const LOG10_E_LO_f64: f64 = 1.414982685385801e-10lf;
const LOG10_2_HI_f64: f64 = 0.30102999566395283lf;
const LOG10_2_LO_f64: f64 = 2.8363394551044964e-14lf;
const LOG_LARGE_f64: f64 = 268435456.0lf;
const HALF_STEP_f64: u64 = 0x8000000000000lu;
const LOW_MASK_f64: u64 = 0xfffffffflu;
const HALF_BITS_f64: u32 = 32u;
const BITS_f64: u32 = 64u;
const BITS_LESS_1_f64: u32 = 63u;
const HIDDEN_BIT_f64: u64 = 0x10000000000000lu;
const WHOLE_BIAS_f64: i32 = 1075i;
const BITS_LESS_2_f64: u32 = 62u;
const ONES_f64: u64 = 0xfffffffffffffffflu;
const HALF_UNIT_f64: f64 = 2.3283064365386963e-10lf;
const HALF_PI_f64: f64 = 1.5707963267948966lf;
const HALF_PI_LO_f64: f64 = 6.123233995736766e-17lf;
const TRIG_RANGE_f64: f64 = 1600000.0lf;
const TWO_OVER_PI_f64: f64 = 0.6366197723675814lf;
const HALF_PI_PART_0_f64: f64 = 1.5707963267341256lf;
const HALF_PI_PART_1_f64: f64 = 6.07710050359346e-11lf;
const HALF_PI_PART_2_f64: f64 = 2.912732056084878e-20lf;
const HALF_PI_PART_3_f64: f64 = 8.4784276603689e-32lf;
const COT_BORDER_f64: f64 = 2.414213562373095lf;
const TAN_BORDER_f64: f64 = 0.41421356237309503lf;
const QUARTER_PI_f64: f64 = 0.7853981633974483lf;
const QUARTER_PI_LO_f64: f64 = 3.061616997868383e-17lf;
const ANGLE_BIG_f64: f64 = 8.452712498170644e+270lf;
const ANGLE_DOWN_f64: f64 = 6.223015277861142e-61lf;
const ANGLE_TINY_f64: f64 = 4.909093465297727e-91lf;
const ANGLE_UP_f64: f64 = 3.273390607896142e+150lf;
const PI_f64: f64 = 3.141592653589793lf;
const PI_LO_f64: f64 = 1.2246467991473532e-16lf;
const THIRD_HI_f64: f64 = 0.3333333333333333lf;
const THIRD_LO_f64: f64 = 1.850371707708594e-17lf;
const POW_BIG_f64: f64 = 7e+19lf;
const POW_CUT_f64: f64 = 800.0lf;
const WHOLE_f64: f64 = 4503599627370496.0lf;
const WHOLE2_f64: f64 = 9007199254740992.0lf;
const CBRT_HALF_f64: f64 = 0.7937005259840998lf;
const HYPOT_BIG_f64: f64 = 3.273390607896142e+150lf;
const HYPOT_DOWN_f64: f64 = 2.409919865102884e-181lf;
const HYPOT_UP_f64: f64 = 4.149515568880993e+180lf;
const HYPOT_TINY_f64: f64 = 3.054936363499605e-151lf;
const EXACT_FACTORIALS_f64: i32 = 22i;
const ERFC_TOP_f64: f64 = 28.0lf;
const ERFC_SHIFT_f64: f64 = 0.15lf;
const ERFC_MIDDLE_f64: f64 = 0.6195443510434469lf;
const ERFC_MIDDLE_LO_f64: f64 = 3.108141618478875e-17lf;
const ERF_TOP_f64: f64 = 6.0lf;
const LGAMMA_CONSTANT_f64: f64 = 0.4189385332046727lf;
const LN_PI_f64: f64 = 1.1447298858494002lf;
const ROOT_HI_f64: f64 = 0.46163214496836236lf;
const ROOT_LO_f64: f64 = -1.5522348162858677e-17lf;
const INVERSE_ROOT_f64: f64 = 0.6841666717870696lf;
const INVERSE_ROOT_LO_f64: f64 = -4.2470892676890727e-17lf;
const ALONE_f64: f64 = 1e-09lf;
const HURWITZ_FROM_f64: f64 = 12.0lf;
const HURWITZ_STOP_f64: f64 = 1e-18lf;
const INVERSE_E_f64: f64 = 0.36787944117144233lf;
const INVERSE_E_LO_f64: f64 = -1.2428753672788363e-17lf;
const TWO_PI_f64: f64 = 6.283185307179586lf;

// (eʳ − 1 − r)/r² for |r| ≤ ½ ln 2.
fn exp_series_f64(t: f64) -> f64 {
    return 0.5lf + t * (0.1666666666666667lf + t * (0.04166666666666667lf + t * (0.008333333333325544lf + t *
        (0.0013888888888883327lf + t * (0.00019841269876864356lf + t * (2.4801587327007187e-05lf + t * (2.755725283351691e-06lf + t
        * (2.75572718102198e-07lf + t * (2.5106274733573296e-08lf + t * 2.0915442297780116e-09lf)))))))));
}

// (2ʳ − 1)/r for |r| ≤ ½.
fn exp2_series_f64(t: f64) -> f64 {
    return 0.6931471805599453lf + t * (0.24022650695910072lf + t * (0.05550410866482163lf + t * (0.00961812910762848lf + t *
        (0.001333355814640465lf + t * (0.00015403530393369832lf + t * (1.5252733843864855e-05lf + t * (1.3215486809848003e-06lf + t
        * (1.0178055912546169e-07lf + t * (7.054896722470352e-09lf + t * (4.4560247551334643e-10lf + t *
        2.5730348009234352e-11lf))))))))));
}

// (sinh x/x − 1)/x², of x² for |x| ≤ 1.
fn sinh_series_f64(t: f64) -> f64 {
    return 0.16666666666666666lf + t * (0.008333333333333299lf + t * (0.00019841269841324198lf + t * (2.7557319191381816e-06lf +
        t * (2.5052117695907823e-08lf + t * (1.6057679623801638e-10lf + t * 7.746178593018827e-13lf)))));
}

// (atanh s/s − 1)/s², of s² for |s| ≤ 0.2012.
fn atanh_series_f64(t: f64) -> f64 {
    return 0.3333333333333333lf + t * (0.20000000000004248lf + t * (0.1428571428351352lf + t * (0.11111111544796315lf + t *
        (0.09090867202796428lf + t * (0.07694497914203262lf + t * (0.06603601354397381lf + t * 0.0681408910040067lf))))));
}

// (sin r/r − 1)/r², of r² for |r| ≤ π/4.
fn sin_series_f64(t: f64) -> f64 {
    return -0.16666666666666666lf + t * (0.008333333333333331lf + t * (-0.00019841269841264968lf + t * (2.755731921926441e-06lf
        + t * (-2.5052106206531682e-08lf + t * (1.605852751943773e-10lf + t * -7.586455940017973e-13lf)))));
}

// (cos r − 1 + r²/2)/r⁴, of r² for |r| ≤ π/4.
fn cos_series_f64(t: f64) -> f64 {
    return 0.041666666666666664lf + t * (-0.0013888888888887367lf + t * (2.480158729872029e-05lf + t *
        (-2.7557317248229367e-07lf + t * (2.0876141380294955e-09lf + t * -1.1382280957702634e-11lf))));
}

// (asin t/t − 1)/t², of t² for |t| ≤ ½.
fn asin_series_f64(t: f64) -> f64 {
    return 0.16666666666666669lf + t * (0.07499999999998425lf + t * (0.04464285714637338lf + t * (0.030381944137085216lf + t *
        (0.022372173002005596lf + t * (0.017352391265909227lf + t * (0.013971235301124539lf + t * (0.011478952690257387lf + t *
        (0.010324318288744113lf + t * (0.005450878187720551lf + t * (0.017419357964884856lf + t * (-0.014881409392818063lf + t *
        0.02877844261259304lf)))))))))));
}

// (atan t/t − 1)/t², of t² for |t| ≤ tan π/8.
fn atan_series_f64(t: f64) -> f64 {
    return -0.3333333333333333lf + t * (0.19999999999995352lf + t * (-0.14285714284631537lf + t * (0.11111111012446387lf + t *
        (-0.09090904464178391lf + t * (0.07692180549031973lf + t * (-0.066644743097131lf + t * (0.05857826943932267lf + t *
        (-0.050837682543452126lf + t * (0.03918317814931026lf + t * -0.01911763346741136lf)))))))));
}

// ((atanh s/s − 1)/s² − ⅓)/s², of s² for |s| ≤ 0.1724.
fn atanh_wide_series_f64(t: f64) -> f64 {
    return 0.2lf + t * (0.1428571428571471lf + t * (0.11111111110810988lf + t * (0.09090909171521325lf + t *
        (0.07692297074532463lf + t * (0.06667424361915279lf + t * (0.05852531452713666lf + t * 0.05867695376155771lf))))));
}

// m^(−1/3) for 1 ≤ m ≤ 2, roughly.
fn inverse_cbrt_f64(t: f64) -> f64 {
    return 1.6662787377309156lf + t * (-1.1623973573078166lf + t * (0.6846527077322325lf + t * (-0.21636185469244387lf + t *
        0.02778280101858424lf)));
}

// erf x/x − 1, of x² for |x| ≤ ¾.
fn erf_series_f64(t: f64) -> f64 {
    return 0.1283791670955126lf + t * (-0.37612638903183715lf + t * (0.11283791670952592lf + t * (-0.026866170644427513lf + t *
        (0.005223977615408468lf + t * (-0.0008548326187902369lf + t * (0.00012055289530626987lf + t * (-1.4924195325647666e-05lf + t
        * (1.6430668513426108e-06lf + t * (-1.5939928608120978e-07lf + t * 1.1471982626262433e-08lf)))))))));
}

// ((x + ½)·exp(x²)·erfc x − W0)/s, of s = 1/(x + 3) − WC for x from ¾ to where erfc vanishes.
fn erfc_series_f64(t: f64) -> f64 {
    return 0.42506567387842925lf + t * (-0.2731888950963811lf + t * (-9.53650041296939lf + t * (-57.40274172386566lf + t *
        (-212.56716356515565lf + t * (-502.4441218196335lf + t * (-525.0365222097236lf + t * (974.3008597788327lf + t *
        (4114.384445430162lf + t * (906.998297481894lf + t * (-20965.2546694324lf + t * (-22032.256312502424lf + t *
        (113855.2141193185lf + t * (174681.81795839695lf + t * (-736751.524689735lf + t * (-1124776.1470602278lf + t *
        (5560147.279570795lf + t * (5848274.134525964lf + t * (-42401278.27620976lf + t * (-18323445.009273067lf + t *
        225837125.55451286lf)))))))))))))))))));
}

// B₂ₖ/(2k(2k − 1)), the tail of ln Γ.
fn lgamma_tail_f64(t: f64) -> f64 {
    return 0.08333333333333333lf + t * (-0.002777777777777778lf + t * (0.0007936507936507937lf + t * (-0.0005952380952380953lf +
        t * (0.0008417508417508417lf + t * (-0.0019175269175269176lf + t * (0.00641025641025641lf + t * (-0.029550653594771242lf + t
        * 0.17964437236883057lf)))))));
}

// ln Γ(1 + y)/(y(y − 1)), of y − ½ for 0 ≤ y ≤ 1.
fn lgamma_from_1_f64(t: f64) -> f64 {
    return 0.4831289505409809lf + t * (-0.14595989591430594lf + t * (0.06291140107456485lf + t * (-0.03130848750105327lf + t *
        (0.01679709863121395lf + t * (-0.009425622444829649lf + t * (0.005446457842219553lf + t * (-0.0032120742206072908lf + t *
        (0.0019229162321227923lf + t * (-0.001164411377219605lf + t * (0.0007115202752051298lf + t * (-0.00043803516132580534lf + t
        * (0.00027130273545114005lf + t * (-0.0001685717945035172lf + t * (0.00010541715222185904lf + t * (-6.793733027397047e-05lf
        + t * (4.281642862794779e-05lf + t * (-2.148770252062576e-05lf + t * (1.3584275459130943e-05lf + t *
        (-1.8527803997032962e-05lf + t * 1.1820969445467145e-05lf)))))))))))))))))));
}

// ln Γ(2 + y)/y, of y − ½ for 0 ≤ y ≤ 1.
fn lgamma_from_2_f64(t: f64) -> f64 {
    return 0.5693657409458384lf + t * (0.2675817993988097lf + t * (-0.0448058426973846lf + t * (0.0108770015141976lf + t *
        (-0.0030951822936174096lf + t * (0.0009610979285520405lf + t * (-0.00031505925035239633lf + t * (0.00010710021010234954lf +
        t * (-3.735336940027229e-05lf + t * (1.3275711130257407e-05lf + t * (-4.786379987514225e-06lf + t * (1.745641275403404e-06lf
        + t * (-6.421417451955873e-07lf + t * (2.353723932844072e-07lf + t * (-8.772358424774663e-08lf + t *
        (3.8720781951940836e-08lf + t * -1.4586003484400256e-08lf)))))))))))))));
}

// (ψ(2 + y) − ψ(2 + root))/(y − root), of y − ½ for 0 ≤ y ≤ 1.
fn digamma_slope_f64(t: f64) -> f64 {
    return 0.49494476150711986lf + t * (-0.11955334493165168lf + t * (0.03782643334091441lf + t * (-0.013260889120694248lf + t *
        (0.004892701830759204lf + t * (-0.001858118188859778lf + t * (0.0007181572168033181lf + t * (-0.00028067906143039467lf + t *
        (0.00011050324231502792lf + t * (-4.3718059000027144e-05lf + t * (1.735389055346002e-05lf + t * (-6.90800477118054e-06lf + t
        * (2.752793129308645e-06lf + t * (-1.0827412493932995e-06lf + t * (4.3227118596724037e-07lf + t * (-2.0797818742300953e-07lf
        + t * 8.311867318763684e-08lf)))))))))))))));
}

// B₂ₖ/(2k), the tail of ψ.
fn digamma_tail_f64(t: f64) -> f64 {
    return 0.08333333333333333lf + t * (-0.008333333333333333lf + t * (0.003968253968253968lf + t * (-0.004166666666666667lf + t
        * (0.007575757575757576lf + t * (-0.021092796092796094lf + t * (0.08333333333333333lf + t * -0.4432598039215686lf))))));
}

// the same, for n!.
fn stirling_tail_f64(t: f64) -> f64 {
    return 0.08333333333333333lf + t * (-0.002777777777777778lf + t * (0.0007936507936507937lf + t * (-0.0005952380952380953lf +
        t * 0.0008417508417508417lf)));
}

// The corrections of Euler and Maclaurin, with B₂ⱼ/(2j)!.
fn euler_maclaurin_f64(s: f64, inverse: f64) -> f64 {
    var tail = 0.5lf;
    var factor = s * inverse;
    tail = tail + 0.08333333333333333lf * factor;
    factor = factor * ((s + 1.0lf) * inverse) * ((s + 2.0lf) * inverse);
    tail = tail + -0.001388888888888889lf * factor;
    factor = factor * ((s + 3.0lf) * inverse) * ((s + 4.0lf) * inverse);
    tail = tail + 3.306878306878307e-05lf * factor;
    factor = factor * ((s + 5.0lf) * inverse) * ((s + 6.0lf) * inverse);
    tail = tail + -8.267195767195768e-07lf * factor;
    factor = factor * ((s + 7.0lf) * inverse) * ((s + 8.0lf) * inverse);
    tail = tail + 2.08767569878681e-08lf * factor;
    factor = factor * ((s + 9.0lf) * inverse) * ((s + 10.0lf) * inverse);
    tail = tail + -5.284190138687493e-10lf * factor;
    factor = factor * ((s + 11.0lf) * inverse) * ((s + 12.0lf) * inverse);
    tail = tail + 1.3382536530684679e-11lf * factor;
    factor = factor * ((s + 13.0lf) * inverse) * ((s + 14.0lf) * inverse);
    tail = tail + -3.3896802963225827e-13lf * factor;
    factor = factor * ((s + 15.0lf) * inverse) * ((s + 16.0lf) * inverse);
    tail = tail + 8.586062056277845e-15lf * factor;
    factor = factor * ((s + 17.0lf) * inverse) * ((s + 18.0lf) * inverse);
    tail = tail + -2.174868698558062e-16lf * factor;
    factor = factor * ((s + 19.0lf) * inverse) * ((s + 20.0lf) * inverse);
    tail = tail + 5.5090028283602295e-18lf * factor;
    return tail;
}

// The bits of 2/π, after one word of zeros.
fn two_over_pi_f64(k: u32) -> u64 {
    var table = array<u64, 21>(0x0lu, 0xa2f9836e4e441529lu, 0xfc2757d1f534ddc0lu, 0xdb6295993c439041lu, 0xfe5163abdebbc561lu,
        0xb7246e3a424dd2e0lu, 0x6492eea09d1921clu, 0xfe1deb1cb129a73elu, 0xe88235f52ebb4484lu, 0xe99c7026b45f7e41lu,
        0x3991d639835339f4lu, 0x9c845f8bbdf9283blu, 0x1ff897ffde05980flu, 0xef2f118b5a0a6d1flu, 0x6d367ecf27cb09b7lu,
        0x4f463f669e5fea2dlu, 0x7527bac7ebe5f17blu, 0x3d0739f78a5292ealu, 0x6bfb5fb11f8d5d08lu, 0x56033046fc7b6bablu,
        0xf0cfbc209af4361dlu);
    return table[k];
}

// Exact: to the nearest number of single precision, of two to the even one. By its bits, since drivers flush what is small.
fn round_single_f64(x: f64) -> f64 {
    let bits = bitcast<u64>(x) & ABS_MASK_f64;
    if (bits >= INF_BITS_f64) { return x; }
    let normal = bitcast<f64>((bits + 0xffffffflu + ((bits >> 29u) & 1lu)) & 0xffffffffe0000000lu);
    let small = round(bitcast<f64>(bits) * 7.1362384635298e+44lf) * 1.401298464324817e-45lf;
    let finite = select(normal, small, bits < 0x3810000000000000lu);
    return with_sign_f64(select(finite, inf_f64(), bits >= 0x47effffff0000000lu), x);
}

// The nearest number of single precision. Drivers take `f64(f32(x))` for `x`; rounded before, it is.
fn f32_of_f64(x: f64) -> f32 { return f32(round_single_f64(x)); }

// Exact.
fn single_f64(x: f64) -> f64 { return round_single_f64(x); }

// A power of many factors.
fn power_f64(x: f64, n: i32) -> f64 { return pow_f64(x, f64(n)); }
