// Integers without a sign, of 32 and of 64 bits, as those with one are.

fn quot_$(x: $, y: $) -> $ {
    if (y == 0~) { return 0~; }
    return x / y;
}

fn rem_$(x: $, y: $) -> $ {
    if (y == 0~) { return 0~; }
    return x % y;
}

fn div_$(x: $, y: $) -> $ { return quot_$(x, y); }

fn mod_$(x: $, y: $) -> $ { return rem_$(x, y); }

fn signum_$(x: $) -> $ { return select(0~, 1~, x > 0~); }

fn pow_$(x: $, y: $) -> $ {
    var power = 1~;
    var base = x;
    var left = y;
    while (left != 0~) {
        if ((left & 1~) == 1~) { power = power * base; }
        base = base * base;
        left = left >> 1u;
    }
    return power;
}

fn shl_$(x: $, y: $, bits: u32) -> $ {
    if (y >= $(bits)) { return 0~; }
    return x << u32(y);
}

fn shr_$(x: $, y: $, bits: u32) -> $ {
    if (y >= $(bits)) { return 0~; }
    return x >> u32(y);
}

// By halves, of which no product is too large.
fn mul_high_$(x: $, y: $, bits: u32) -> $ {
    if (bits < 32u) { return (x * y) >> bits; }
    let x0 = x & LOWER_HALF_$;
    let x1 = x >> (bits / 2u);
    let y0 = y & LOWER_HALF_$;
    let y1 = y >> (bits / 2u);
    let middle = x1 * y0 + ((x0 * y0) >> (bits / 2u));
    let other = x0 * y1 + (middle & LOWER_HALF_$);
    return x1 * y1 + (middle >> (bits / 2u)) + (other >> (bits / 2u));
}
