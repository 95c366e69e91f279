// Exponentials, and what is made of them. `2ⁿ` is put back in two factors, so that a subnormal result is rounded once.

// `x + x_lo = n·ln 2 + r`, as `(n, r, r_lo)`.
fn exp_reduce_$(x: $, x_lo: $) -> vec3<$> {
    let n = round(x * LOG2_E_$);
    let r = fix_$(x - fix_$(n * LN2_HI_$));
    let rest = fast_sum_$(r, x_lo - fix_$(n * LN2_LO_$));
    return vec3<$>(n, rest.x, rest.y);
}

// `eʳ − 1 − r`.
fn exp_bend_$(r: $) -> $ { return r * r * exp_series_$(r); }

// `e^(x + x_lo) = 2ⁿ·(hi + lo)`, as `(n, hi, lo)`, where `hi` is between `√½` and `√2`.
fn exp_pair_$(x: $, x_lo: $) -> vec3<$> {
    let r = exp_reduce_$(x, x_lo);
    let one = fast_sum_$(1.0~, r.y);
    let sum = fast_sum_$(one.x, one.y + (exp_bend_$(r.y) + (r.z + r.y * r.z)));
    return vec3<$>(r.x, sum.x, sum.y);
}

// `eˣ − 1 = 2ⁿ·(hi + lo)`, as `(n, hi, lo)`.
fn expm1_pair_$(x: $) -> vec3<$> {
    let r = exp_reduce_$(x, 0.0~);
    let fewer = min(i32(r.x), 100i);
    let one = two_sum_$(1.0~ - power_of_two_$(-fewer), r.y);
    let sum = fast_sum_$(one.x, one.y + (exp_bend_$(r.y) + r.z));
    return vec3<$>(r.x, sum.x, sum.y);
}

// ≤ 1.2 ulp
fn exp_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let r = exp_reduce_$(clamp_$(x, EXP_MIN_$, EXP_MAX_$), 0.0~);
    return ldexp_$(1.0~ + (r.y + (exp_bend_$(r.y) + r.z)), i32(r.x));
}

// ≤ 1.1 (f32) and 1.2 (f64) ulp
fn exp2_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let bounded = clamp_$(x, EXP2_MIN_$, EXP2_MAX_$);
    let n = round(bounded);
    let r = fix_$(bounded - n);
    return ldexp_$(1.0~ + r * exp2_series_$(r), i32(n));
}

// ≤ 1.0 ulp
fn expm1_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let e = expm1_pair_$(clamp_$(x, -40.0~, EXP_MAX_$));
    return with_sign_$(select(ldexp_$(e.y + e.z, i32(e.x)), x, abs(x) < NEGLIGIBLE_$), x);
}

// `e^(−|x|)` in two parts.
fn decay_$(x: $) -> vec2<$> {
    let e = exp_pair_$(clamp_$(-abs(x), EXP_MIN_$, 0.0~), 0.0~);
    let n = i32(e.x);
    return vec2<$>(ldexp_$(e.y, n), ldexp_$(e.z, n));
}

// ≤ 2.0 (f32) and 1.9 (f64) ulp
fn sigmoid_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let e = decay_$(x);
    let below = fast_sum_$(1.0~, e.x);
    if (x < 0.0~) {
        let d = fast_sum_$(below.x, below.y + e.y);
        return select(e.x / d.x * (1.0~ - d.y / d.x) + e.y, e.x, x < -40.0~);
    }
    return quotient_$(vec2<$>(1.0~, 0.0~), vec2<$>(below.x, below.y + e.y));
}

// ≤ 0.8 ulp
fn tanh_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let e = expm1_pair_$(clamp_$(2.0~ * abs(x), 0.0~, 40.0~));
    let power = power_of_two_$(i32(e.x));
    let t = vec2<$>(fix_$(e.y * power), e.z * power);
    let below = two_sum_$(2.0~, t.x);
    let value = quotient_$(t, vec2<$>(below.x, below.y + t.y));
    return with_sign_$(select(value, x, abs(x) < NEGLIGIBLE_$), x);
}

// `eˣ/4` in two parts and `e⁻ˣ/4`, for `0 ≤ x`.
fn quarters_$(x: $) -> vec3<$> {
    let e = exp_pair_$(x, 0.0~);
    let n = i32(e.x);
    let inverse = 1.0~ / e.y;
    let up = power_of_two_$(n - 2i);
    return vec3<$>(fix_$(e.y * up), e.z * up, (inverse - inverse * inverse * e.z) * power_of_two_$(-min(n, BIAS_$ - 10i) - 2i));
}

// ≤ 1.2 ulp
fn cosh_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    let q = quarters_$(min(abs(x), COSH_MAX_$));
    return (q.x + (q.y + q.z)) * 2.0~;
}

// ≤ 1.5 (f32) and 1.6 (f64) ulp
fn sinh_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (abs(x) < 1.0~) {
        let square = x * x;
        return x + x * square * sinh_series_$(square);
    }
    let q = quarters_$(min(abs(x), COSH_MAX_$));
    return with_sign_$((q.x + (q.y - q.z)) * 2.0~, x);
}
