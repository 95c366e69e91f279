-- Tangents of bits are the bits of tangents; a real made of the bits of another is constant.
-- ==
-- entry: pattern
-- input { 1.5f32 } output { 1069547520u32 1065353216u32 1.5f32 }
-- ==
-- entry: back
-- input { 2.5 } output { 2.5 0.0 0.0 }
entry pattern (x: f32) = (f32.to_bits x, jvp f32.to_bits x 1, f32.from_bits (f32.to_bits x))
entry back (x: f64) =
  let f x = f64.from_bits (f64.to_bits x)
  in (f x, jvp f x 1, vjp f x 1)
