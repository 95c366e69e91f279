// Real numbers of one kind, `$`: rows of the table of primitives that are exact, and the steps that the others are made of.
//
// Bounds are the largest errors measured, on random and on hard arguments, against 200 bits, in units in the last place (ulp).
//
// Drivers reassociate sums and contract products. Where a rounding is counted on, `fix` is between: they see nothing through it.
// No test for NaN is a comparison.

// The number itself, which no driver sees through: of the bits of one NaN it makes those of another. It adds integers, since drivers
// take sums of reals into what selects.
fn fix_$(x: $) -> $ {
    let bits = bitcast<WORD>(x);
    return bitcast<$>(bits + select(0@, 1@, bits == ODD_NAN_$));
}

fn nan_$() -> $ { return $_of_bits(NAN_BITS_$); }

fn inf_$() -> $ { return $_of_bits(INF_BITS_$); }

fn is_nan_$(x: $) -> bool { return (bitcast<WORD>(x) & ABS_MASK_$) > INF_BITS_$; }

fn is_inf_$(x: $) -> bool { return (bitcast<WORD>(x) & ABS_MASK_$) == INF_BITS_$; }

fn is_negative_$(x: $) -> bool { return (bitcast<WORD>(x) & SIGN_MASK_$) != 0@; }

// `|x|` with the sign of `sign`.
fn with_sign_$(x: $, sign: $) -> $ { return bitcast<$>((bitcast<WORD>(x) & ABS_MASK_$) | (bitcast<WORD>(sign) & SIGN_MASK_$)); }

// `|x|` with the sign of a product: its own and that of `sign`.
fn signed_$(x: $, sign: $) -> $ { return bitcast<$>(bitcast<WORD>(x) ^ (bitcast<WORD>(sign) & SIGN_MASK_$)); }

fn clamp_$(x: $, low: $, high: $) -> $ { return select(select(x, high, x > high), low, x < low); }

// `2ⁿ` that is not subnormal.
fn power_of_two_$(n: i32) -> $ { return bitcast<$>(WORD(u32(n + BIAS_$)) << FRACTION_BITS_$); }

// `x·2ⁿ` in one rounding, for `x` near 1 and `|n|` below twice the largest exponent.
fn ldexp_$(x: $, n: i32) -> $ {
    let half = n >> 1u;
    return fix_$(x * power_of_two_$(half)) * power_of_two_$(n - half);
}

// The number less its low half of bits.
fn upper_$(x: $) -> $ { return bitcast<$>(bitcast<WORD>(x) & UPPER_MASK_$); }

// Pairs `(hi, lo)` stand for `hi + lo`. The sum of two numbers and its rounding error.
fn two_sum_$(a: $, b: $) -> vec2<$> {
    let sum = fix_$(a + b);
    let of_b = fix_$(sum - a);
    return vec2<$>(sum, fix_$(a - fix_$(sum - of_b)) + fix_$(b - of_b));
}

// The same where `a` is 0 or not below `b`.
fn fast_sum_$(a: $, b: $) -> vec2<$> {
    let sum = fix_$(a + b);
    return vec2<$>(sum, b - fix_$(sum - a));
}

// The product of two numbers and its rounding error, for factors far from overflow.
fn two_product_$(a: $, b: $) -> vec2<$> {
    let product = fix_$(a * b);
    let a_hi = upper_$(a);
    let b_hi = upper_$(b);
    let a_lo = a - a_hi;
    let b_lo = b - b_hi;
    let rest = fix_$(fix_$(fix_$(a_hi * b_hi) - product) + fix_$(a_hi * b_lo));
    return vec2<$>(product, fix_$(rest + fix_$(a_lo * b_hi)) + a_lo * b_lo);
}

fn pair_product_$(a: vec2<$>, b: vec2<$>) -> vec2<$> {
    let p = two_product_$(a.x, b.x);
    return fast_sum_$(p.x, p.y + (a.x * b.y + a.y * b.x));
}

fn pair_sum_$(a: vec2<$>, b: vec2<$>) -> vec2<$> {
    let s = two_sum_$(a.x, b.x);
    return fast_sum_$(s.x, s.y + (a.y + b.y));
}

// The quotient of two pairs.
fn divide_$(a: vec2<$>, b: vec2<$>) -> vec2<$> {
    let q = fix_$(a.x / b.x);
    let p = two_product_$(q, b.x);
    let rest = fix_$(fix_$(a.x - p.x) - p.y) + (a.y - q * b.y);
    return vec2<$>(q, rest / b.x);
}

fn quotient_$(a: vec2<$>, b: vec2<$>) -> $ {
    let q = divide_$(a, b);
    return q.x + q.y;
}

// One rounding where the machine has it, two where not.
fn fma_$(x: $, y: $, w: $) -> $ { return fma(x, y, w); }

// Exact where the driver's root is.
fn sqrt_$(x: $) -> $ {
    if (x < 0.0~) { return nan_$(); }
    return sqrt(x);
}

// Exact.
fn abs_$(x: $) -> $ { return bitcast<$>(bitcast<WORD>(x) & ABS_MASK_$); }

// Exact.
fn signum_$(x: $) -> $ { return select(select(x, -1.0~, x < 0.0~), 1.0~, x > 0.0~); }

// Exact.
fn min_$(x: $, y: $) -> $ { return select(y, x, x <= y || is_nan_$(y)); }

// Exact.
fn max_$(x: $, y: $) -> $ { return select(y, x, x >= y || is_nan_$(y)); }

// Exact.
fn ge_$(x: $, y: $) -> $ { return select(0.0~, 1.0~, x >= y); }

// Exact.
fn select_$(c: $, x: $, y: $) -> $ { return select(x, y, (bitcast<WORD>(c) & ABS_MASK_$) == 0@); }

// `x·y`, but 0 where `x` is 0.
fn scale_$(x: $, y: $) -> $ { return select(x * y, 0.0~, (bitcast<WORD>(x) & ABS_MASK_$) == 0@); }

// Exact.
fn stop_gradient_$(x: $) -> $ { return x; }

// Exact.
fn floor_$(x: $) -> $ { return with_sign_$(floor(x), x); }

// Exact.
fn ceil_$(x: $) -> $ { return with_sign_$(ceil(x), x); }

// Exact; halves away from 0.
fn round_$(x: $) -> $ {
    let whole = trunc(x);
    return with_sign_$(select(whole, abs(whole) + 1.0~, abs(fix_$(x - whole)) >= 0.5~), x);
}

// The difference of a number and itself: NaN if it is not finite.
fn minus_itself_$(x: $) -> $ {
    if ((bitcast<WORD>(x) & ABS_MASK_$) >= INF_BITS_$) { return nan_$(); }
    return 0.0~;
}

// The product of a number and 0, of either sign: NaN if the number is not finite.
fn times_zero_$(x: $, zero: $) -> $ {
    if ((bitcast<WORD>(x) & ABS_MASK_$) >= INF_BITS_$) { return nan_$(); }
    return signed_$(with_sign_$(0.0~, x), zero);
}

// The quotient of a number and 0, of either sign.
fn over_zero_$(x: $, zero: $) -> $ {
    let bits = bitcast<WORD>(x) & ABS_MASK_$;
    if (bits == 0@ || bits > INF_BITS_$) { return nan_$(); }
    return signed_$(with_sign_$(inf_$(), x), zero);
}

// A driver that finds by itself that a divisor is 0 may take the quotient, which is infinite, for any number: it finds a choice instead.
fn div_$(x: $, y: $) -> $ { return select(x / y, over_zero_$(x, y), y == 0.0~); }

fn recip_$(x: $) -> $ { return div_$(1.0~, x); }

// Exact: to the nearest half-precision number, of two to the even one.
fn half_$(x: $) -> $ {
    let bits = bitcast<WORD>(x) & ABS_MASK_$;
    let modulus = bitcast<$>(bits);
    if (bits >= INF_BITS_$) { return x; }
    let even = (bits >> HALF_DROPPED_$) & 1@;
    let normal = bitcast<$>((bits + HALF_ROUNDING_$ + even) & HALF_MASK_$);
    let small = round(modulus * 16777216.0~) * 5.9604644775390625e-08~;
    let finite = select(normal, small, modulus < 0.00006103515625~);
    return with_sign_$(select(finite, inf_$(), modulus >= 65520.0~), x);
}
