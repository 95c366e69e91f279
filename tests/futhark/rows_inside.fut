-- Arrays whose sizes are known only inside of a map.
-- ==
-- entry: triangle
-- input { 4i64 } output { [0i64, 1i64, 3i64, 6i64] }
-- ==
-- entry: gradient tangent
-- input { [1.0, 2.0, 3.0] } output { [7.0, 8.0, 9.0] }
-- ==
-- entry: windows
-- input { [1.0, 2.0, 3.0, 4.0] [2i64, 1i64, 4i64, 3i64] } output { [3.0, 1.0, 10.0, 6.0] [4.0, 3.0, 2.0, 1.0] }
-- ==
-- entry: lanes
-- input { [[1.0, 2.0], [3.0, 4.0]] [1i64, 2i64] } output { [1.0, 25.0] [[2.0, 0.0], [6.0, 8.0]] }
-- ==
-- entry: filtered
-- input { [[1.0, -2.0], [3.0, 4.0]] } output { [1.0, 7.0] [[1.0, 0.0], [1.0, 1.0]] }
-- ==
-- entry: scanned
-- input { [3i64, 2i64] [2.0, 3.0] } output { [12.0, 9.0] [6.0, 3.0] }

entry triangle (n: i64) = map (\i -> i64.sum (iota (i + 1))) (iota n)
def moments [n] (xs: [n]f64) = f64.sum (map2 (\x i -> f64.sum (map (\j -> x * xs[j]) (iota (i + 1)))) xs (iota n))
-- x0 x0 + x1 (x0 + x1) + x2 (x0 + x1 + x2)
entry gradient [n] (xs: [n]f64) = vjp moments xs 1
entry tangent [n] (xs: [n]f64) = map (\i -> jvp moments xs (replicate n 0 with [i] = 1)) (iota n)
entry windows [n] (xs: [n]f64) (ks: [n]i64) =
  let f xs = map (\k -> f64.sum (take k xs)) ks
  in (f xs, vjp f xs (replicate n 1))
entry lanes [n] [m] (xss: [n][m]f64) (ks: [n]i64) =
  let f xss = map2 (\xs k -> xs[:k] |> map (** 2) |> f64.sum) xss ks
  in (f xss, vjp f xss (replicate n 1))
entry filtered [n] [m] (xss: [n][m]f64) =
  let f xss = map (\xs -> f64.sum (filter (> 0) xs)) xss
  in (f xss, vjp f xss (replicate n 1))
entry scanned (ks: [2]i64) (xs: [2]f64) =
  let f (xs: [2]f64) = map2 (\k x -> f64.sum (scan (+) 0 (replicate k x))) ks xs
  in (f xs, vjp f xs [1, 1])
