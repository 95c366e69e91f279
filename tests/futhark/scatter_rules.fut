-- Scatters: what is overwritten has no derivative, what falls outside has none, the rest goes through.
-- ==
-- entry: through
-- input { [1.0, 2.0, 3.0, 4.0] [3i64, 0i64] [10.0, 20.0] [1.0, 2.0, 3.0, 4.0] }
-- output { [20.0, 2.0, 3.0, 10.0] [0.0, 2.0, 3.0, 0.0] [4.0, 1.0] }
-- input { [1.0, 2.0] [7i64, -1i64] [10.0, 20.0] [1.0, 2.0] }
-- output { [1.0, 2.0] [1.0, 2.0] [0.0, 0.0] }
-- input { [1.0, 2.0] empty([0]i64) empty([0]f64) [1.0, 2.0] }
-- output { [1.0, 2.0] [1.0, 2.0] empty([0]f64) }
-- ==
-- entry: forward
-- input { [1.0, 2.0, 3.0, 4.0] [3i64, 9i64] [10.0, 20.0] } output { [1.0, 2.0, 3.0, 100.0] }
-- ==
-- entry: same_twice
-- input { [1.0, 2.0] [5.0, 5.0] } output { [5.0, 2.0] [0.0, 1.0] }
-- ==
-- entry: permuted
-- input { [1.0, 2.0, 3.0] [2i64, 0i64, 1i64] } output { [4.0, 9.0, 1.0] [2.0, 4.0, 6.0] }
-- ==
-- entry: planes
-- input { [1.0, 2.0, 3.0] } output { [[0.0, 1.0], [3.0, 0.0]] [2.0, 0.0, 3.0] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[0.0, 0.0], [3.0, 4.0], [1.0, 2.0]] [[5.0, 6.0], [3.0, 4.0]] }
-- ==
-- entry: tuples
-- input { [1.0, 2.0] [3f32, 4f32] } output { [0.0, 2.0, 1.0] [0f32, 4f32, 3f32] [3.0, 2.0] [1f32, 1f32] }
-- ==
-- entry: spread_out
-- input { [1.0, 2.0] } output { [7.0, 2.0, 1.0] [3.0, 2.0] }
-- ==
-- entry: in_loop
-- input { [1.0, 2.0, 3.0] } output { [2.0, 6.0, 12.0] [2.0, 3.0, 4.0] }

entry through [n] [m] (xs: [n]f64) (is: [m]i64) (vs: [m]f64) (seed: [n]f64) =
  let f (xs: [n]f64, vs) = scatter (copy xs) is vs
  let (v, (dx, dv)) = vjp2 f (xs, vs) seed
  in (v, dx, dv)
entry forward [n] [m] (xs: [n]f64) (is: [m]i64) (vs: [m]f64) =
  jvp (\(xs: [n]f64, vs) -> scatter (copy xs) is vs) (xs, vs) (xs, map (* 10) vs)
-- Equal values may be written to one place.
entry same_twice (xs: [2]f64) (vs: [2]f64) =
  let f (xs: [2]f64) = scatter (copy xs) [0, 0] vs
  in vjp2 f xs [1, 1]
entry permuted [n] (xs: [n]f64) (is: [n]i64) =
  vjp2 (\xs -> scatter (replicate n 0) is (map (\x -> x * x) xs)) xs (replicate n 1)
entry planes (xs: [3]f64) =
  let f (xs: [3]f64) = scatter_2d (replicate 2 (replicate 2 0)) [(0, 1), (2, 0), (1, 0)] xs
  in (f xs, vjp f xs [[1, 2], [3, 4]])
entry rows (xss: [2][2]f64) =
  let f (xss: [2][2]f64) = scatter (replicate 3 [0, 0]) [2, 1] xss
  in (f xss, vjp f xss [[1, 2], [3, 4], [5, 6]])
entry tuples (xs: [2]f64) (ys: [2]f32) =
  let f (xs: [2]f64, ys: [2]f32) = unzip (scatter (replicate 3 (0, 0)) [2, 1] (zip xs ys))
  let ((a, b), (c, d)) = vjp2 f (xs, ys) ([1, 2, 3], [1, 1, 1])
  in (a, b, c, d)
entry spread_out (xs: [2]f64) = vjp2 (spread 3 7 [2, 1]) xs [1, 2, 3]
entry in_loop [n] (xs: [n]f64) =
  let f (xs: [n]f64) =
    loop acc = replicate n 0 for i < n do scatter acc [i] [xs[i] * f64.i64 (i + 2)]
  in vjp2 f xs (replicate n 1)
