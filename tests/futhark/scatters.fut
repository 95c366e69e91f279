-- ==
-- entry: write
-- input { [1, 2, 3] [0i64, 5i64, 2i64] [7, 8, 9] } output { [7, 2, 9] }
-- ==
-- entry: adjoints
-- input { [1.0, 2.0, 3.0] [0i64, 5i64, 2i64] [7.0, 8.0, 9.0] } output { [0.0, 1.0, 0.0] [1.0, 0.0, 1.0] }
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [8, 9]] }
entry write [m] [n] (d: [m]i32) (is: [n]i64) (xs: [n]i32) = scatter (copy d) is xs
entry adjoints [m] [n] (d: [m]f64) (is: [n]i64) (xs: [n]f64) =
  vjp (\(d, xs) -> f64.sum (scatter (copy d) is xs)) (d, xs) 1
entry rows (d: [2][2]i32) = scatter (copy d) [1] [[8, 9]]
