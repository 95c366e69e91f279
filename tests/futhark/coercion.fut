-- ==
-- entry: coerced
-- input { 2i64 [1, 2] } output { [2, 4] }
-- input { 3i64 [1, 2] } error: size
-- ==
-- entry: inside
-- input { [1i64, 2i64] } error: size
-- input { [2i64, 2i64] } output { [1i64, 1i64] }
-- ==
-- entry: differentiated
-- input { 2i64 [1.0, 2.0] } output { [2.0, 4.0] }
-- input { 3i64 [1.0, 2.0] } error: size
entry coerced (n: i64) (xs: []i32) = map2 (+) (xs :> [n]i32) (xs :> [n]i32)
entry inside (ns: []i64) = map (\n -> last (iota n :> [2]i64)) ns
entry differentiated (n: i64) (xs: []f64) = vjp (\xs -> let ys = xs :> [n]f64 in f64.sum (map2 (*) ys ys)) xs 1
