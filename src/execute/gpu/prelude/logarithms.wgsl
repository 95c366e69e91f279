// Logarithms, and what is one in disguise. All split `x = 2ᵏ·(1 + f)`; then `ln(1 + f) = 2 atanh s`, where `s = f/(2 + f)`.

// `x = 2ᵏ·m` with `√½ ≤ m < √2`, as `(k, m)`, for positive finite `x`.
fn split_$(x: $) -> vec2<$> {
    let subnormal = x < SMALLEST_NORMAL_$;
    let bits = bitcast<WORD>(select(x, x * SUBNORMAL_SCALE_$, subnormal)) + (ONE_BITS_$ - SQRT_HALF_BITS_$);
    let k = i32(u32(bits >> FRACTION_BITS_$)) - BIAS_$ - select(0i, SUBNORMAL_SHIFT_$, subnormal);
    return vec2<$>($(k), bitcast<$>((bits & FRACTION_MASK_$) + SQRT_HALF_BITS_$));
}

// `f²/2` and the rest of `f − ln(1 + f)`, negative: `ln(1 + f) = f − half + rest`.
fn ln_bend_$(f: $) -> vec2<$> {
    let s = f / (2.0~ + f);
    let square = s * s;
    let half = fix_$(0.5~ * f * f);
    return vec2<$>(half, s * (half + 2.0~ * square * atanh_series_$(square)));
}

// `value`, but what logarithms are at the ends: −∞ at 0, NaN below, and `x` for ∞ and NaN.
fn ln_ends_$(x: $, value: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (x > 0.0~) { return select(value, x, is_inf_$(x)); }
    return select(nan_$(), -inf_$(), x == 0.0~);
}

// ≤ 0.8 (f32) and 0.9 (f64) ulp
fn ln_$(x: $) -> $ {
    let s = split_$(x);
    let f = fix_$(s.y - 1.0~);
    let b = ln_bend_$(f);
    let low = fix_$(b.x - fix_$(s.x * LN2_LO_$ + b.y));
    return ln_ends_$(x, s.x * LN2_HI_$ - fix_$(low - f));
}

// `ln m·unit` for `k = 0`, in two parts, and added to `k·whole`.
fn ln_in_base_$(x: $, unit: vec2<$>, whole: vec2<$>) -> $ {
    let s = split_$(x);
    let f = fix_$(s.y - 1.0~);
    let b = ln_bend_$(f);
    let hi = bitcast<$>(bitcast<WORD>(f - b.x) & FEW_MASK_$);
    let lo = fix_$(fix_$(f - hi) - b.x) + b.y;
    let sum = fast_sum_$(fix_$(s.x * whole.x), fix_$(hi * unit.x));
    let small = lo * unit.x + (lo + hi) * unit.y;
    return ln_ends_$(x, sum.x + (sum.y + (s.x * whole.y + small)));
}

// ≤ 0.9 (f32) and 0.8 (f64) ulp
fn log2_$(x: $) -> $ { return ln_in_base_$(x, vec2<$>(LOG2_E_HI_$, LOG2_E_LO_$), vec2<$>(1.0~, 0.0~)); }

// ≤ 0.7 ulp
fn log10_$(x: $) -> $ { return ln_in_base_$(x, vec2<$>(LOG10_E_HI_$, LOG10_E_LO_$), vec2<$>(LOG10_2_HI_$, LOG10_2_LO_$)); }

// `ln(u + c)`, plus `extra·ln 2`, for a pair with positive finite `u`.
fn ln_pair_$(u: vec2<$>, extra: $) -> $ {
    let s = split_$(u.x);
    let f = two_sum_$(fix_$(s.y - 1.0~), u.y * power_of_two_$(-min(i32(s.x), BIAS_$ - 20i)));
    let b = ln_bend_$(f.x);
    let rest = b.y + f.y * (1.0~ + f.x * (0.9~ * f.x - 1.0~));
    let k = s.x + extra;
    let low = fix_$(b.x - fix_$(k * LN2_LO_$ + rest));
    return k * LN2_HI_$ - fix_$(low - f.x);
}

// ≤ 0.8 ulp
fn log1p_$(x: $) -> $ {
    if (is_nan_$(x) || (bitcast<WORD>(x) & ABS_MASK_$) == 0@) { return x; }
    let sum = two_sum_$(1.0~, x);
    return with_sign_$(ln_ends_$(sum.x, ln_pair_$(sum, 0.0~)), x);
}

// ≤ 1.2 ulp
fn softplus_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let e = decay_$(x);
    if (x < -40.0~) { return e.x; }
    let sum = fast_sum_$(1.0~, e.x);
    return max(x, 0.0~) + ln_pair_$(vec2<$>(sum.x, sum.y + e.y), 0.0~);
}

// ≤ 1.2 ulp
fn asinh_$(x: $) -> $ {
    let modulus = abs(x);
    if (is_nan_$(x) || is_inf_$(x) || modulus < NEGLIGIBLE_$) { return x; }
    if (modulus > LOG_LARGE_$) { return with_sign_$(ln_pair_$(vec2<$>(modulus, 0.0~), 1.0~), x); }
    let square = x * x;
    let t = two_sum_$(modulus, square / (1.0~ + sqrt(1.0~ + square)));
    let sum = two_sum_$(1.0~, t.x);
    return with_sign_$(ln_pair_$(vec2<$>(sum.x, sum.y + t.y), 0.0~), x);
}

// ≤ 0.8 ulp
fn acosh_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (x < 1.0~) { return nan_$(); }
    if (x == 1.0~) { return 0.0~; }
    if (is_inf_$(x)) { return x; }
    if (x > LOG_LARGE_$) { return ln_pair_$(vec2<$>(x, 0.0~), 1.0~); }
    let t = fix_$(x - 1.0~);
    let square = two_product_$(t, t);
    let all = two_sum_$(2.0~ * t, square.x);
    let root = fix_$(sqrt(all.x));
    let product = two_product_$(root, root);
    let rest = (fix_$(fix_$(all.x - product.x) - product.y) + (all.y + square.y)) / (2.0~ * root);
    let sum = two_sum_$(t, root);
    let total = two_sum_$(1.0~, sum.x);
    return ln_pair_$(vec2<$>(total.x, total.y + (sum.y + rest)), 0.0~);
}

// ≤ 0.6 ulp
fn atanh_$(x: $) -> $ {
    let modulus = abs(x);
    if (is_nan_$(x) || modulus < NEGLIGIBLE_$) { return x; }
    if (modulus > 1.0~) { return nan_$(); }
    if (modulus == 1.0~) { return with_sign_$(inf_$(), x); }
    let above = two_sum_$(1.0~, modulus);
    let below = two_sum_$(1.0~, -modulus);
    let k = i32(u32((bitcast<WORD>(above.x) - bitcast<WORD>(below.x) + HALF_STEP_$) >> FRACTION_BITS_$));
    let power = power_of_two_$(-k);
    let up = vec2<$>(above.x * power, above.y * power);
    let difference = two_sum_$(up.x, -below.x);
    let sum = two_sum_$(up.x, below.x);
    let whole = fast_sum_$(difference.x, difference.y + (up.y - below.y));
    let s = divide_$(whole, vec2<$>(sum.x, sum.y + (up.y + below.y)));
    let square = s.x * s.x;
    let series = s.y + s.x * square * atanh_series_$(square);
    let half = 0.5~ * $(k);
    let total = fast_sum_$(half * LN2_HI_$, s.x);
    return with_sign_$(total.x + (total.y + (half * LN2_LO_$ + series)), x);
}
