-- ==
-- entry: positive
-- input { [1, -2, 3, -4] } output { [1, 3] }
-- input { [-1] } output { empty([0]i32) }
-- input { empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: rows
-- input { [[1, 2], [-3, 4], [5, 6]] } output { [[1, 2], [5, 6]] 2i64 }
-- ==
-- entry: parts
-- input { [1, -2, 3] } output { [1, 3] [-2] }
-- ==
-- entry: adjoint
-- input { [1.0, -2.0, 3.0] } output { [2.0, 0.0, 6.0] }
entry positive [n] (xs: [n]i32) = filter (> 0) xs
entry rows (xs: [][2]i32) = let ys = filter (\x -> x[0] > 0) xs in (ys, length ys)
entry parts [n] (xs: [n]i32) = partition (> 0) xs
entry adjoint [n] (xs: [n]f64) = vjp (\xs -> f64.sum (map (\x -> x * x) (filter (> 0) xs))) xs 1
