-- ==
-- entry: get
-- input { [[1, 2, 3], [4, 5, 6]] 1i64 2i64 } output { 6 [4, 5, 6] }
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 0i64 } error: bounds
-- input { [[1, 2, 3], [4, 5, 6]] 1i64 -1i64 } error: bounds
-- ==
-- entry: kinds
-- input { [1, 2, 3] 2i8 } output { 3 }
-- ==
-- entry: gather
-- input { [1.0, 2.0, 3.0] [2i64, 0i64, 2i64] } output { [1.0, 0.0, 2.0] }
entry get [n] [m] (xs: [n][m]i32) (i: i64) (j: i64) = (xs[i, j], xs[i])
entry kinds (xs: [3]i32) (i: i8) = xs[i]
entry gather [n] [m] (xs: [n]f64) (is: [m]i64) = vjp (\xs -> f64.sum (map (\i -> xs[i]) is)) xs 1
