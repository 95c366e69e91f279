-- Maps whose functions mention what is outside: scalars, arrays, both as argument and free, nested.
-- ==
-- entry: scalar
-- input { 3.0 [1.0, 2.0] } output { 9.0 [3.0, 6.0] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] [5.0, 6.0] } output { [17.0, 39.0] [[5.0, 6.0], [5.0, 6.0]] [4.0, 6.0] }
-- ==
-- entry: only_free
-- input { [1.0, 2.0, 3.0] } output { [12.0, 12.0, 12.0] }
-- ==
-- entry: as_both
-- input { [1.0, 2.0, 3.0] } output { 36.0 [12.0, 12.0, 12.0] }
-- ==
-- entry: outer
-- input { [1.0, 2.0] [3.0, 4.0, 5.0] } output { [12.0, 12.0] [3.0, 3.0, 3.0] }
-- ==
-- entry: nested_updates
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[7.0, 0.0], [7.0, 0.0]] [[0.0, 2.0], [0.0, 0.0]] }
-- ==
-- entry: two_results
-- input { [1.0, 2.0] } output { [1.0, 8.0] [2.0, 4.0] [5.0, 14.0] }
-- ==
-- entry: unused
-- input { [1.0, 2.0] 3.0 } output { [0.0, 0.0] 2.0 }
-- ==
-- entry: nothing
-- input { empty([0]f64) 3.0 } output { empty([0]f64) 0.0 }

entry scalar (k: f64) (xs: []f64) = vjp (\(k, xs) -> f64.sum (map (\x -> k * x * x / 1) xs)) (k, xs) 1 |> \(dk, dxs) -> (dk + 4, map (/ 2) dxs)
entry rows [n] [m] (a: [n][m]f64) (v: [m]f64) =
  let f (a: [n][m]f64, v: [m]f64) = map (\r -> f64.sum (map2 (*) r v)) a
  let (r, (da, dv)) = vjp2 f (a, v) (replicate n 1)
  in (r, da, dv)
entry only_free [n] (xs: [n]f64) = vjp (\xs -> f64.sum (map (\i -> f64.sum xs * f64.i64 i + xs[0] * 0 + f64.i64 (n - n)) (iota n))) xs 1 |> map (* 4)
entry as_both [n] (xs: [n]f64) = vjp2 (\xs -> f64.sum (map (\x -> x * f64.sum xs) xs)) xs 1
entry outer [n] [m] (xs: [n]f64) (ys: [m]f64) =
  vjp (\(xs: [n]f64, ys: [m]f64) -> map (\x -> map (\y -> x * y) ys) xs |> map f64.sum |> f64.sum) (xs, ys) 1
entry nested_updates (xss: [2][2]f64) =
  let f (xss: [2][2]f64) = map (\xs -> copy xs with [0] = 7 with [1] = xss[0, 1] - 2) xss
  in (f xss, vjp f xss [[1, 1], [1, 1]])
entry two_results [n] (xs: [n]f64) =
  let f xs = unzip (map (\x -> (x * x * x, 2 * x)) xs)
  let ((a, b), d) = vjp2 f xs (replicate n 1, replicate n 1)
  in (a, b, d)
entry unused [n] (xs: [n]f64) (k: f64) = vjp (\(xs: [n]f64, k) -> f64.sum (map (\_ -> k) xs)) (xs, k) 1
entry nothing [n] (xs: [n]f64) (k: f64) = vjp (\(xs: [n]f64, k) -> f64.sum (map (* k) xs)) (xs, k) 1
