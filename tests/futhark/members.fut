-- ==
-- entry: reals
-- input { 2.25 -1.5 } output { 1.5 2i32 -1i64 1.5 -2.0 -1.0 2.25 true }
-- ==
-- entry: folds
-- input { [3, 1, 2] } output { 6 6 3 1 }
-- input { empty([0]i32) } output { 0 1 -2147483648 2147483647 }
-- ==
-- entry: bounds
-- input { } output { 255u8 -128i8 4294967295u32 18446744073709551615u64 }
entry reals (x: f64) (y: f64) =
  (f64.sqrt x, i32.f64 x, i64.f64 y, f64.abs y, f64.floor y, f64.ceil y, f64.max x y, f64.min x y < 0)
entry folds [n] (xs: [n]i32) = (i32.sum xs, i32.product xs, i32.maximum xs, i32.minimum xs)
entry bounds = (u8.highest, i8.lowest, u32.highest, u64.highest)
