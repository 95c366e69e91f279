-- What surprises: derivatives of what is not smooth, or not real.
-- ==
-- entry: whole
-- input { 3 true } output { 6 6 true true 27 }
-- ==
-- entry: converted
-- input { 2.75 } output { 1 1.0 0.0 0.0 0.0 0.0 }
-- ==
-- entry: compared
-- input { 1.0 2.0 } output { false 0.0 false 2.0 }
-- ==
-- entry: indices
-- input { [1.0, 2.0, 3.0] [2i64, 0i64] } output { [1.0, 0.0, 1.0] [0i64, 0i64] }
-- ==
-- entry: ties
-- input { 2.0 } output { 1.0 0.0 1.0 0.0 [1.0, 0.0, 0.0] [0.0, 1.0] [1.0, 0.0] [0.0, 0.0, 0.0] }
-- ==
-- entry: powers
-- input { 0.0 } output { [1.0, 0.0] [0.0, 0.0] [0.0, 0.0] [0.0, 0.0] }
-- ==
-- entry: outside
-- input { [1.0, 2.0, 3.0] } output { [2.0, 0.0, 0.0] [0.0, 1.0, 0.0] [1.0, 0.0] }
-- ==
-- entry: size
-- input { 4i64 } output { 0i64 0i64 }
-- ==
-- entry: golden
-- input { 1.0 } output { 3.2360679774997896 2.0 }

entry whole (x: i32) (b: bool) =
  (vjp (\x -> x * x) x 1, jvp (\x -> x * x) x 1, jvp (\b -> !b) b true, jvp (\b -> b && true) b true, jvp (\x -> x * x * x) x 1)
entry converted (x: f64) =
  ( jvp i32.f64 x 1, vjp i32.f64 x 1, jvp f64.ceil x 1, jvp f64.floor x 1, jvp f64.round x 1
  , vjp (\x -> f64.i64 (i64.f64 x)) x 1 )
entry compared (x: f64) (y: f64) =
  let f (b: bool, x: f64) = if b then 2 * x else x
  let (b, d) = vjp f (true, x) 1
  in (jvp (\x -> x < y) x 1, vjp (\x -> x == y) x true, b, d)
entry indices (xs: [3]f64) (is: [2]i64) = vjp (\(xs: [3]f64, is: [2]i64) -> f64.sum (map (\i -> xs[i]) is)) (xs, is) 1
entry ties (x: f64) =
  let (a, b) = vjp (\(x, y) -> f64.min x y) (x, x) 1
  let (c, d) = vjp (\(x, y) -> f64.max x y) (x, x) 1
  let e = vjp f64.minimum [x, x, x] 1
  let bins op (start: f64) = vjp (\(d: [2]f64, v: [3]f64) -> reduce_by_index (copy d) op start [0, 0, 1] v) ([x, 1], [x, x, 1]) [1, 0]
  let (f, g) = bins f64.max (-f64.inf)
  in (a, b, c, d, e, reverse f, f, g)
entry powers (x: f64) =
  let d (y: f64) = let (a, b) = vjp (\(x, y) -> x ** y) (x, y) 1 in [a, b]
  in (d 1, d 0, d 0.5, d 2)
entry outside (xs: [3]f64) =
  let f (d: [2]f64, xs: [3]f64) = scatter (copy d) [1, 2, -1] xs
  let (dd, dxs) = vjp f ([0, 0], xs) [1, 2]
  in (dxs, vjp (\xs -> f64.sum (reduce_by_index [0, 0] (+) 0 [7, 1, -1] xs)) xs 1, dd)
entry size (n: i64) = (vjp (\n -> i64.sum (replicate n 3)) n 1, jvp (\n -> i64.sum (replicate n 3)) n 1)
-- The derivative given is 1 + sqrt 5, and 2 is the right one.
entry golden (x: f64) =
  let f x = with_vjp (\x -> 2 * x) (\_ y -> y * (1 + f64.sqrt 5)) x
  in (vjp f x 1, jvp f x 1)
