-- Size parameters are values of type i64.
-- ==
-- entry: average
-- input { [1.0, 2.0, 6.0] } output { 3.0 }
-- ==
-- entry: shape
-- input { [[1, 2, 3], [4, 5, 6]] } output { 2i64 3i64 }
-- ==
-- entry: same
-- input { [1, 2] [3, 4] } output { [4, 6] }
-- input { [1, 2] [3] } error: size
entry average [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
entry shape [n] [m] (_: [n][m]i32) = (n, m)
entry same [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
