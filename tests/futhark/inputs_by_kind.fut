-- Numbers in inputs that say no kind are of the kind that the parameter has, written or inferred.
-- ==
-- entry: every
-- input { 1 2 3 4 3000000000 } output { 10f32 }
-- input { 255 -2 0.5 1e1 0xff } output { 263.5f32 }
-- input { 1u8 2i64 3f32 4f16 5u32 } output { 10f32 }
-- input { 1i8 2 3 4 5 } error: i8 is given
-- input { 1.5 2 3 4 5 } error: f64 is given
-- ==
-- entry: arrays inferred
-- input { [1, 2, 3] [[1.0, 0.1]] } output { 7.1f32 }
entry every (a: u8) (b: i64) (c: f32) (d: f16) (_: u32) = f32.u8 a + f32.i64 b + c + f32.f16 d
entry arrays (xs: []u16) (yss: [][]f32) = f32.u16 (u16.sum xs) + f32.sum (flatten yss)
entry inferred xs yss = arrays xs yss
