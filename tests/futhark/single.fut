-- ==
-- entry: single
-- input { [1.5f32, 2f32] } output { 3.5f32 [1f32, 1f32] 0.5f32 }
entry single (xs: [2]f32) = (f32.sum xs, vjp f32.sum xs 1, f32.exp2 (-1))
