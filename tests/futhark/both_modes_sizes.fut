-- Sizes as values, sizes that are terms, coercion: the same Jacobian in both modes.
-- ==
-- entry: mean_fwd mean_rev
-- input { [1.0, 2.0, 3.0, 6.0] } output { [0.25, 0.25, 0.25, 0.25] }
-- ==
-- entry: rows_fwd rows_rev
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] } output { [4.0, 10.0, 18.0, 1.0, 4.0, 9.0] }
-- ==
-- entry: halves_fwd halves_rev
-- input { [1.0, 2.0, 3.0, 4.0] } output { [3.0, 4.0, 1.0, 2.0] }

def unit [n] 'a (_: [n]a) (i: i64): [n]f64 = tabulate n (\j -> f64.bool (i == j))
def forward [n] (f: [n]f64 -> f64) (xs: [n]f64) = map (\i -> jvp f xs (unit xs i)) (iota n)

def mean [n] (xs: [n]f64) = f64.sum xs / f64.i64 n
entry mean_fwd [n] (xs: [n]f64) = forward mean xs
entry mean_rev [n] (xs: [n]f64) = vjp mean xs 1

def rows (xs: [6]f64) =
  let xss: [2][3]f64 = unflatten (xs :> [2 * 3]f64)
  in f64.sum (map3 (\a b w -> a * b * w) xss[0] xss[1] [1, 2, 3])
entry rows_fwd (xs: [6]f64) = forward rows xs
entry rows_rev (xs: [6]f64) = vjp rows xs 1

def halves [n] (xs: [n]f64) =
  let m = n / 2
  let (a, b) = split (sized (m + m) xs)
  in f64.sum (map2 (*) (a :> [m]f64) (b :> [m]f64))
entry halves_fwd [n] (xs: [n]f64) = forward halves xs
entry halves_rev [n] (xs: [n]f64) = vjp halves xs 1
