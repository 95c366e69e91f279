-- ==
-- entry: product
-- input { [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0], [7.0, 8.0]] }
-- output { [[19.0, 22.0], [43.0, 50.0]] [[11.0, 15.0], [11.0, 15.0]] [[4.0, 4.0], [6.0, 6.0]] }
-- ==
-- entry: turned
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[1, 4], [2, 5], [3, 6]] }
def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) = map (\x -> map (\y -> f64.sum (map2 (*) x y)) (transpose b)) a
entry product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) =
  let (da, db) = vjp (\(a, b) -> f64.sum (flatten (matmul a b))) (a, b) 1
  in (matmul a b, da, db)
entry turned (xs: [2][3]i32) = transpose xs
