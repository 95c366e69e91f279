// Angles: sine, cosine and tangent of all numbers, and their inverses.

// The upper half of the product of two words.
fn mul_upper_$(x: WORD, y: WORD) -> WORD {
    let x0 = x & LOW_MASK_$;
    let x1 = x >> HALF_BITS_$;
    let y0 = y & LOW_MASK_$;
    let y1 = y >> HALF_BITS_$;
    let middle = x1 * y0 + ((x0 * y0) >> HALF_BITS_$);
    let other = x0 * y1 + (middle & LOW_MASK_$);
    return x1 * y1 + (middle >> HALF_BITS_$) + (other >> HALF_BITS_$);
}

// A word of 2/π that begins at this bit.
fn two_over_pi_from_$(bit: u32) -> WORD {
    let k = bit / BITS_$;
    let shift = bit % BITS_$;
    return (two_over_pi_$(k) << shift) | ((two_over_pi_$(k + 1u) >> 1u) >> (BITS_LESS_1_$ - shift));
}

// `x ≥ 1` less its nearest multiple of π/2, in two parts, and that multiple modulo 4, as `(n, hi, lo)`: by the bits of x·2/π that
// matter (Payne and Hanek).
fn far_angle_$(x: $) -> vec3<$> {
    let bits = bitcast<WORD>(x);
    let m = (bits & FRACTION_MASK_$) | HIDDEN_BIT_$;
    let first = u32(i32(u32(bits >> FRACTION_BITS_$)) - WHOLE_BIAS_$ - 2i + i32(BITS_$));
    let w1 = two_over_pi_from_$(first + BITS_$);
    let low = m * w1;
    let l = low + mul_upper_$(m, two_over_pi_from_$(first + 2u * BITS_$));
    let h = m * two_over_pi_from_$(first) + mul_upper_$(m, w1) + select(0@, 1@, l < low);
    var turn = u32(h >> BITS_LESS_2_$);
    var hi = (h << 2u) | (l >> BITS_LESS_2_$);
    var lo = l << 2u;
    let past = (hi >> BITS_LESS_1_$) == 1@;
    if (past) {
        turn = turn + 1u;
        hi = hi ^ ONES_$;
        lo = lo ^ ONES_$;
    }
    let upper = fast_sum_$($(u32(hi >> HALF_BITS_$)) * HALF_UNIT_$, $(u32(hi & LOW_MASK_$)) * HALF_UNIT_$ * HALF_UNIT_$);
    let rest = ($(u32(lo >> HALF_BITS_$)) + $(u32(lo & LOW_MASK_$)) * HALF_UNIT_$) * HALF_UNIT_$ * HALF_UNIT_$ * HALF_UNIT_$;
    let part = fast_sum_$(upper.x, upper.y + rest);
    let r = pair_product_$(part, vec2<$>(HALF_PI_$, HALF_PI_LO_$));
    return vec3<$>($(turn & 3u), select(r.x, -r.x, past), select(r.y, -r.y, past));
}

// The same for `x ≤ TRIG_RANGE_$`, by a multiple of parts of π/2 that are short enough (Cody and Waite).
fn near_angle_$(x: $) -> vec3<$> {
    let n = round(x * TWO_OVER_PI_$);
    let r = fix_$(x - fix_$(n * HALF_PI_PART_0_$));
    let s = fast_sum_$(r, -fix_$(n * HALF_PI_PART_1_$));
    let t = two_sum_$(s.x, s.y - fix_$(n * HALF_PI_PART_2_$));
    return vec3<$>($(u32(n) & 3u), t.x, t.y - n * HALF_PI_PART_3_$);
}

fn angle_$(x: $) -> vec3<$> {
    if (x <= TRIG_RANGE_$) { return near_angle_$(x); }
    return far_angle_$(x);
}

// The sine of a small angle in two parts.
fn sin_pair_$(r: $, r_lo: $) -> vec2<$> {
    let square = r * r;
    return fast_sum_$(r, r * square * sin_series_$(square) + r_lo * (1.0~ - 0.5~ * square));
}

// The cosine.
fn cos_pair_$(r: $, r_lo: $) -> vec2<$> {
    let square = r * r;
    let half = fix_$(0.5~ * square);
    let lead = fast_sum_$(1.0~, -half);
    return fast_sum_$(lead.x, lead.y + (square * square * cos_series_$(square) - r * r_lo));
}

// The sine, `quarters` right angles on.
fn turned_$(x: $, quarters: u32) -> $ {
    let a = angle_$(x);
    let n = u32(a.x) + quarters;
    var value = 0.0~;
    if ((n & 1u) == 0u) {
        let s = sin_pair_$(a.y, a.z);
        value = s.x + s.y;
    } else {
        let c = cos_pair_$(a.y, a.z);
        value = c.x + c.y;
    }
    return select(value, -value, (n & 2u) == 2u);
}

// ≤ 0.8 ulp
fn sin_$(x: $) -> $ {
    if (is_nan_$(x) || abs(x) < NEGLIGIBLE_$) { return x; }
    if (is_inf_$(x)) { return nan_$(); }
    return signed_$(turned_$(abs(x), 0u), x);
}

// ≤ 0.9 (f32) and 0.8 (f64) ulp
fn cos_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (is_inf_$(x)) { return nan_$(); }
    return turned_$(abs(x), 1u);
}

// ≤ 1.0 ulp
fn tan_$(x: $) -> $ {
    if (is_nan_$(x) || abs(x) < NEGLIGIBLE_$) { return x; }
    if (is_inf_$(x)) { return nan_$(); }
    let a = angle_$(abs(x));
    let s = sin_pair_$(a.y, a.z);
    let c = cos_pair_$(a.y, a.z);
    if ((u32(a.x) & 1u) == 0u) { return signed_$(quotient_$(s, c), x); }
    return signed_$(-quotient_$(c, s), x);
}

// Of `t` with `|t| ≤ ½`: the inverse sine less `t`, where `square` is `t²`.
fn asin_bend_$(t: $, square: $) -> $ { return t * square * asin_series_$(square); }

// ≤ 1.1 (f32) and 1.2 (f64) ulp
fn asin_$(x: $) -> $ {
    let modulus = abs(x);
    if (is_nan_$(x) || modulus < NEGLIGIBLE_$) { return x; }
    if (modulus > 1.0~) { return nan_$(); }
    if (modulus <= 0.5~) { return x + asin_bend_$(x, x * x); }
    let square = fix_$(0.5~ - 0.5~ * modulus);
    let t = fix_$(sqrt(square));
    let sum = fast_sum_$(HALF_PI_$, -2.0~ * t);
    return with_sign_$(sum.x + (sum.y + (HALF_PI_LO_$ - 2.0~ * asin_bend_$(t, square))), x);
}

// ≤ 1.1 ulp
fn acos_$(x: $) -> $ {
    let modulus = abs(x);
    if (is_nan_$(x)) { return x; }
    if (modulus > 1.0~) { return nan_$(); }
    if (modulus <= 0.5~) {
        let sum = fast_sum_$(HALF_PI_$, -x);
        return sum.x + (sum.y + (HALF_PI_LO_$ - asin_bend_$(x, x * x)));
    }
    let square = fix_$(0.5~ - 0.5~ * modulus);
    let t = fix_$(sqrt(square));
    let bend = asin_bend_$(t, square);
    if (x > 0.0~) { return 2.0~ * (t + bend); }
    let sum = fast_sum_$(HALF_PI_$, -t);
    return 2.0~ * (sum.x + (sum.y + (HALF_PI_LO_$ - bend)));
}

// The angle of `(b, a)` in the first quadrant, for `a, b ≥ 0`, not both 0, that are not extreme.
fn first_quadrant_$(a: $, b: $) -> vec2<$> {
    let steep = a > COT_BORDER_$ * b;
    let middle = a > TAN_BORDER_$ * b;
    var above = vec2<$>(a, 0.0~);
    var below = vec2<$>(b, 0.0~);
    var offset = vec2<$>(0.0~, 0.0~);
    if (steep) {
        above = vec2<$>(-b, 0.0~);
        below = vec2<$>(a, 0.0~);
        offset = vec2<$>(HALF_PI_$, HALF_PI_LO_$);
    } else if (middle) {
        above = two_sum_$(a, -b);
        below = two_sum_$(a, b);
        offset = vec2<$>(QUARTER_PI_$, QUARTER_PI_LO_$);
    }
    let t = divide_$(above, below);
    let square = t.x * t.x;
    let bend = t.y + t.x * square * atan_series_$(square);
    let sum = fast_sum_$(offset.x, t.x);
    return fast_sum_$(sum.x, sum.y + (offset.y + bend));
}

// ≤ 0.9 (f32) and 0.8 (f64) ulp
fn atan_$(x: $) -> $ {
    if (is_nan_$(x) || abs(x) < NEGLIGIBLE_$) { return x; }
    return with_sign_$(first_quadrant_$(min(abs(x), SUBNORMAL_SCALE_$ * SUBNORMAL_SCALE_$), 1.0~).x, x);
}

// ≤ 0.8 (f32) and 0.7 (f64) ulp
fn atan2_$(y: $, x: $) -> $ {
    if (is_nan_$(x) || is_nan_$(y)) { return nan_$(); }
    var a = abs(y);
    var b = abs(x);
    let most = max(a, b);
    if (most == 0.0~) {
        b = 1.0~;
    } else if (is_inf_$(most)) {
        a = select(0.0~, 1.0~, is_inf_$(a));
        b = select(0.0~, 1.0~, is_inf_$(b));
    } else if (most > ANGLE_BIG_$) {
        a = a * ANGLE_DOWN_$;
        b = b * ANGLE_DOWN_$;
    } else if (most < ANGLE_TINY_$) {
        a = a * ANGLE_UP_$;
        b = b * ANGLE_UP_$;
    }
    if (is_negative_$(x)) {
        let r = first_quadrant_$(a, b);
        let back = fast_sum_$(PI_$, -r.x);
        return with_sign_$(back.x + (back.y + (PI_LO_$ - r.y)), y);
    }
    // The quotient may be subnormal, which the parts are not.
    if (a < b * NEGLIGIBLE_$) { return with_sign_$(a / b, y); }
    return with_sign_$(first_quadrant_$(a, b).x, y);
}
