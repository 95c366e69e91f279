-- ==
-- entry: nested
-- input { [1.0, 2.0] 3.0 } auto output
-- ==
-- entry: sorted
-- input { [3.0, 1.0, 2.0] } output { [1.0, 2.0, 3.0] [30.0, 10.0, 20.0] }
def scaled (k: f64) (x: f64) = with_vjp_tape (\x -> (x, k * x * x)) (\(x, y) -> 2 * k * x * y) x
entry nested [n] (xs: [n]f64) (k: f64) =
  let f (xs: [n]f64) = f64.sum (map (scaled k) xs)
  let g (xs: [n]f64) = f64.sum (map (\d -> d * d) (vjp f xs 1))
  in (f xs, vjp f xs 1, vjp g xs 1, jvp f xs xs, jvp (\xs -> vjp f xs 1) xs xs)
def order [n] (xs: [n]f64): [n]i64 =
  let rank i = i64.sum (map (\j -> i64.bool (xs[j] < xs[i] || (xs[j] == xs[i] && j < i))) (iota n))
  in scatter (replicate n 0) (map rank (iota n)) (iota n)
def sort [n] (xs: [n]f64): [n]f64 =
  (with_vjp (\xs -> let p = order xs in (map (\i -> xs[i]) p, p)) (\(_, p) (ys, _) -> scatter (replicate n 0) p ys) xs).0
entry sorted [n] (xs: [n]f64) = vjp2 sort xs (map (\i -> 10 * f64.i64 (i + 1)) (iota n))
