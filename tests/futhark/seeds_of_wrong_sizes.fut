-- Seeds whose sizes are not those of the results, where little else is computed.
-- ==
-- entry: placed counted multiplied summed paired copied
-- input { [1.0, 2.0, 3.0] 4i64 } error: size 4
-- ==
-- entry: placed counted multiplied paired
-- input { [1.0, 2.0, 3.0, 4.0] 4i64 } auto output
entry placed [n] (xs: [n]f64) (i: i64) = vjp (\y -> scatter (replicate i 0) [0] [y] :> [n]f64) 1 xs
entry counted [n] (xs: [n]f64) (i: i64) = vjp (\y -> hist (+) 0 i [0, 1] [y, y] :> [n]f64) 1 xs
entry multiplied [n] (xs: [n]f64) (i: i64) = vjp (\y -> hist (*) 1 i [0, 1] [y, y] :> [n]f64) 2 xs
entry summed [n] (xs: [n]f64) (i: i64) = vjp (\y -> f64.sum (hist (+) 0 i [0, 1] [y, y] :> [n]f64)) 1 1
entry paired [n] (xs: [n]f64) (i: i64) = vjp2 (\y -> scatter (replicate i 0) [0] [y] :> [n]f64) 2 xs
entry copied [n] (xs: [n]f64) (i: i64) = vjp (\y -> replicate (i64.f64 y) y) (f64.i64 i) xs
