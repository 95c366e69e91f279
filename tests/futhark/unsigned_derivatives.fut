-- ==
-- entry: all
-- input { 7u64 3u64 200u8 3u8 } auto output
-- input { 18446744073709551615u64 9223372036854775809u64 255u8 0u8 } auto output
entry all (x: u64) (y: u64) (a: u8) (b: u8) =
  ( (x * y, x + y, x - y, x / y, x % y, x >> 3, x << 2, x & y, x ^ y, u64.max x y, u64.min x y, x < y, x <= y, u64.not x)
  , (a * b, a + b, a - b, a >> 3, a << 2, a & b, u8.max a b, u8.min a b, u8.not a, u8.sgn a, u8.abs a)
  , (f32.u64 x, f64.u64 x, i32.u64 x, u8.u64 x, u64.f64 (f64.u64 x * 0.5), i8.u8 a, i64.u8 a, u64.i8 (i8.u8 a), u16.i8 (i8.u8 a))
  , vjp (\(a, b) -> a * b + a) (a, b) 1
  , vjp (\(x, y) -> x * y + x) (x, y) 1
  , jvp (\(x, y) -> x * y - x) (x, y) (1, 2) )
