-- ==
-- entry: index
-- input { [1.0, 2.0] 7i64 } error: bounds
-- ==
-- entry: rows
-- input { 2i64 } error: size
-- ==
-- entry: divided
-- input { [1, 2] 0 } error:
-- ==
-- entry: negative
-- input { -1i64 } error:
-- ==
-- entry: replaced
-- input { [1, 2, 3] [4, 5] } error: size
-- ==
-- entry: first
-- input { [1.0, 2.0] } error: error_places.fut:25:32
entry index [n] (xs: [n]f64) (i: i64) = vjp (\(xs: [n]f64) -> xs[i] * xs[0]) xs 1
entry rows (n: i64) = flatten (map (\i -> iota (i + 1) :> [n]i64) (iota n))
entry divided [n] (xs: [n]i32) (k: i32) = i32.sum (map (/ k) xs)
entry negative (n: i64) = replicate n 1i32
entry replaced [n] [m] (xs: [n]i32) (ys: [m]i32) = copy xs with [0:] = (ys :> [n]i32)
-- The mistake is where a function of the prelude is called.
entry first [n] (xs: [n]f64) = head (filter (> 5) xs)
