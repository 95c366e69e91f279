-- Two reductions at once, and products with zeros.
-- ==
-- entry: main
-- input { [1.0,2.0,3.0] [4.0,5.0,6.0] } output { 6.0 120.0 [1.0,1.0,1.0] [30.0,24.0,20.0] true }
entry main [n] (xs: [n]f64) (ys: [n]f64) =
  let f (xs, ys) = reduce (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (zip xs ys)
  let (s, p) = f (xs, ys)
  let (dx, dy) = vjp f (xs, ys) (1, 1)
  let z (n: i64) = vjp (\(xs: [n]f64) -> reduce_comm (*) 1 xs) (replicate n 0) 1
  in (s, p, dx, dy, z 1 == [1] && z 0 == [])
