// Integers with a sign, of 32 and of 64 bits: what WGSL has no operator for. `$` is the type, `WORD` that of its bits, and `~` ends
// literals. Kinds of fewer than 32 bits are in 32: `bits` says how many of these are theirs, and whoever calls wraps the result.
// What has no value is 0: who asks for it has checked before.

fn quot_$(x: $, y: $) -> $ {
    if (y == -1~) { return 0~ - x; }
    if (y == 0~) { return 0~; }
    return x / y;
}

fn rem_$(x: $, y: $) -> $ {
    if (y == -1~ || y == 0~) { return 0~; }
    return x % y;
}

fn div_$(x: $, y: $) -> $ {
    let q = quot_$(x, y);
    if ((x < 0~) != (y < 0~) && rem_$(x, y) != 0~) { return q - 1~; }
    return q;
}

fn mod_$(x: $, y: $) -> $ {
    let r = rem_$(x, y);
    if ((x < 0~) != (y < 0~) && r != 0~) { return r + y; }
    return r;
}

fn signum_$(x: $) -> $ { return select(select(0~, 1~, x > 0~), -1~, x < 0~); }

fn pow_$(x: $, y: $) -> $ { return bitcast<$>(pow_WORD(bitcast<WORD>(x), bitcast<WORD>(y))); }

fn shl_$(x: $, y: $, bits: u32) -> $ {
    if (bitcast<WORD>(y) >= WORD(bits)) { return 0~; }
    return x << u32(y);
}

fn shr_$(x: $, y: $, bits: u32) -> $ {
    if (bitcast<WORD>(y) >= WORD(bits)) { return select(0~, -1~, x < 0~); }
    return x >> u32(y);
}

fn ones_$(x: $, bits: u32) -> $ { return $(ones_WORD(bitcast<WORD>(x), bits)); }

fn leading_zeros_$(x: $, bits: u32) -> $ { return $(leading_zeros_WORD(bitcast<WORD>(x), bits)); }

fn trailing_zeros_$(x: $, bits: u32) -> $ { return $(trailing_zeros_WORD(bitcast<WORD>(x), bits)); }

fn mul_high_$(x: $, y: $, bits: u32) -> $ {
    if (bits < 32u) { return (x * y) >> bits; }
    var high = bitcast<$>(mul_high_WORD(bitcast<WORD>(x), bitcast<WORD>(y), bits));
    if (x < 0~) { high = high - y; }
    if (y < 0~) { high = high - x; }
    return high;
}
