-- ==
-- entry: added
-- input { [0i64, 1i64, 0i64, 9i64] [1.0, 2.0, 3.0, 4.0] } output { [4.0, 2.0] }
-- ==
-- entry: adjoint
-- input { [0i64, 1i64, 0i64, 9i64] [1.0, 2.0, 3.0, 4.0] } output { [2.0, 12.0, 6.0, 0.0] }
-- ==
-- entry: largest
-- input { [0i64, 1i64, 0i64] [5, 2, 3] } output { [5, 2] }
-- ==
-- entry: replaced
-- input { [0i64, 1i64, 0i64] [5, 2, 3] } output { [3, 2, 0] }
-- ==
-- entry: twice
-- input { [0i64, 1i64] [1.0, 2.0] } output { [1.0, 3.0, 2.0] }
def bins [n] (is: [n]i64) (xs: [n]f64) =
  reduce_by_index_stream [0, 0] (+) 0 (\acc (i, x) -> write acc i x) (zip is xs)
entry added [n] (is: [n]i64) (xs: [n]f64) = bins is xs
entry adjoint [n] (is: [n]i64) (xs: [n]f64) =
  vjp (\xs -> let b = bins is (map (\x -> x * x) xs) in b[0] + 3 * b[1]) xs 1
entry largest [n] (is: [n]i64) (xs: [n]i32) =
  reduce_by_index_stream [0, 0] i32.max i32.lowest (\acc (i, x) -> write acc i x) (zip is xs)
entry replaced [n] (is: [n]i64) (xs: [n]i32) =
  scatter_stream [0, 0, 0] (\acc (i, x) -> write acc i x) (zip is xs)
entry twice [n] (is: [n]i64) (xs: [n]f64) =
  reduce_by_index_stream [0, 0, 0] (+) 0 (\acc (i, x) -> write (write acc i x) (i + 1) x) (zip is xs)
