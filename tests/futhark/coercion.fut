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
-- ==
-- entry: asked
-- input { [1i64, 2i64] 4i64 } output { 4i64 }
-- input { [1i64, 2i64] 1i64 } output { 1i64 }
-- ==
-- entry: folded
-- input { 2i64 [[1, 2], [3, 4]] } output { [4, 6] }
-- input { 3i64 [[1, 2], [3, 4]] } error: size
-- ==
-- entry: branched
-- input { 2i64 [1, 2] true } output { [1, 2] }
-- input { 3i64 [1, 2] true } error: size
-- input { 3i64 [1, 2] false } output { [0, 0, 0] }
-- ==
-- entry: own
-- input { 2i64 [1.0, 2.0] } output { [7.0, 7.0] }
entry coerced (n: i64) (xs: []i32) = map2 (+) (xs :> [n]i32) (xs :> [n]i32)
entry inside (ns: []i64) = map (\n -> last (iota n :> [2]i64)) ns
entry differentiated (n: i64) (xs: []f64) = vjp (\xs -> let ys = xs :> [n]f64 in f64.sum (map2 (*) ys ys)) xs 1
entry asked (ns: []i64) (n: i64) = loop n while n > 3 && length (iota n :> [n]i64) > 4 do n - i64.sum (ns :> [2]i64)
entry folded [k] [m] (n: i64) (xs: [k][m]i32) = reduce (\x y -> map2 (+) x (y :> [m]i32)) (replicate m 0) (map (\x -> x :> [n]i32) xs :> [k][m]i32)
entry branched (n: i64) (xs: []i32) (c: bool) = if c then xs :> [n]i32 else replicate n 0
entry own (n: i64) (xs: []f64) =
  vjp (\xs -> with_vjp_tape (\(xs: []f64) -> (length xs, f64.sum xs)) (\(k, y) -> (replicate n (7 * y) :> [k]f64)) xs) xs 1
