-- ==
-- entry: blocks
-- input { [1, 2, 3, 4, 5, 6] } output { [[1, 2], [3, 4], [5, 6]] }
-- ==
-- entry: twice
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [3, 4]] }
-- ==
-- entry: halves
-- input { 1i64 [1, 2, 3] } output { [1] [2, 3] }
-- ==
-- entry: adjoint
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[1.0, 1.0], [1.0, 1.0]] }
entry blocks (xs: [3 * 2]i32): [3][2]i32 = unflatten xs
entry twice [n] [m] (xs: [n][m]i32): [n][m]i32 = unflatten (flatten xs)
entry halves [n] (k: i64) (xs: [n]i32) = (take k xs, drop k xs)
entry adjoint [n] [m] (xs: [n][m]f64) = vjp (\xs -> f64.sum (flatten xs)) xs 1
