// Powers and roots. A power needs the logarithm to more digits than the numbers have: it is in two parts.

// `ln x` in two parts, for positive finite `x`.
fn ln_wide_$(x: $) -> vec2<$> {
    let v = split_$(x);
    let s = divide_$(vec2<$>(fix_$(v.y - 1.0~), 0.0~), two_sum_$(1.0~, v.y));
    let square = two_product_$(s.x, s.x);
    let square_lo = square.y + 2.0~ * s.x * s.y;
    let at = square.x;
    let series = fast_sum_$(THIRD_HI_$, at * atanh_wide_series_$(at));
    let cube = two_product_$(s.x, square.x);
    let cube_lo = cube.y + (s.x * square_lo + s.y * square.x);
    let bend = two_product_$(cube.x, series.x);
    let bend_lo = bend.y + (cube.x * (series.y + THIRD_LO_$) + cube_lo * series.x);
    let half = fast_sum_$(s.x, bend.x);
    let sum = fast_sum_$(fix_$(v.x * LN2_HI_$), 2.0~ * half.x);
    return fast_sum_$(sum.x, sum.y + (v.x * LN2_LO_$ + 2.0~ * (half.y + (bend_lo + s.y))));
}

// `x^y`, for positive finite `x`.
fn pow_positive_$(x: $, y: $) -> $ {
    let ln = ln_wide_$(x);
    let exponent = clamp_$(y, -POW_BIG_$, POW_BIG_$);
    let product = two_product_$(exponent, ln.x);
    let lo = select(product.y + exponent * ln.y, 0.0~, abs(product.x) > POW_CUT_$);
    let e = exp_pair_$(clamp_$(product.x, -POW_CUT_$, POW_CUT_$), lo);
    return ldexp_$(e.y + e.z, i32(e.x));
}

// Whether `y` is an integer, as all large numbers are.
fn is_whole_$(y: $) -> bool { return abs(y) >= WHOLE_$ || trunc(y) == y; }

// Whether `y` is an odd integer, as no larger number is.
fn is_odd_$(y: $) -> bool {
    let half = abs(y) * 0.5~;
    return is_whole_$(y) && abs(y) < WHOLE2_$ && !(trunc(half) == half);
}

// ≤ 0.8 ulp
fn pow_$(x: $, y: $) -> $ {
    let modulus = abs(x);
    if (y == 0.0~ || x == 1.0~) { return 1.0~; }
    if (is_nan_$(x)) { return x; }
    if (is_nan_$(y)) { return y; }
    let negative = is_negative_$(x);
    if (modulus == 0.0~ || is_inf_$(x)) {
        let end = select(0.0~, inf_$(), (modulus > 1.0~) == (y > 0.0~));
        return select(end, with_sign_$(end, x), is_odd_$(y));
    }
    if (negative && !is_whole_$(y)) { return nan_$(); }
    let value = pow_positive_$(modulus, y);
    return select(value, -value, negative && is_odd_$(y));
}

// ≤ 0.6 ulp
fn cbrt_$(x: $) -> $ {
    let modulus = abs(x);
    if (is_nan_$(x) || is_inf_$(x) || modulus == 0.0~) { return x; }
    let subnormal = modulus < SMALLEST_NORMAL_$;
    let bits = bitcast<WORD>(select(modulus, modulus * SUBNORMAL_SCALE_$, subnormal));
    let exponent = i32(u32(bits >> FRACTION_BITS_$)) - BIAS_$ - select(0i, SUBNORMAL_SHIFT_$, subnormal);
    let m = bitcast<$>((bits & FRACTION_MASK_$) | ONE_BITS_$);
    // x = 8ᵗ·g with g between 1 and 8, of which r is the inverse cube root.
    let third = (exponent + 3000i) / 3i - 1000i;
    let left = exponent - 3i * third;
    var factor = vec2<$>(1.0~, 1.0~);
    if (left == 1i) { factor = vec2<$>(2.0~, CBRT_HALF_$); }
    if (left == 2i) { factor = vec2<$>(4.0~, CBRT_HALF_$ * CBRT_HALF_$); }
    let g = m * factor.x;
    var r = factor.y * inverse_cbrt_$(m);
    let e = 1.0~ - g * r * (r * r);
    r = r + r * e * (1.0~ / 3.0~ + e * (2.0~ / 9.0~));
    let root = fix_$(g * (r * r));
    let square = two_product_$(root, root);
    let cube = two_product_$(square.x, root);
    let rest = fix_$(g - cube.x) - (cube.y + square.y * root);
    return with_sign_$((root + rest * (r * r * (1.0~ / 3.0~))) * power_of_two_$(third), x);
}

// ≤ 1.5 (f32) and 1.2 (f64) ulp
fn hypot_$(x: $, y: $) -> $ {
    if (is_inf_$(x) || is_inf_$(y)) { return inf_$(); }
    if (is_nan_$(x) || is_nan_$(y)) { return nan_$(); }
    let most = max(abs(x), abs(y));
    var factor = vec2<$>(1.0~, 1.0~);
    if (most > HYPOT_BIG_$) { factor = vec2<$>(HYPOT_DOWN_$, HYPOT_UP_$); }
    if (most < HYPOT_TINY_$) { factor = vec2<$>(HYPOT_UP_$, HYPOT_DOWN_$); }
    let a = fix_$(x * factor.x);
    let b = fix_$(y * factor.x);
    return fix_$(sqrt(a * a + b * b)) * factor.y;
}

// ≤ 1.9 ulp
fn powi_$(x: $, n: i32) -> $ {
    if (n == 1i) { return x; }
    if (n == 2i) { return x * x; }
    if (n == 3i) { return x * x * x; }
    if (n == 4i) {
        let square = x * x;
        return square * square;
    }
    if (n == -1i) { return recip_$(x); }
    return power_$(x, n);
}
