// Real numbers as integers: towards 0, to the nearest that there is, and NaN is 0.

fn i32_of_$(x: $) -> i32 {
    if (x >= 2147483648.0~) { return 2147483647i; }
    if (x > -2147483648.0~) { return i32(x); }
    return select(0i, (-2147483647i - 1i), x <= -2147483648.0~);
}

fn u32_of_$(x: $) -> u32 {
    if (x >= 4294967296.0~) { return 4294967295u; }
    if (x > 0.0~) { return u32(x); }
    return 0u;
}

fn i64_of_$(x: $) -> i64 {
    if (x >= 9223372036854775808.0~) { return 9223372036854775807li; }
    if (x > -9223372036854775808.0~) { return i64(x); }
    return select(0li, (-9223372036854775807li - 1li), x <= -9223372036854775808.0~);
}

fn u64_of_$(x: $) -> u64 {
    if (x >= 18446744073709551616.0~) { return 18446744073709551615lu; }
    if (x > 0.0~) { return u64(x); }
    return 0lu;
}
