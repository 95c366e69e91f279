// Numbers from their bits, and bits that are counted, which WGSL does of 32.

const LOWER_HALF_u32: u32 = 0xffffu;
const LOWER_HALF_u64: u64 = 0xfffffffflu;

fn f32_of_bits(bits: u32) -> f32 {
    var x = bits;
    return bitcast<f32>(x);
}

fn f64_of_bits(bits: u64) -> f64 {
    var x = bits;
    return bitcast<f64>(x);
}

// The bits of a kind, without those of its sign before them.
fn own_bits(x: u32, bits: u32) -> u32 { return x & (0xffffffffu >> (32u - bits)); }

fn ones_u32(x: u32, bits: u32) -> u32 { return countOneBits(own_bits(x, bits)); }

fn ones_u64(x: u64, bits: u32) -> u64 {
    return u64(countOneBits(u32(x & 0xfffffffflu)) + countOneBits(u32(x >> 32u)));
}

fn leading_zeros_u32(x: u32, bits: u32) -> u32 { return countLeadingZeros(own_bits(x, bits)) - (32u - bits); }

fn leading_zeros_u64(x: u64, bits: u32) -> u64 {
    let high = u32(x >> 32u);
    let low = u32(x & 0xfffffffflu);
    return u64(select(countLeadingZeros(high), 32u + countLeadingZeros(low), high == 0u));
}

fn trailing_zeros_u32(x: u32, bits: u32) -> u32 { return min(countTrailingZeros(own_bits(x, bits)), bits); }

fn trailing_zeros_u64(x: u64, bits: u32) -> u64 {
    let high = u32(x >> 32u);
    let low = u32(x & 0xfffffffflu);
    return u64(select(countTrailingZeros(low), 32u + countTrailingZeros(high), low == 0u));
}

// An integer of 64 bits in 32, which hold it unless it is the first or the last: those are the first and the last of 32.
fn narrowed(x: vec2<i32>) -> i32 {
    return select(x.x, x.y, x.y == 2147483647i || x.y == (-2147483647i - 1i));
}

fn widened(x: i32) -> vec2<i32> {
    let sign = x >> 31u;
    let is_end = x == 2147483647i || x == (-2147483647i - 1i);
    return select(vec2<i32>(x, sign), vec2<i32>(~sign, x), is_end);
}
