-- Conversions between all kinds of number, at the ends of each. An integer that becomes one without a sign, and is wider, gets
-- zeros before its bits; among those with a sign, its sign. Reals are cut towards 0, and at the ends of the kind; what is infinite or NaN becomes 0.
-- ==
-- entry: of_i8
-- input { -128i8 } output { -128i8 -128i16 -128i32 -128i64 128u8 128u16 128u32 128u64 true }
-- input { -127i8 } output { -127i8 -127i16 -127i32 -127i64 129u8 129u16 129u32 129u64 true }
-- input { -1i8 } output { -1i8 -1i16 -1i32 -1i64 255u8 255u16 255u32 255u64 true }
-- input { -2i8 } output { -2i8 -2i16 -2i32 -2i64 254u8 254u16 254u32 254u64 true }
-- input { 0i8 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1i8 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 126i8 } output { 126i8 126i16 126i32 126i64 126u8 126u16 126u32 126u64 true }
-- input { 127i8 } output { 127i8 127i16 127i32 127i64 127u8 127u16 127u32 127u64 true }
-- input { 5i8 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- ==
-- entry: of_i16
-- input { -32768i16 } output { 0i8 -32768i16 -32768i32 -32768i64 0u8 32768u16 32768u32 32768u64 true }
-- input { -32767i16 } output { 1i8 -32767i16 -32767i32 -32767i64 1u8 32769u16 32769u32 32769u64 true }
-- input { -1i16 } output { -1i8 -1i16 -1i32 -1i64 255u8 65535u16 65535u32 65535u64 true }
-- input { -2i16 } output { -2i8 -2i16 -2i32 -2i64 254u8 65534u16 65534u32 65534u64 true }
-- input { 0i16 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1i16 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 32766i16 } output { -2i8 32766i16 32766i32 32766i64 254u8 32766u16 32766u32 32766u64 true }
-- input { 32767i16 } output { -1i8 32767i16 32767i32 32767i64 255u8 32767u16 32767u32 32767u64 true }
-- input { 5i16 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- ==
-- entry: of_i32
-- input { -2147483648i32 } output { 0i8 0i16 -2147483648i32 -2147483648i64 0u8 0u16 2147483648u32 2147483648u64 true }
-- input { -2147483647i32 } output { 1i8 1i16 -2147483647i32 -2147483647i64 1u8 1u16 2147483649u32 2147483649u64 true }
-- input { -1i32 } output { -1i8 -1i16 -1i32 -1i64 255u8 65535u16 4294967295u32 4294967295u64 true }
-- input { -2i32 } output { -2i8 -2i16 -2i32 -2i64 254u8 65534u16 4294967294u32 4294967294u64 true }
-- input { 0i32 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1i32 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 2147483646i32 } output { -2i8 -2i16 2147483646i32 2147483646i64 254u8 65534u16 2147483646u32 2147483646u64 true }
-- input { 2147483647i32 } output { -1i8 -1i16 2147483647i32 2147483647i64 255u8 65535u16 2147483647u32 2147483647u64 true }
-- input { 5i32 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- ==
-- entry: of_i64
-- input { -9223372036854775808i64 } output { 0i8 0i16 0i32 -9223372036854775808i64 0u8 0u16 0u32 9223372036854775808u64 true }
-- input { -9223372036854775807i64 } output { 1i8 1i16 1i32 -9223372036854775807i64 1u8 1u16 1u32 9223372036854775809u64 true }
-- input { -1i64 } output { -1i8 -1i16 -1i32 -1i64 255u8 65535u16 4294967295u32 18446744073709551615u64 true }
-- input { -2i64 } output { -2i8 -2i16 -2i32 -2i64 254u8 65534u16 4294967294u32 18446744073709551614u64 true }
-- input { 0i64 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1i64 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 9223372036854775806i64 } output { -2i8 -2i16 -2i32 9223372036854775806i64 254u8 65534u16 4294967294u32 9223372036854775806u64 true }
-- input { 9223372036854775807i64 } output { -1i8 -1i16 -1i32 9223372036854775807i64 255u8 65535u16 4294967295u32 9223372036854775807u64 true }
-- input { 5i64 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- ==
-- entry: of_u8
-- input { 0u8 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1u8 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 5u8 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- input { 127u8 } output { 127i8 127i16 127i32 127i64 127u8 127u16 127u32 127u64 true }
-- input { 128u8 } output { -128i8 128i16 128i32 128i64 128u8 128u16 128u32 128u64 true }
-- input { 254u8 } output { -2i8 254i16 254i32 254i64 254u8 254u16 254u32 254u64 true }
-- input { 255u8 } output { -1i8 255i16 255i32 255i64 255u8 255u16 255u32 255u64 true }
-- ==
-- entry: of_u16
-- input { 0u16 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1u16 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 5u16 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- input { 32767u16 } output { -1i8 32767i16 32767i32 32767i64 255u8 32767u16 32767u32 32767u64 true }
-- input { 32768u16 } output { 0i8 -32768i16 32768i32 32768i64 0u8 32768u16 32768u32 32768u64 true }
-- input { 65534u16 } output { -2i8 -2i16 65534i32 65534i64 254u8 65534u16 65534u32 65534u64 true }
-- input { 65535u16 } output { -1i8 -1i16 65535i32 65535i64 255u8 65535u16 65535u32 65535u64 true }
-- ==
-- entry: of_u32
-- input { 0u32 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1u32 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 5u32 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- input { 2147483647u32 } output { -1i8 -1i16 2147483647i32 2147483647i64 255u8 65535u16 2147483647u32 2147483647u64 true }
-- input { 2147483648u32 } output { 0i8 0i16 -2147483648i32 2147483648i64 0u8 0u16 2147483648u32 2147483648u64 true }
-- input { 4294967294u32 } output { -2i8 -2i16 -2i32 4294967294i64 254u8 65534u16 4294967294u32 4294967294u64 true }
-- input { 4294967295u32 } output { -1i8 -1i16 -1i32 4294967295i64 255u8 65535u16 4294967295u32 4294967295u64 true }
-- ==
-- entry: of_u64
-- input { 0u64 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 1u64 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { 5u64 } output { 5i8 5i16 5i32 5i64 5u8 5u16 5u32 5u64 true }
-- input { 9223372036854775807u64 } output { -1i8 -1i16 -1i32 9223372036854775807i64 255u8 65535u16 4294967295u32 9223372036854775807u64 true }
-- input { 9223372036854775808u64 } output { 0i8 0i16 0i32 -9223372036854775808i64 0u8 0u16 0u32 9223372036854775808u64 true }
-- input { 18446744073709551614u64 } output { -2i8 -2i16 -2i32 -2i64 254u8 65534u16 4294967294u32 18446744073709551614u64 true }
-- input { 18446744073709551615u64 } output { -1i8 -1i16 -1i32 -1i64 255u8 65535u16 4294967295u32 18446744073709551615u64 true }
-- ==
-- entry: of_f64
-- input { 0.0 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 0.75 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { -0.75 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { 1.5 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { -1.5 } output { -1i8 -1i16 -1i32 -1i64 0u8 0u16 0u32 0u64 true }
-- input { 127.5 } output { 127i8 127i16 127i32 127i64 127u8 127u16 127u32 127u64 true }
-- input { 128.0 } output { 127i8 128i16 128i32 128i64 128u8 128u16 128u32 128u64 true }
-- input { -129.0 } output { -128i8 -129i16 -129i32 -129i64 0u8 0u16 0u32 0u64 true }
-- input { 255.5 } output { 127i8 255i16 255i32 255i64 255u8 255u16 255u32 255u64 true }
-- input { 256.0 } output { 127i8 256i16 256i32 256i64 255u8 256u16 256u32 256u64 true }
-- input { 32768.0 } output { 127i8 32767i16 32768i32 32768i64 255u8 32768u16 32768u32 32768u64 true }
-- input { 65536.0 } output { 127i8 32767i16 65536i32 65536i64 255u8 65535u16 65536u32 65536u64 true }
-- input { -32769.0 } output { -128i8 -32768i16 -32769i32 -32769i64 0u8 0u16 0u32 0u64 true }
-- input { 2147483648.0 } output { 127i8 32767i16 2147483647i32 2147483648i64 255u8 65535u16 2147483648u32 2147483648u64 true }
-- input { 4294967296.0 } output { 127i8 32767i16 2147483647i32 4294967296i64 255u8 65535u16 4294967295u32 4294967296u64 true }
-- input { 1e+19 } output { 127i8 32767i16 2147483647i32 9223372036854775807i64 255u8 65535u16 4294967295u32 10000000000000000000u64 true }
-- input { -1e+19 } output { -128i8 -32768i16 -2147483648i32 -9223372036854775808i64 0u8 0u16 0u32 0u64 true }
-- input { 2e+19 } output { 127i8 32767i16 2147483647i32 9223372036854775807i64 255u8 65535u16 4294967295u32 18446744073709551615u64 true }
-- input { f64.inf } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { -f64.inf } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { f64.nan } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- ==
-- entry: of_f32
-- input { 0.0f32 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 false }
-- input { 0.75f32 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { -0.75f32 } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { 1.5f32 } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 true }
-- input { -1.5f32 } output { -1i8 -1i16 -1i32 -1i64 0u8 0u16 0u32 0u64 true }
-- input { 127.5f32 } output { 127i8 127i16 127i32 127i64 127u8 127u16 127u32 127u64 true }
-- input { 128.0f32 } output { 127i8 128i16 128i32 128i64 128u8 128u16 128u32 128u64 true }
-- input { -129.0f32 } output { -128i8 -129i16 -129i32 -129i64 0u8 0u16 0u32 0u64 true }
-- input { 255.5f32 } output { 127i8 255i16 255i32 255i64 255u8 255u16 255u32 255u64 true }
-- input { 256.0f32 } output { 127i8 256i16 256i32 256i64 255u8 256u16 256u32 256u64 true }
-- input { 32768.0f32 } output { 127i8 32767i16 32768i32 32768i64 255u8 32768u16 32768u32 32768u64 true }
-- input { 65536.0f32 } output { 127i8 32767i16 65536i32 65536i64 255u8 65535u16 65536u32 65536u64 true }
-- input { -32769.0f32 } output { -128i8 -32768i16 -32769i32 -32769i64 0u8 0u16 0u32 0u64 true }
-- input { 2147483648.0f32 } output { 127i8 32767i16 2147483647i32 2147483648i64 255u8 65535u16 2147483648u32 2147483648u64 true }
-- input { 4294967296.0f32 } output { 127i8 32767i16 2147483647i32 4294967296i64 255u8 65535u16 4294967295u32 4294967296u64 true }
-- input { f32.inf } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { -f32.inf } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- input { f32.nan } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 true }
-- ==
-- entry: of_bool
-- input { false } output { 0i8 0i16 0i32 0i64 0u8 0u16 0u32 0u64 0.0f32 0.0 }
-- input { true } output { 1i8 1i16 1i32 1i64 1u8 1u16 1u32 1u64 1.0f32 1.0 }
-- ==
-- entry: real_of_i8
-- input { -128i8 } output { -128.0 1.0 }
-- input { 127i8 } output { 127.0 1.0 }
-- input { 1i8 } output { 1.0 1.0 }
-- ==
-- entry: real_of_i16
-- input { -32768i16 } output { -32768.0 1.0 }
-- input { 32767i16 } output { 32767.0 1.0 }
-- input { 1i16 } output { 1.0 1.0 }
-- ==
-- entry: real_of_i32
-- input { -2147483648i32 } output { -2147483648.0 1.0 }
-- input { 2147483647i32 } output { 2147483647.0 1.0 }
-- input { 1i32 } output { 1.0 1.0 }
-- ==
-- entry: real_of_i64
-- input { -9223372036854775808i64 } output { -9.223372036854776e+18 1.0 }
-- input { 9223372036854775807i64 } output { 9.223372036854776e+18 1.0 }
-- input { 1i64 } output { 1.0 1.0 }
-- ==
-- entry: real_of_u8
-- input { 0u8 } output { 0.0 1.0 }
-- input { 255u8 } output { 255.0 1.0 }
-- input { 1u8 } output { 1.0 1.0 }
-- ==
-- entry: real_of_u16
-- input { 0u16 } output { 0.0 1.0 }
-- input { 65535u16 } output { 65535.0 1.0 }
-- input { 1u16 } output { 1.0 1.0 }
-- ==
-- entry: real_of_u32
-- input { 0u32 } output { 0.0 1.0 }
-- input { 4294967295u32 } output { 4294967295.0 1.0 }
-- input { 1u32 } output { 1.0 1.0 }
-- ==
-- entry: real_of_u64
-- input { 0u64 } output { 0.0 1.0 }
-- input { 18446744073709551615u64 } output { 1.8446744073709552e+19 1.0 }
-- input { 1u64 } output { 1.0 1.0 }

entry of_i8 (x: i8) = (i8.i8 x, i16.i8 x, i32.i8 x, i64.i8 x, u8.i8 x, u16.i8 x, u32.i8 x, u64.i8 x, bool.i8 x)
entry of_i16 (x: i16) = (i8.i16 x, i16.i16 x, i32.i16 x, i64.i16 x, u8.i16 x, u16.i16 x, u32.i16 x, u64.i16 x, bool.i16 x)
entry of_i32 (x: i32) = (i8.i32 x, i16.i32 x, i32.i32 x, i64.i32 x, u8.i32 x, u16.i32 x, u32.i32 x, u64.i32 x, bool.i32 x)
entry of_i64 (x: i64) = (i8.i64 x, i16.i64 x, i32.i64 x, i64.i64 x, u8.i64 x, u16.i64 x, u32.i64 x, u64.i64 x, bool.i64 x)
entry of_u8 (x: u8) = (i8.u8 x, i16.u8 x, i32.u8 x, i64.u8 x, u8.u8 x, u16.u8 x, u32.u8 x, u64.u8 x, bool.u8 x)
entry of_u16 (x: u16) = (i8.u16 x, i16.u16 x, i32.u16 x, i64.u16 x, u8.u16 x, u16.u16 x, u32.u16 x, u64.u16 x, bool.u16 x)
entry of_u32 (x: u32) = (i8.u32 x, i16.u32 x, i32.u32 x, i64.u32 x, u8.u32 x, u16.u32 x, u32.u32 x, u64.u32 x, bool.u32 x)
entry of_u64 (x: u64) = (i8.u64 x, i16.u64 x, i32.u64 x, i64.u64 x, u8.u64 x, u16.u64 x, u32.u64 x, u64.u64 x, bool.u64 x)
entry of_f64 (x: f64) = (i8.f64 x, i16.f64 x, i32.f64 x, i64.f64 x, u8.f64 x, u16.f64 x, u32.f64 x, u64.f64 x, bool.f64 x)
entry of_f32 (x: f32) = (i8.f32 x, i16.f32 x, i32.f32 x, i64.f32 x, u8.f32 x, u16.f32 x, u32.f32 x, u64.f32 x, bool.f32 x)
entry of_bool (b: bool) = (i8.bool b, i16.bool b, i32.bool b, i64.bool b, u8.bool b, u16.bool b, u32.bool b, u64.bool b, f32.bool b, f64.bool b)
entry real_of_i8 (x: i8) = (f64.i8 x, vjp f64.i8 x 1 |> f64.i8)
entry real_of_i16 (x: i16) = (f64.i16 x, vjp f64.i16 x 1 |> f64.i16)
entry real_of_i32 (x: i32) = (f64.i32 x, vjp f64.i32 x 1 |> f64.i32)
entry real_of_i64 (x: i64) = (f64.i64 x, vjp f64.i64 x 1 |> f64.i64)
entry real_of_u8 (x: u8) = (f64.u8 x, vjp f64.u8 x 1 |> f64.u8)
entry real_of_u16 (x: u16) = (f64.u16 x, vjp f64.u16 x 1 |> f64.u16)
entry real_of_u32 (x: u32) = (f64.u32 x, vjp f64.u32 x 1 |> f64.u32)
entry real_of_u64 (x: u64) = (f64.u64 x, vjp f64.u64 x 1 |> f64.u64)
