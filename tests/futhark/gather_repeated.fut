-- Reading an array where other arrays say, some places often and some never.
-- ==
-- entry: gather loops
-- input { [10.0, 20.0, 30.0, 40.0] [1i64, 1i64, 3i64, 1i64] [1.0, 2.0, 3.0, 4.0] }
-- output { [0.0, 7.0, 0.0, 3.0] }
-- ==
-- entry: both_ways
-- input { [1.0, 2.0, 3.0] } output { [8.0, 2.0, 2.0] [8.0, 2.0, 2.0] }
-- ==
-- entry: planes
-- input { [[1.0, 2.0], [3.0, 4.0]] [0i64, 1i64, 1i64] [1i64, 0i64, 0i64] }
-- output { 20.0 [[0.0, 4.0], [12.0, 0.0]] }

entry gather [n] [m] (xs: [n]f64) (is: [m]i64) (seed: [m]f64) = vjp (\xs -> map (\i -> xs[i]) is) xs seed
entry loops [n] [m] (xs: [n]f64) (is: [m]i64) (seed: [m]f64) =
  vjp (\xs -> loop acc = replicate m 0 for j < m do acc with [j] = xs[is[j]]) xs seed
-- An array is mapped over and free in the function.
entry both_ways [n] (xs: [n]f64) =
  let f xs = f64.sum (map2 (\x i -> x * xs[0] + xs[(i + 1) % n]) xs (iota n))
  in (vjp f xs 1, tabulate n (\i -> jvp f xs (tabulate n (\j -> f64.bool (i == j)))))
entry planes [n] (xss: [2][2]f64) (is: [n]i64) (js: [n]i64) =
  vjp2 (\xss -> f64.sum (map2 (\i j -> xss[i, j] * xss[i, j] |> id) is js) - 2) xss 1
