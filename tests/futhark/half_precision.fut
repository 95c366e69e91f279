-- Half precision: numbers, conversions, overflow, bits, and derivatives in both modes.
-- ==
-- entry: arithmetic
-- input { 0.1f16 3f16 } output { 3.1f16 -2.9f16 0.2998f16 0.03333f16 0.001f16 1.732f16 }
-- input { 2048f16 1f16 } output { 2048f16 2047f16 2048f16 2048f16 2048f16 1f16 }
-- input { 65504f16 -6e-8f16 } output { 65504f16 65504f16 -0.003904f16 -f16.inf 1f16 f16.nan }
-- ==
-- entry: functions
-- input { 0.5f16 } output { [0.4795f16, 0.8774f16, 1.648f16, -0.6934f16, 0.4622f16, 0.5205f16] }
-- ==
-- entry: conversions
-- input { 2049i32 1e-7 0.1f32 1.5f16 }
-- output { 2048f16 1e-7f16 0.1f16 1.5f16 1f16 1i32 1u8 true 1.5f32 1.5f64 }
-- input { -70000i32 65520.0 65519.996f32 -300.5f16 }
-- output { -f16.inf f16.inf 65504f16 -300.5f16 1f16 -300i32 0u8 true -300.5f32 -300.5f64 }
-- ==
-- entry: members
-- input { } output { 65504f16 0.00006104f16 0.000977f16 3.14f16 2.719f16 16i32 1.001f16 6e-8f16 8f16 4f16 0.75f16 -2f16 }
-- ==
-- entry: bits
-- input { 1.5f16 } output { 15872u16 15360u16 1.5f16 -1.5f16 1i32 }
-- ==
-- entry: power
-- input { 2f16 3f16 } output { 8f16 12f16 5.547f16 }
-- ==
-- entry: overflow
-- input { 60000f16 } output { f16.inf 10f16 }
-- ==
-- entry: mixed
-- input { 0.1f16 [1.0, 2.0] } output { 2.999267578125 [0.0999755859375, 0.0999755859375] 3f16 }
-- ==
-- entry: sums
-- input { [1f16, 2f16, 3f16] }
-- output { 14f16 [2f16, 4f16, 6f16] [[2f16, 0f16, 0f16], [0f16, 2f16, 0f16], [0f16, 0f16, 2f16]] [1f16, 3f16, 6f16] [4f16, 2f16] }
-- input { empty([0]f16) } output { 0f16 empty([0]f16) empty([0][0]f16) empty([0]f16) [0f16, 0f16] }
-- ==
-- entry: over_numbers
-- input { 3f16 } output { 1.5f16 0.5f16 16896u16 }

entry arithmetic (x: f16) (y: f16) = (x + y, x - y, x * y, x / y, x ** y, f16.sqrt y)
entry functions (x: f16) = [f16.sin x, f16.cos x, f16.exp x, f16.log x, f16.tanh x, f16.erf x]
entry conversions (n: i32) (x: f64) (y: f32) (z: f16) =
  (f16.i32 n, f16.f64 x, f16.f32 y, f16.f16 z, f16.bool true, i32.f16 z, u8.f16 z, bool.f16 z, f32.f16 z, f64.f16 z)
entry members =
  ( f16.largest, f16.smallest, f16.epsilon, f16.pi, f16.e, f16.num_bits, f16.nextafter 1 2, f16.nextafter 0 1
  , f16.ldexp 1 3, f16.maximum [1, 4, 2], f16.from_fraction 3 4, f16.round (-2.5) )
entry bits (x: f16) =
  (f16.to_bits x, jvp f16.to_bits x 1, f16.from_bits (f16.to_bits x), f16.set_bit 15 x 1, f16.get_bit 9 x)
entry power (x: f16) (y: f16) =
  let (v, (dx, dy)) = vjp2 (\(x, y) -> x ** y) (x, y) 1
  in (v, dx, dy)
entry overflow (x: f16) = vjp2 (* 10) x 1
entry mixed [n] (k: f16) (xs: [n]f64) =
  let f (k: f16, xs) = 10 * f64.sum (map (* f64.f16 k) xs)
  let (v, (dk, dxs)) = vjp2 f (k, xs) 1
  in (v, map (/ 10) dxs, dk / 10)
entry sums [n] (xs: [n]f16) =
  let f xs = f16.sum (map (** 2) xs)
  in ( f xs, vjp f xs 1, map (\i -> jvp (\xs -> vjp f xs 1) xs (replicate n 0 with [i] = 1)) (iota n)
     , scan (+) 0 xs, reduce_by_index (replicate 2 0) (+) 0 (map (% 2) (iota n)) xs )

module halved (F: float) = {
  def half (x: F.t): F.t = F.(x / i32 2)
  def bits (x: F.t): F.int_t = F.to_bits x
}
module halved_f16 = halved f16
entry over_numbers (x: f16) = (halved_f16.half x, vjp halved_f16.half x 1, halved_f16.bits x)
