// Integers: what WGSL has no operator for, in each type of integers, and numbers of one type in another.
//
// Kinds of fewer than 32 bits are in 32: `bits` says how many of these are theirs, and whoever calls wraps the result.

fn f32_of_bits(bits: u32) -> f32 {
    var x = bits;
    return bitcast<f32>(x);
}

fn f64_of_bits(bits: u64) -> f64 {
    var x = bits;
    return bitcast<f64>(x);
}

fn quot_i32(x: i32, y: i32) -> i32 {
    if (y == -1i) { return 0i - x; }
    return x / y;
}

fn quot_i64(x: i64, y: i64) -> i64 {
    if (y == -1li) { return 0li - x; }
    if (y == 0li) { return 0li; }
    return x / y;
}

fn quot_u32(x: u32, y: u32) -> u32 { return x / y; }

fn quot_u64(x: u64, y: u64) -> u64 {
    if (y == 0lu) { return 0lu; }
    return x / y;
}

fn rem_i32(x: i32, y: i32) -> i32 {
    if (y == -1i) { return 0i; }
    return x % y;
}

fn rem_i64(x: i64, y: i64) -> i64 {
    if (y == -1li || y == 0li) { return 0li; }
    return x % y;
}

fn rem_u32(x: u32, y: u32) -> u32 { return x % y; }

fn rem_u64(x: u64, y: u64) -> u64 {
    if (y == 0lu) { return 0lu; }
    return x % y;
}

fn div_i32(x: i32, y: i32) -> i32 {
    let q = quot_i32(x, y);
    if ((x < 0i) != (y < 0i) && rem_i32(x, y) != 0i) { return q - 1i; }
    return q;
}

fn div_i64(x: i64, y: i64) -> i64 {
    let q = quot_i64(x, y);
    if ((x < 0li) != (y < 0li) && rem_i64(x, y) != 0li) { return q - 1li; }
    return q;
}

fn div_u32(x: u32, y: u32) -> u32 { return quot_u32(x, y); }

fn div_u64(x: u64, y: u64) -> u64 { return quot_u64(x, y); }

fn mod_i32(x: i32, y: i32) -> i32 {
    let r = rem_i32(x, y);
    if ((x < 0i) != (y < 0i) && r != 0i) { return r + y; }
    return r;
}

fn mod_i64(x: i64, y: i64) -> i64 {
    let r = rem_i64(x, y);
    if ((x < 0li) != (y < 0li) && r != 0li) { return r + y; }
    return r;
}

fn mod_u32(x: u32, y: u32) -> u32 { return rem_u32(x, y); }

fn mod_u64(x: u64, y: u64) -> u64 { return rem_u64(x, y); }

fn signum_i32(x: i32) -> i32 { return select(select(0i, 1i, x > 0i), -1i, x < 0i); }

fn signum_i64(x: i64) -> i64 { return select(select(0li, 1li, x > 0li), -1li, x < 0li); }

fn signum_u32(x: u32) -> u32 { return select(0u, 1u, x > 0u); }

fn signum_u64(x: u64) -> u64 { return select(0lu, 1lu, x > 0lu); }

fn pow_u32(x: u32, y: u32) -> u32 {
    var power = 1u;
    var base = x;
    var left = y;
    while (left != 0u) {
        if ((left & 1u) == 1u) { power = power * base; }
        base = base * base;
        left = left >> 1u;
    }
    return power;
}

fn pow_u64(x: u64, y: u64) -> u64 {
    var power = 1lu;
    var base = x;
    var left = y;
    while (left != 0lu) {
        if ((left & 1lu) == 1lu) { power = power * base; }
        base = base * base;
        left = left >> 1u;
    }
    return power;
}

fn pow_i32(x: i32, y: i32) -> i32 { return bitcast<i32>(pow_u32(bitcast<u32>(x), bitcast<u32>(y))); }

fn pow_i64(x: i64, y: i64) -> i64 { return bitcast<i64>(pow_u64(bitcast<u64>(x), bitcast<u64>(y))); }

fn shl_i32(x: i32, y: i32, bits: u32) -> i32 {
    if (bitcast<u32>(y) >= bits) { return 0i; }
    return x << bitcast<u32>(y);
}

fn shl_i64(x: i64, y: i64, bits: u32) -> i64 {
    if (bitcast<u64>(y) >= u64(bits)) { return 0li; }
    return x << u32(y);
}

fn shl_u32(x: u32, y: u32, bits: u32) -> u32 {
    if (y >= bits) { return 0u; }
    return x << y;
}

fn shl_u64(x: u64, y: u64, bits: u32) -> u64 {
    if (y >= u64(bits)) { return 0lu; }
    return x << u32(y);
}

fn shr_i32(x: i32, y: i32, bits: u32) -> i32 {
    if (bitcast<u32>(y) >= bits) { return select(0i, -1i, x < 0i); }
    return x >> bitcast<u32>(y);
}

fn shr_i64(x: i64, y: i64, bits: u32) -> i64 {
    if (bitcast<u64>(y) >= u64(bits)) { return select(0li, -1li, x < 0li); }
    return x >> u32(y);
}

fn shr_u32(x: u32, y: u32, bits: u32) -> u32 {
    if (y >= bits) { return 0u; }
    return x >> y;
}

fn shr_u64(x: u64, y: u64, bits: u32) -> u64 {
    if (y >= u64(bits)) { return 0lu; }
    return x >> u32(y);
}

// The bits of a kind, without those of its sign before them.
fn own_bits(x: u32, bits: u32) -> u32 { return x & (0xffffffffu >> (32u - bits)); }

fn ones_u32(x: u32, bits: u32) -> u32 { return countOneBits(own_bits(x, bits)); }

fn ones_i32(x: i32, bits: u32) -> i32 { return i32(ones_u32(bitcast<u32>(x), bits)); }

fn ones_u64(x: u64, bits: u32) -> u64 {
    return u64(countOneBits(u32(x & 0xfffffffflu)) + countOneBits(u32(x >> 32u)));
}

fn ones_i64(x: i64, bits: u32) -> i64 { return i64(ones_u64(bitcast<u64>(x), bits)); }

fn leading_zeros_u32(x: u32, bits: u32) -> u32 { return countLeadingZeros(own_bits(x, bits)) - (32u - bits); }

fn leading_zeros_i32(x: i32, bits: u32) -> i32 { return i32(leading_zeros_u32(bitcast<u32>(x), bits)); }

fn leading_zeros_u64(x: u64, bits: u32) -> u64 {
    let high = u32(x >> 32u);
    let low = u32(x & 0xfffffffflu);
    return u64(select(countLeadingZeros(high), 32u + countLeadingZeros(low), high == 0u));
}

fn leading_zeros_i64(x: i64, bits: u32) -> i64 { return i64(leading_zeros_u64(bitcast<u64>(x), bits)); }

fn trailing_zeros_u32(x: u32, bits: u32) -> u32 { return min(countTrailingZeros(own_bits(x, bits)), bits); }

fn trailing_zeros_i32(x: i32, bits: u32) -> i32 { return i32(trailing_zeros_u32(bitcast<u32>(x), bits)); }

fn trailing_zeros_u64(x: u64, bits: u32) -> u64 {
    let high = u32(x >> 32u);
    let low = u32(x & 0xfffffffflu);
    return u64(select(countTrailingZeros(low), 32u + countTrailingZeros(high), low == 0u));
}

fn trailing_zeros_i64(x: i64, bits: u32) -> i64 { return i64(trailing_zeros_u64(bitcast<u64>(x), bits)); }

fn mul_high_u32(x: u32, y: u32, bits: u32) -> u32 {
    if (bits < 32u) { return (x * y) >> bits; }
    let x0 = x & 0xffffu;
    let x1 = x >> 16u;
    let y0 = y & 0xffffu;
    let y1 = y >> 16u;
    let middle = x1 * y0 + ((x0 * y0) >> 16u);
    let other = x0 * y1 + (middle & 0xffffu);
    return x1 * y1 + (middle >> 16u) + (other >> 16u);
}

fn mul_high_i32(x: i32, y: i32, bits: u32) -> i32 {
    if (bits < 32u) { return (x * y) >> bits; }
    var high = bitcast<i32>(mul_high_u32(bitcast<u32>(x), bitcast<u32>(y), 32u));
    if (x < 0i) { high = high - y; }
    if (y < 0i) { high = high - x; }
    return high;
}

fn mul_high_u64(x: u64, y: u64, bits: u32) -> u64 {
    let x0 = x & 0xfffffffflu;
    let x1 = x >> 32u;
    let y0 = y & 0xfffffffflu;
    let y1 = y >> 32u;
    let middle = x1 * y0 + ((x0 * y0) >> 32u);
    let other = x0 * y1 + (middle & 0xfffffffflu);
    return x1 * y1 + (middle >> 32u) + (other >> 32u);
}

fn mul_high_i64(x: i64, y: i64, bits: u32) -> i64 {
    var high = bitcast<i64>(mul_high_u64(bitcast<u64>(x), bitcast<u64>(y), 64u));
    if (x < 0li) { high = high - y; }
    if (y < 0li) { high = high - x; }
    return high;
}

// Reals as integers: towards 0, to the nearest that there is, and NaN is 0.

fn i32_of_f32(x: f32) -> i32 {
    if (x >= 2147483648.0f) { return 2147483647i; }
    if (x > -2147483648.0f) { return i32(x); }
    return select(0i, (-2147483647i - 1i), x <= -2147483648.0f);
}

fn u32_of_f32(x: f32) -> u32 {
    if (x >= 4294967296.0f) { return 4294967295u; }
    if (x > 0.0f) { return u32(x); }
    return 0u;
}

fn i64_of_f32(x: f32) -> i64 {
    if (x >= 9223372036854775808.0f) { return 9223372036854775807li; }
    if (x > -9223372036854775808.0f) { return i64(x); }
    return select(0li, (-9223372036854775807li - 1li), x <= -9223372036854775808.0f);
}

fn u64_of_f32(x: f32) -> u64 {
    if (x >= 18446744073709551616.0f) { return 18446744073709551615lu; }
    if (x > 0.0f) { return u64(x); }
    return 0lu;
}

fn i32_of_f64(x: f64) -> i32 {
    if (x >= 2147483647.0lf) { return 2147483647i; }
    if (x > -2147483649.0lf) { return i32(x); }
    return select(0i, (-2147483647i - 1i), x <= -2147483649.0lf);
}

fn u32_of_f64(x: f64) -> u32 {
    if (x >= 4294967295.0lf) { return 4294967295u; }
    if (x > 0.0lf) { return u32(x); }
    return 0u;
}

fn i64_of_f64(x: f64) -> i64 {
    if (x >= 9223372036854775808.0lf) { return 9223372036854775807li; }
    if (x > -9223372036854775808.0lf) { return i64(x); }
    return select(0li, (-9223372036854775807li - 1li), x <= -9223372036854775808.0lf);
}

fn u64_of_f64(x: f64) -> u64 {
    if (x >= 18446744073709551616.0lf) { return 18446744073709551615lu; }
    if (x > 0.0lf) { return u64(x); }
    return 0lu;
}
