-- The rules of reverse mode for combinators, and the same derivatives forward.
-- ==
-- entry: products
-- input { [2.0, 3.0, 4.0] } output { [12.0, 8.0, 6.0] }
-- input { [2.0, 0.0, 4.0] } output { [0.0, 8.0, 0.0] }
-- input { [0.0, 0.0, 4.0] } output { [0.0, 0.0, 0.0] }
-- input { empty([0]f64) } output { empty([0]f64) }
-- ==
-- entry: columns
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]] } output { [[15.0, 0.0], [5.0, 0.0], [3.0, 16.0]] [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]] }
-- ==
-- entry: matrices
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [51.0, 87.0, 67.0, 111.0] [51.0, 87.0, 67.0, 111.0] }
-- ==
-- entry: blocks
-- input { [2.0, 3.0] [5.0, 7.0] } output { [4.0, 2.0] [4.0, 1.0] [4.0, 2.0] [4.0, 1.0] }
-- ==
-- entry: bins
-- input { [2.0, 3.0, 0.0, 5.0] } output { [3.0, 2.0, 5.0, 0.0] [1.0, 1.0, 1.0, 1.0] [0.0, 1.0, 0.0, 1.0] [4.0, 6.0, 0.0, 10.0] }
-- ==
-- entry: free
-- input { [1.0, 2.0] 3.0 } output { [11.0, 7.0] 3.0 [11.0, 7.0] 3.0 }

entry products [n] (xs: [n]f64) = vjp (reduce (*) 1) xs 1
entry columns [n] (xs: [n][2]f64) =
  (vjp (reduce (map2 (*)) [1, 1]) xs [1, 2], vjp (reduce_comm (map2 (+)) [0, 0]) xs [1, 1])
-- Products of matrices: the general operator, as a scan that reads its last element.
def mul (a: (f64, f64, f64, f64)) (b: (f64, f64, f64, f64)) =
  ( a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2, a.2 * b.1 + a.3 * b.3 )
def cube (x: [4]f64) =
  let m = (x[0], x[1], x[2], x[3])
  let (a, b, c, d) = last (scan mul (1, 0, 0, 1) [m, m, m])
  in a + b + c + d
entry matrices (m: [2][2]f64) =
  let x = flatten m :> [4]f64
  in (vjp cube x 1, tabulate 4 (\i -> jvp cube x (tabulate 4 (\j -> f64.bool (i == j)))))
entry blocks [n] (as: [n]f64) (bs: [n]f64) =
  let f (as: [n]f64, bs: [n]f64) =
    let (x, y) = unzip (scan (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (zip as bs))
    in f64.sum x * 2 + f64.sum (map2 (*) [3, 1] (sized 2 y))
  let (da, db) = vjp f (as, bs) 1
  let unit i = tabulate n (\j -> f64.bool (i == j))
  let still = replicate n 0
  in (da, db, tabulate n (\i -> jvp f (as, bs) (unit i, still)), tabulate n (\i -> jvp f (as, bs) (still, unit i)))
entry bins (xs: [4]f64) =
  let is = [0, 0, 1, 1]
  let by op (ne: f64) = vjp (\xs -> f64.sum (reduce_by_index (replicate 2 ne) op ne is xs)) xs 1
  let general = vjp (\xs -> f64.sum (reduce_by_index [1, 1] (\a b -> a + b * 2 / 2) 0 is xs)) xs 1
  let squares = vjp (\xs -> f64.sum (reduce_by_index [0, 0] (+) 0 is (map (\x -> x * x) xs))) xs 1
  in (by (*) 1, general, by f64.max (-100), squares)
entry free [n] (xs: [n]f64) (k: f64) =
  let f (xs: [n]f64, k: f64) = f64.sum (map (\x -> k * x + xs[0] * xs[n - 1] * f64.i64 n) xs)
  let (a, b) = vjp f (xs, k) 1
  in (a, b, tabulate n (\i -> jvp f (xs, k) (tabulate n (\j -> f64.bool (i == j)), 0)), jvp f (xs, k) (replicate n 0, 1))
