-- ==
-- entry: sums
-- input { [1, 2, 3] } output { [1, 3, 6] }
-- input { empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: adjoint
-- input { [1.0, 2.0, 3.0] } output { [3.0, 2.0, 1.0] }
-- ==
-- entry: products
-- input { [2.0, 3.0, 4.0] } output { [16.0, 10.0, 6.0] }
-- ==
-- entry: recurrence
-- input { [2.0, 3.0] [5.0, 7.0] } output { [0.0, 5.0] [4.0, 1.0] }
-- ==
-- entry: tangent
-- input { [2.0, 3.0, 4.0] [1.0, 0.0, 1.0] } output { [1.0, 3.0, 18.0] }
entry sums [n] (xs: [n]i32) = scan (+) 0 xs
entry adjoint [n] (xs: [n]f64) = vjp (scan (+) 0) xs (replicate n 1)
entry products [n] (xs: [n]f64) = vjp (scan (*) 1) xs (replicate n 1)
entry recurrence [n] (as: [n]f64) (bs: [n]f64) =
  let f (as: [n]f64, bs: [n]f64) = (unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs))).1
  in vjp f (as, bs) (replicate n 1)
entry tangent [n] (xs: [n]f64) (dxs: [n]f64) = jvp (scan (*) 1) xs dxs
