-- A stream of rows into the rows of an accumulator.
-- ==
-- entry: main
-- input { [[1.0,2.0],[3.0,4.0]] [0i64, 0i64] } output { [[4.0,6.0],[0.0,0.0]] [[1.0,2.0],[1.0,2.0]] }
entry main [n][m] (xss: [n][m]f64) (is: [n]i64) =
  let f (xss: [n][m]f64) = reduce_by_index_stream (replicate n (replicate m 0)) (map2 (+)) (replicate m 0) (\acc (i, xs) -> write acc i xs) (zip is xss)
  in (f xss, vjp f xss (replicate n (map f64.i64 (1...m))))
