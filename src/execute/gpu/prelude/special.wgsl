// The error functions, ln |Γ|, ψ and its derivatives, as `primitives/special.rs` has them.

// `erf x − x` for `|x| ≤ ¾`.
fn erf_bend_$(x: $) -> $ {
    let square = x * x;
    return x * erf_series_$(square);
}

// `erfc x = 2ⁿ·(hi + lo)` for `¾ ≤ x ≤ ERFC_TOP_$`, as `(n, hi, lo)`.
fn erfc_tail_$(x: $) -> vec3<$> {
    let square = two_product_$(x, x);
    let e = exp_pair_$(-square.x, -square.y);
    let s = fix_$(1.0~ / (x + 3.0~)) - ERFC_SHIFT_$;
    let w = fast_sum_$(ERFC_MIDDLE_$, s * erfc_series_$(s) + ERFC_MIDDLE_LO_$);
    let product = two_product_$(e.y, w.x);
    let q = divide_$(vec2<$>(product.x, product.y + (e.y * w.y + e.z * w.x)), two_sum_$(x, 0.5~));
    return vec3<$>(e.x, q.x, q.y);
}

// ≤ 0.9 ulp
fn erf_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (abs(x) < 0.75~) { return x + erf_bend_$(x); }
    let t = erfc_tail_$(min(abs(x), ERF_TOP_$));
    return with_sign_$(1.0~ - (t.y + t.z) * power_of_two_$(i32(t.x)), x);
}

// ≤ 1.0 (f32) and 1.2 (f64) ulp
fn erfc_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (abs(x) < 0.75~) {
        let sum = two_sum_$(1.0~, -x);
        return sum.x + (sum.y - erf_bend_$(x));
    }
    let t = erfc_tail_$(min(abs(x), ERFC_TOP_$));
    let far = ldexp_$(t.y + t.z, i32(t.x));
    return select(far, 2.0~ - far, x < 0.0~);
}

// `ln Γ(x)` for `x > 0`: by Stirling's series, and below 8 from the interval between 1 and 3.
fn lgamma_positive_$(x: $) -> $ {
    if (x >= 8.0~) {
        let ln = ln_wide_$(x);
        let less = two_sum_$(ln.x, -1.0~);
        let inverse = 1.0~ / x;
        let square = inverse * inverse;
        let shift = x - 0.5~;
        return shift * less.x + (shift * (less.y + ln.y) + (LGAMMA_CONSTANT_$ + inverse * lgamma_tail_$(square)));
    }
    if (x < 2.0~) {
        let y = select(fix_$(x - 1.0~), x, x < 1.0~);
        let t = fix_$(y - 0.5~);
        let near = y * fix_$(y - 1.0~) * lgamma_from_1_$(t);
        if (x < 1.0~) { return near - ln_$(x); }
        return near;
    }
    var z = x;
    var product = 1.0~;
    while (z >= 3.0~) {
        z = z - 1.0~;
        product = product * z;
    }
    let t = fix_$(z - 2.5~);
    let part = fix_$(z - 2.0~) * lgamma_from_2_$(t);
    if (x < 3.0~) { return part; }
    return ln_$(product) + part;
}

// Whether `x` is 0 or a negative integer.
fn is_pole_$(x: $) -> bool { return x <= 0.0~ && floor(x) == x; }

// For positive x ≤ 2.5 (f32) and 2.1 (f64) ulp; for negative ones ≤ 1.5 units of what cancels,
// ε·(1 + |ln |π/sin πx|| + |ln Γ(1 − x)|).
fn lgamma_$(x: $) -> $ {
    if (is_nan_$(x)) { return x; }
    if (is_inf_$(x) || is_pole_$(x)) { return inf_$(); }
    if (abs(x) < NEGLIGIBLE_$) { return -ln_$(abs(x)); }
    if (x > 0.0~) { return lgamma_positive_$(x); }
    let turn = abs(fix_$(x - round(x)));
    let angle = pair_product_$(vec2<$>(turn, 0.0~), vec2<$>(PI_$, PI_LO_$));
    var sine = sin_pair_$(angle.x, angle.y).x;
    if (turn > 0.25~) {
        let rest = pair_product_$(vec2<$>(0.5~ - turn, 0.0~), vec2<$>(PI_$, PI_LO_$));
        sine = cos_pair_$(rest.x, rest.y).x;
    }
    return (LN_PI_$ - ln_$(sine)) - lgamma_positive_$(1.0~ - x);
}

// `y` less the root, and the slope of ψ(2 + y) from there, for `y` in `[0, 1]`.
fn digamma_root_$(y: $) -> vec2<$> {
    let t = fix_$(y - 0.5~);
    return vec2<$>(fix_$(y - ROOT_HI_$) - ROOT_LO_$, digamma_slope_$(t));
}

// ψ for positive `x`.
fn digamma_positive_$(x: $) -> $ {
    if (x >= 10.0~) {
        let inverse = 1.0~ / x;
        let square = inverse * inverse;
        return ln_$(x) - (0.5~ * inverse + square * digamma_tail_$(square));
    }
    if (x < 2.0~) {
        let y = select(fix_$(x - 1.0~), x, x < 1.0~);
        let r = digamma_root_$(y);
        let near = r.x * (INVERSE_ROOT_$ / (1.0~ + y) + r.y);
        return select(near, near - 1.0~ / x, x < 1.0~);
    }
    var sum = 0.0~;
    var z = x;
    while (z >= 3.0~) {
        z = z - 1.0~;
        sum = sum + 1.0~ / z;
    }
    let r = digamma_root_$(fix_$(z - 2.0~));
    return sum + (INVERSE_ROOT_$ + (r.x * r.y + INVERSE_ROOT_LO_$));
}

// `π cot πx` for `x` that is no integer.
fn pi_cot_pi_$(x: $) -> $ {
    let turn = fix_$(x - round(x));
    let most = abs(turn) > 0.25~;
    let angle = PI_$ * select(abs(turn), 0.5~ - abs(turn), most);
    let tangent = sin_pair_$(angle, 0.0~).x / cos_pair_$(angle, 0.0~).x;
    return with_sign_$(select(PI_$ / tangent, PI_$ * tangent, most), turn);
}

// For positive x ≤ 2.7 (f32) and 2.4 (f64) ulp; for negative ones ≤ 1.8 (f32) and 1.9 (f64) units of what cancels,
// ε·(1 + |ψ(1 − x)| + |π cot πx|).
fn digamma_$(x: $) -> $ {
    if (is_nan_$(x) || is_pole_$(x)) { return nan_$(); }
    if (is_inf_$(x)) { return select(x, nan_$(), x < 0.0~); }
    if (abs(x) < NEGLIGIBLE_$) { return -1.0~ / x; }
    if (x < 0.0~) { return digamma_positive_$(1.0~ - x) - pi_cot_pi_$(x); }
    return digamma_positive_$(x);
}

// The quotient of positive pairs, and its relative error.
fn ratio_$(a: vec2<$>, b: vec2<$>) -> vec2<$> {
    let q = divide_$(a, b);
    let error = q.y / q.x;
    return vec2<$>(q.x, select(0.0~, error, abs(error) < 0.5~));
}

// `xˢ·ζ(s, x) = Σ (x/(x + k))ˢ` over `k ≥ 0`, for integers `s ≥ 2`: some terms, then the series of Euler and Maclaurin.
fn relative_hurwitz_$(s: $, x: vec2<$>) -> $ {
    if (x.x < ALONE_$) { return 1.0~; }
    let start = s + HURWITZ_FROM_$;
    var sum = vec2<$>(0.0~, 0.0~);
    var power = 1.0~;
    var z = x;
    for (var k = 1i; k < 1000i && z.x < start; k = k + 1i) {
        let next = two_sum_$(sum.x, power);
        sum = vec2<$>(next.x, sum.y + next.y);
        if (power * (1.0~ + z.x / (s - 1.0~)) < HURWITZ_STOP_$ * sum.x) { return sum.x + sum.y; }
        let moved = two_sum_$(x.x, $(k));
        z = vec2<$>(moved.x, moved.y + x.y);
        let r = ratio_$(x, z);
        let t = s * r.y;
        let p = pow_positive_$(r.x, s);
        power = p + p * t * (1.0~ + 0.5~ * t);
    }
    let inverse = 1.0~ / z.x;
        let next = two_sum_$(sum.x, power * (z.x / (s - 1.0~)));
    let last = two_sum_$(next.x, power * euler_maclaurin_$(s, inverse));
    return last.x + (sum.y + next.y + last.y);
}

// `n! Σ 1/(x + k)ⁿ⁺¹` over `k ≥ 0`, for `n ≥ 1` and `x > 0`.
fn lattice_sum_$(n: i32, x: vec2<$>) -> $ {
    let m = $(n);
    let sum = relative_hurwitz_$(m + 1.0~, x);
    var base = x.x;
    var exponent = -0.5~ * (m + 1.0~);
    var rest = 1.0~;
    if (n <= EXACT_FACTORIALS_$) {
        for (var k = 2i; k <= n; k = k + 1i) { rest = rest * $(k); }
        rest = rest * (1.0~ - (m + 1.0~) * (x.y / x.x));
    } else {
        let q = two_product_$(m, INVERSE_E_$);
        let r = ratio_$(vec2<$>(q.x, q.y + m * INVERSE_E_LO_$), x);
        let inverse = 1.0~ / m;
        let square = inverse * inverse;
        base = r.x;
        exponent = 0.5~ * m;
        rest = sqrt(TWO_PI_$ * m) / x.x * exp_$(inverse * stirling_tail_$(square) + m * r.y);
    }
    let half = pow_$(base, exponent);
    if (half == 0.0~) { return 0.0~; }
    return fix_$(half * (rest * sum)) * half;
}

// For positive x ≤ 4.5 (f32) and 4.3 (f64) ulp, and for odd n everywhere; for even n and negative x ≤ 3.2 (f32) and 3.8 (f64) units
// of what cancels, ε times the sum of the moduli.
fn polygamma_$(x: $, n: i32) -> $ {
    if (n == 0i) { return digamma_$(x); }
    if (is_nan_$(x)) { return x; }
    let odd = (n & 1i) == 1i;
    if (is_inf_$(x)) { return select(select(-0.0~, 0.0~, odd), nan_$(), x < 0.0~); }
    if (is_pole_$(x)) { return select(nan_$(), inf_$(), odd); }
    // The sum right of 0 begins at 1 − a, that left of it runs from −a down to x.
    let a = fix_$(-x - floor(-x));
    var right = 0.0~;
    var beyond = 0.0~;
    var left = 0.0~;
    for (var k = select(0i, 2i, x > 0.0~); k < 3i; k = k + 1i) {
        var at = two_sum_$(1.0~, -select(x, a, k == 0i));
        if (k == 2i) { at = vec2<$>(select(a, x, x > 0.0~), 0.0~); }
        let sum = lattice_sum_$(n, at);
        if (k == 0i) { right = sum; }
        if (k == 1i) { beyond = sum; }
        left = sum;
    }
    if (x > 0.0~) { return select(-left, left, odd); }
    if (odd) { return select(left - beyond + right, inf_$(), is_inf_$(left)); }
    if (is_inf_$(left) && (!is_inf_$(right) || a < 0.5~)) { return inf_$(); }
    if (is_inf_$(right) && (!is_inf_$(left) || a > 0.5~)) { return -inf_$(); }
    if (is_inf_$(right)) { return -beyond; }
    return fix_$(left - right) - beyond;
}
