-- Rows whose sizes are known only inside of a map have the size of the first; where there is none, the one they are said to have.
-- ==
-- entry: squares
-- input { 3i64 [3i64, 3i64] } output { [[0i64, 1i64, 4i64], [0i64, 1i64, 4i64]] }
-- input { 0i64 [0i64] } output { empty([1][0]i64) }
-- input { 2i64 empty([0]i64) } output { empty([0][2]i64) }
-- input { 2i64 [2i64, 3i64] } error: size
-- ==
-- entry: nested
-- input { [[2i64, 2i64], [2i64, 2i64]] 3.0 }
-- output { [[[0.0, 3.0], [0.0, 3.0]], [[0.0, 3.0], [0.0, 3.0]]] 4.0 4.0 }
-- ==
-- entry: kept
-- input { [[1.0, -1.0, 2.0], [-3.0, 4.0, 5.0]] }
-- output { [[1.0, 2.0], [4.0, 5.0]] [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]] [[1.0, 1.0], [1.0, 1.0]] }
-- input { empty([0][3]f64) } output { empty([0][2]f64) empty([0][3]f64) empty([0][2]f64) }
-- ==
-- entry: summed
-- input { 0i64 } output { 0i64 }
-- input { 3i64 } output { 18i64 }
-- ==
-- entry: taken
-- input { [2i64, 2i64] [1.0, 2.0, 3.0] } output { [[1.0, 2.0], [1.0, 2.0]] [2.0, 2.0, 0.0] [[4.0, 0.0], [0.0, 0.0]] }
-- ==
-- entry: in_a_loop
-- input { 3i32 [[1.0, -2.0], [-3.0, 4.0]] } output { [[1.0], [4.0]] [[1.0, 0.0], [0.0, 1.0]] }

entry squares (m: i64) (ks: []i64) = map (\k -> map (\i -> i * i) (iota k) :> [m]i64) ks
entry nested [n] [m] (kss: [n][m]i64) (x: f64) =
  let f x = map (\ks -> map (\k -> map (\i -> x * f64.i64 i) (iota (k % 5)) :> [2]f64) ks) kss
  let total x = f x |> flatten |> flatten |> f64.sum
  in (f x, vjp total x 1, jvp total x 1)
entry kept [n] [m] (xss: [n][m]f64) =
  let f xss = map (\xs -> filter (> 0) xs :> [2]f64) xss
  in (f xss, vjp f xss (replicate n [1, 1]), jvp f xss (replicate n (replicate m 1)))
entry summed (n: i64) = map (\i -> map (+ i) (filter (> -1) (iota 3)) :> [3]i64) (iota n) |> map i64.sum |> i64.sum
entry taken [n] (ks: [n]i64) (xs: []f64) =
  let f xs = map (\k -> map (** 2) (take k xs) :> [2]f64) ks
  let g xs = map (\k -> take k xs :> [2]f64) ks
  in (f xs |> map (map f64.sqrt), vjp g xs (replicate n [1, 1]), [[(vjp f xs (replicate n [1, 0]))[0], 0], [0, 0]])
entry in_a_loop [n] [m] (k: i32) (xss: [n][m]f64) =
  let f xss = loop rows = replicate n [0] for _i < k do map2 (\xs row -> map (+ 0 * row[0]) (filter (> 0) xs) :> [1]f64) xss rows
  in (f xss, vjp f xss (replicate n [1]))
