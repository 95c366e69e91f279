-- Sizes that the names of earlier parameters say.
-- ==
-- entry: counted
-- input { 3i64 [1.0, 2.0, 3.0] } output { [3.0, 2.0, 1.0] 4i64 }
-- input { 2i64 [1.0, 2.0, 3.0] } error: size
-- input { 4i64 [1.0, 2.0, 3.0] } error: size
-- ==
-- entry: unmentioned
-- input { 3i64 [1.0, 2.0, 3.0] } output { 6.0 }
-- input { 2i64 [1.0, 2.0, 3.0] } error: size
-- ==
-- entry: longer
-- input { 2i64 [1.0, 2.0, 3.0] } output { [1.0, 1.0, 1.0] }
-- input { 3i64 [1.0, 2.0, 3.0] } error: size
-- ==
-- entry: tables
-- input { 1i64 2i64 [[1.0, 2.0]] } output { [[1.0], [2.0]] }
-- input { 2i64 1i64 [[1.0, 2.0]] } error: size

entry counted (n: i64) (xs: [n]f64) = (reverse xs, length (xs ++ [0]))
entry unmentioned (n: i64) (xs: [n]f64) = f64.sum xs
entry longer (n: i64) (xs: [n + 1]f64) = vjp f64.sum xs 1
entry tables (n: i64) (m: i64) (xss: [n][m]f64) = transpose xss
