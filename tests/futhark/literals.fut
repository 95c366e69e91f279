-- Numbers as they are written.
-- ==
-- entry: whole
-- input { } output { 255 255 1000000 -128i8 255u8 65535u16 4294967295u32 18446744073709551615u64 97 7 -9223372036854775808i64 }
-- ==
-- entry: real
-- input { } output { 0.5 1.0 1e10 1.5e-3 3.0f32 0.1f32 8.0 -2.0 }
-- ==
-- entry: adopted
-- input { 3.0 } output { 7.0 2.0 }
-- ==
-- entry: special
-- input { } output { f64.inf -f64.inf true true }

entry whole =
  (0xff, 0b1111_1111, 1_000_000, -128i8, 255u8, 65535u16, 4294967295u32, 18446744073709551615u64, 'a', 0b111i32, -9223372036854775808i64)
entry real = (0.5, 1f64, 1e10, 1.5e-3, 3f32, 0.1f32, 0x1p3, -2f64)
-- A number without a kind takes the one around it.
entry adopted (x: f64) = let two = 2 in (two * x + 1, vjp (\x -> two * x + 1) x 1)
entry special = (f64.inf, -f64.inf, f64.isnan f64.nan, f64.isinf (1 / 0))
