-- ==
-- entry: division
-- input { -7 2 } output { -4 1 -3 -1 }
-- input { 7 -2 } output { -4 -1 -3 1 }
-- input { 7 0 } error:
-- ==
-- entry: bits
-- input { 12 10 } output { 8 14 6 -13 48 3 }
-- ==
-- entry: wraps
-- input { 200u8 100u8 } output { 44u8 32u8 100u8 156u8 }
-- ==
-- entry: unsigned
-- input { 18446744073709551615u64 10u64 } output { 1844674407370955161u64 5u64 false 1.8446744073709552e19 18446744073709551615u64 }
-- input { 20u64 6u64 } output { 3u64 2u64 false 20.0 20u64 }
-- ==
-- entry: narrow
-- input { 100i8 } output { -56i8 -128i8 5i8 }
-- ==
-- entry: conversions
-- input { 300 -1.5 } output { 44u8 44i8 0u8 4294967295u32 18446744073709551615u64 65535u16 }
entry division (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)
entry bits (x: i32) (y: i32) = (x & y, x | y, x ^ y, i32.not x, x << 2, x >> 2)
entry wraps (x: u8) (y: u8) = (x + y, x * y, x - y, y - x)
entry unsigned (x: u64) (y: u64) = (x / y, x % y, x < y, f64.u64 x, u64.max x y)
entry narrow (x: i8) = (x + x, i8.lowest / (-1), x & 12 | 8 >> 3)
entry conversions (n: i32) (x: f64) = (u8.i32 n, i8.i32 n, u8.f64 x, u32.i32 (-1), u64.i64 (-1), u16.i32 (-1))
