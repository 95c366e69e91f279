-- ==
-- entry: second
-- input { 2.0 } output { 12.0 12.0 12.0 12.0 }
-- ==
-- entry: confusion
-- input { 2.0 } output { 1.0 1.0 1.0 1.0 }
-- ==
-- entry: hessian
-- input { [1.0, 2.0] } output { [[4.0, 2.0], [2.0, 0.0]] }
-- ==
-- entry: inside_map
-- input { [1.0, 2.0] } output { [6.0, 12.0] 18.0 }
def cube (x: f64) = x * x * x
entry second (x: f64) =
  (vjp (\x -> vjp cube x 1) x 1, vjp (\x -> jvp cube x 1) x 1, jvp (\x -> vjp cube x 1) x 1, jvp (\x -> jvp cube x 1) x 1)
entry confusion (x: f64) =
  ( vjp (\x -> x * vjp (\y -> x + y) 3 1) x 1, vjp (\x -> x * jvp (\y -> x + y) 3 1) x 1
  , jvp (\x -> x * vjp (\y -> x + y) 3 1) x 1, jvp (\x -> x * jvp (\y -> x + y) 3 1) x 1)
def f (x: [2]f64) = x[0] * x[0] * x[1]
entry hessian (x: [2]f64) = jmp (\x -> vjp f x 1) x [[1, 0], [0, 1]]
entry inside_map (xs: [2]f64) =
  let g (xs: [2]f64) = f64.sum (map (\x -> vjp cube x 1) xs)
  in (vjp g xs 1, jvp g xs [1, 1])
