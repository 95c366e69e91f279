-- ==
-- entry: slices
-- input { [1, 2, 3, 4, 5] } output { [2, 3] [2, 3, 4, 5] [1, 2] [5, 4, 3, 2, 1] [1, 3, 5] [5, 3] empty([0]i32) }
-- ==
-- entry: columns
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 2], [4, 5]] [2, 5] [[6, 5, 4]] }
-- ==
-- entry: between
-- input { [1, 2, 3] 1i64 3i64 } output { [2, 3] }
-- input { [1, 2, 3] 3i64 3i64 } output { empty([0]i32) }
-- input { [1, 2, 3] 2i64 1i64 } error: bounds
-- input { [1, 2, 3] 4i64 4i64 } error: bounds
-- input { [1, 2, 3] -1i64 2i64 } error: bounds
-- ==
-- entry: adjoint
-- input { [1.0, 2.0, 3.0, 4.0] } output { [0.0, 1.0, 2.0, 0.0] }
entry slices (xs: [5]i32) = (xs[1:3], xs[1:], xs[:2], xs[::-1], xs[::2], xs[4:1:-2], xs[5:5])
entry columns (xs: [2][3]i32) = (xs[:, :2], xs[:, 1], xs[1:, ::-1])
entry between [n] (xs: [n]i32) (i: i64) (j: i64) = xs[i:j]
entry adjoint (xs: [4]f64) = vjp (\xs -> let ys = xs[1:3] in ys[0] + 2 * ys[1]) xs 1
