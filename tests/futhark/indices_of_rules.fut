-- Elements that are known from their indices alone are there, or the run ends.
-- ==
-- entry: counted
-- input { 3i64 2i64 } output { 2i64 }
-- input { 3i64 3i64 } error: bounds
-- input { 3i64 -1i64 } error: bounds
-- ==
-- entry: copied
-- input { 3i64 2i64 } output { 1 }
-- input { 3i64 7i64 } error: bounds
-- ==
-- entry: first
-- input { 3i64 } output { 0i64 }
-- input { 0i64 } error: bounds
-- ==
-- entry: zipped
-- input { [5, 6] 1i64 } output { 1i64 }
-- input { [5, 6] 2i64 } error: bounds
-- ==
-- entry: mapped
-- input { 3i64 [0i64, 2i64] } output { [0.0, 2.0] [0.0, 6.0] }
-- input { 3i64 [0i64, 3i64] } error: bounds
-- ==
-- entry: chosen
-- input { 3i64 2i64 } output { 2i64 }
-- input { 3i64 3i64 } output { -1i64 }
-- ==
-- entry: rows
-- input { 2i64 3i64 1i64 2i64 } output { 7 7 2i64 }
-- input { 2i64 3i64 2i64 2i64 } error: bounds
-- input { 2i64 3i64 1i64 3i64 } error: bounds
-- ==
-- entry: apart
-- input { 2i64 3i64 1i64 2i64 } output { 7 }
-- input { 2i64 3i64 1i64 3i64 } error: bounds
entry rows (n: i64) (m: i64) (i: i64) (j: i64) =
  ((replicate n (replicate m 7i32))[i, j], (replicate n (replicate m 7i32))[i][j], (replicate n (iota m))[i, j])
entry apart (n: i64) (m: i64) (i: i64) (j: i64) = let row = (replicate n (replicate m 7i32))[i] in row[j]
entry counted (n: i64) (i: i64) = (iota n)[i]
entry copied (n: i64) (i: i64) = (replicate n 1i32)[i]
entry first (n: i64) = head (iota n)
entry zipped [n] (xs: [n]i32) (i: i64) = (zip (iota n) xs)[i].0
entry mapped [m] (n: i64) (is: [m]i64) =
  let f xs = map2 (\i x -> f64.i64 (iota n)[i] * x) is xs
  in (f (replicate m 1), vjp f (replicate m 1) (replicate m 3))
entry chosen (n: i64) (i: i64) = if i < n then (iota n)[i] else -1
