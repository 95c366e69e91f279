-- The derivative that is given is used in reverse mode, and not in forward mode.
-- ==
-- entry: reverse
-- input { 3.0 } output { 9.0 100.0 }
-- ==
-- entry: forward
-- input { 3.0 } output { 6.0 }
-- ==
-- entry: residual
-- input { [1.0, 4.0] } output { [1.0, 2.0] [0.5, 0.25] }
-- ==
-- entry: free
-- input { 3.0 2.0 } output { 0.0 2.0 }
-- ==
-- entry: captured
-- input { 3.0 } output { 9.0 300.0 3.0 27.0 }
def odd (x: f64) = with_vjp (\x -> (x * x, ())) (\() y -> 100 * y) x
entry reverse (x: f64) = vjp2 odd x 1
entry forward (x: f64) = jvp odd x 1
def root (x: f64) = with_vjp (\x -> let r = f64.sqrt x in (r, r)) (\r y -> y / (2 * r)) x
entry residual (xs: [2]f64) = vjp2 (map root) xs [1, 1]
entry free (x: f64) (k: f64) =
  let f (x, k) = with_vjp (\x -> (k * x, k)) (\k y -> k * y) x
  let (dx, dk) = vjp f (x, k) 1
  in (dk, dx)
entry captured (x: f64) =
  -- What the derivative has of the argument from outside is a constant of it, under more derivatives as well.
  let square x = with_vjp (\x -> (x * x, ())) (\() y -> 100 * x * y) x
  let (value, slope) = vjp2 square x 1
  let itself x = with_vjp (\x -> (x * x, ())) (\() _ -> x) x
  let nested x = with_vjp (\x -> (x * x, ())) (\() y -> y * vjp (\z -> z * z * x * x) x 0.5) x
  in (value, slope, vjp itself x 1, vjp nested x 1)
