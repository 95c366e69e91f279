-- ==
-- entry: one
-- input { [1, 2, 3] 1i64 9 } output { [1, 9, 3] }
-- input { [1, 2, 3] 3i64 9 } error: bounds
-- ==
-- entry: inner
-- input { [[1, 2], [3, 4]] } output { [[1, 2], [7, 4]] [[8, 9], [3, 4]] }
-- ==
-- entry: part
-- input { [1, 2, 3, 4, 5] } output { [1, 8, 9, 4, 5] [9, 2, 8, 4, 7] }
-- ==
-- entry: column
-- input { [[1, 2], [3, 4]] } output { [[1, 5], [3, 6]] }
-- ==
-- entry: adjoint
-- input { [1.0, 2.0, 3.0] 5.0 } output { [1.0, 0.0, 1.0] 10.0 }
-- ==
-- entry: bound
-- input { 3i64 } output { [0i64, 7i64, 2i64] }
entry one [n] (xs: *[n]i32) (i: i64) (x: i32) = xs with [i] = x
entry inner (xs: [2][2]i32) = (copy xs with [1, 0] = 7, copy xs with [0] = [8, 9])
entry part (xs: [5]i32) = (copy xs with [1:3] = [8, 9], copy xs with [4::-2] = [7, 8, 9])
entry column (xs: *[2][2]i32) = xs with [:, 1] = [5, 6]
entry adjoint (xs: [3]f64) (x: f64) = vjp (\(xs, x) -> f64.sum (copy xs with [1] = x * x)) (xs, x) 1
entry bound (n: i64) =
  let xs = iota n
  let xs[1] = 7
  in xs
