-- Single precision, and values and derivatives of two precisions at once.
-- ==
-- entry: f32_only
-- input { 2f32 3f32 } output { 8f32 12f32 5.545177f32 }
-- ==
-- entry: transcendental
-- input { 0.5f32 } output { [0.87758255f32, 1.6487213f32, 2f32, 0.70710677f32] }
-- ==
-- entry: mixed
-- input { 0.1f32 [1.0, 2.0] } output { 3.0000000447034836 [0.10000000149011612, 0.10000000149011612] 3f32 }
-- ==
-- entry: sums
-- input { [1f32, 2f32, 3f32] } output { 14f32 [2f32, 4f32, 6f32] [[2f32, 0f32, 0f32], [0f32, 2f32, 0f32], [0f32, 0f32, 2f32]] }
-- ==
-- entry: overflow
-- input { 3e38f32 } output { f32.inf 10f32 }

entry f32_only (x: f32) (y: f32) =
  let (v, (dx, dy)) = vjp2 (\(x, y) -> x ** y) (x, y) 1
  in (v, dx, dy)
entry transcendental (x: f32) =
  [jvp f32.sin x 1, jvp f32.exp x 1, jvp f32.log x 1, jvp f32.sqrt x 1]
entry mixed [n] (k: f32) (xs: [n]f64) =
  let f (k: f32, xs) = 10 * f64.sum (map (* f64.f32 k) xs)
  let (v, (dk, dxs)) = vjp2 f (k, xs) 1
  in (v, map (/ 10) dxs, dk / 10)
entry sums [n] (xs: [n]f32) =
  let f xs = f32.sum (map (** 2) xs)
  in (f xs, vjp f xs 1, map (\i -> jvp (\xs -> vjp f xs 1) xs (replicate n 0 with [i] = 1)) (iota n))
entry overflow (x: f32) = vjp2 (* 10) x 1
