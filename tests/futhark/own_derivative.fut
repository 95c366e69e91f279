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
-- ==
-- entry: orders
-- input { 3.0 } output { 9.0 6.0 100.0 100.0 5.0 100.0 6.0 }
-- ==
-- entry: sorted
-- input { [3.0, 1.0, 2.0] [10.0, 20.0, 30.0] } output { [1.0, 2.0, 3.0] [30.0, 10.0, 20.0] }
-- ==
-- entry: everywhere
-- input { 3.0 } output { [9.0, 7.0] 14.0 }
def odd (x: f64) = with_vjp (\x -> x * x) (\_ y -> 100 * y) x
entry reverse (x: f64) = vjp2 odd x 1
entry forward (x: f64) = jvp odd x 1
def root (x: f64) = with_vjp f64.sqrt (\r y -> y / (2 * r)) x
entry residual (xs: [2]f64) = vjp2 (map root) xs [1, 1]
entry free (x: f64) (k: f64) =
  let f (x, k) = with_vjp_tape (\x -> (k, k * x)) (\(k, y) -> k * y) x
  let (dx, dk) = vjp f (x, k) 1
  in (dk, dx)
entry captured (x: f64) =
  -- What the derivative has of the argument from outside is a constant of it, under more derivatives as well.
  let square x = with_vjp (\x -> x * x) (\_ y -> 100 * x * y) x
  let (value, slope) = vjp2 square x 1
  let itself x = with_vjp (\x -> x * x) (\_ _ -> x) x
  let nested x = with_vjp (\x -> x * x) (\_ y -> y * vjp (\z -> z * z * x * x) x 0.5) x
  in (value, slope, vjp itself x 1, vjp nested x 1)
-- The innermost derivative uses it up: what goes through the result again is plain, and so are derivatives of the result.
entry orders (x: f64) =
  let (value, slope) = vjp2 odd x 1
  let inside = vjp (\x -> (vjp2 odd x 1).0) x 1
  let outside = vjp (\y -> odd x * y) 1 1 - 4
  in ( value, inside, slope, vjp (\x -> vjp (\y -> odd x * y) 1 1) x 1, outside
     , vjp (\x -> jvp (\y -> odd x * y) 1 1) x 1, vjp (\x -> jvp odd x 1) x 3 )
-- Parts of the result that are a residual, and have adjoints that are not used.
def order [n] (xs: [n]f64): [n]i64 =
  let rank i = i64.sum (map (\j -> i64.bool (xs[j] < xs[i] || (xs[j] == xs[i] && j < i))) (iota n))
  in scatter (replicate n 0) (map rank (iota n)) (iota n)
def sort [n] (xs: [n]f64): [n](f64, i64) = let is = order xs in map (\i -> (xs[i], i)) is
entry sorted [n] (xs: [n]f64) (ys: [n]f64) =
  let f xs = (with_vjp (\xs -> unzip (sort xs)) (\(_, perm) (xs_adj, _) -> scatter (copy xs_adj) perm xs_adj) xs).0
  in vjp2 f xs ys
-- A function of its own, applied later.
def seven: f64 -> f64 = with_vjp (\x -> x * x) (\_ y -> 7 * y)
def both = with_vjp_tape (\(x: f64) -> (2 * x, x)) (\(double, y) -> 7 * double * y / 3)
entry everywhere (x: f64) = ([seven x, vjp seven x 1], vjp both x 1)
