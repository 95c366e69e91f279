-- Accumulators by the names that a library of one's own gives them.
-- ==
-- entry: histogram
-- input { [1i64, 0i64, 1i64] [1.0, 2.0, 3.0] } output { [2.0, 4.0] [2.0, 1.0, 2.0] }
-- ==
-- entry: twice
-- input { [1.0, 2.0, 3.0] } output { [1.0, 3.0, 5.0, 3.0] [3.0, 5.0, 7.0] }
import "lib/accumulators"

entry histogram [n] (is: [n]i64) (xs: [n]f64) =
  let f xs = reduce_by_index_stream (replicate 2 0) (+) 0 (\acc (i, x) -> write acc i x) (zip is xs)
  in vjp2 f xs [1, 2]
entry twice [n] (xs: [n]f64) =
  let f xs =
    reduce_by_index_stream (replicate (n + 1) 0) (+) 0
      (\acc (i, x) -> let acc = write acc i x in write acc (i + 1) x |> id) (zip (iota n) xs)
  in (f xs, vjp f xs ([1, 2, 3, 4] :> [n + 1]f64))
