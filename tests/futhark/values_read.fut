-- Values as they are written: not finite, hexadecimal, empty.
-- ==
-- entry: main
-- input { f32.nan f64.inf -f64.inf empty([0]f64) empty([0][3]i32) [true, false] 1e2 0x10 1_000i64 97u8 }
-- output { true true true 0i64 0i64 3i64 [false,true] 100.0 16 1000i64 97u8 }
entry main [k] (a: f32) (b: f64) (c: f64) (d: []f64) (e: [][k]i32) (f: []bool) (g: f64) (h: i32) (i: i64) (j: u8) =
 (f32.isnan a, f64.isinf b, c < 0, length d, length e, k, map (!) f, g, h, i, j)
