-- Conversions convert what is derived along with them, but for what is rounded and becomes a real again.
-- ==
-- entry: down
-- input { 1.0 } output { 1 1.0 1i64 1f32 1u8 true }
-- ==
-- entry: up
-- input { 3 } output { 1.0 1 1.0f32 1i64 }
-- ==
-- entry: round_trip
-- input { 2.75 } output { 2.0 0.0 0.0 }
-- ==
-- entry: flat
-- input { 2.75 } output { 0.0 0.0 0.0 0.0 0.0 0.0 }
-- ==
-- entry: mixed
-- input { 2f32 3.0 } output { 6.0 3f32 2.0 }
-- ==
-- entry: of_truth
-- input { true } output { 1.0 true }
-- ==
-- entry: bits_forward
-- input { 2f32 } output { 1065353216u32 1f32 }

entry down (x: f64) =
  ( jvp i32.f64 x 1, vjp i32.f64 x 1, jvp i64.f64 x 1, jvp f32.f64 x 1, jvp u8.f64 x 1, jvp bool.f64 x 1 )
entry up (x: i32) = (jvp f64.i32 x 1, vjp f64.i32 x 1, jvp f32.i32 x 1, jvp i64.i32 x 1)
entry round_trip (x: f64) =
  let f x = f64.i32 (i32.f64 x)
  in (f x, jvp f x 1, vjp f x 1)
entry flat (x: f64) =
  (jvp f64.floor x 1, vjp f64.ceil x 1, jvp f64.round x 1, vjp f64.trunc x 1, jvp f64.sgn x 1, vjp f64.sgn x 1)
entry mixed (x: f32) (y: f64) =
  let (v, (dx, dy)) = vjp2 (\(x, y) -> f64.f32 x * y) (x, y) 1
  in (v, dx, dy)
entry of_truth (b: bool) = (jvp f64.bool b true, vjp f64.bool b 1)
entry bits_forward (x: f32) = (jvp f32.to_bits x 1, vjp f32.to_bits x 1065353216)
