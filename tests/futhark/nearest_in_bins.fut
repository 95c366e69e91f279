-- The least value of each bin and its place.
-- ==
-- entry: main
-- input { [0i64,1i64,0i64,1i64] [3.0,1.0,2.0,1.0] } output { [2.0,1.0] [2i64,1i64] [0.0,1.0,1.0,0.0] }
entry main [n] (is: [n]i64) (vs: [n]f64) =
  let f (vs: [n]f64) = reduce_by_index (replicate 2 (f64.inf, n)) (\(a, i) (b, j) -> if a < b || (a == b && i <= j) then (a, i) else (b, j)) (f64.inf, n) is (zip vs (iota n))
  let (m, ix) = unzip (f vs)
  in (m, ix, vjp (\vs -> map (.0) (f vs)) vs [1, 1])
