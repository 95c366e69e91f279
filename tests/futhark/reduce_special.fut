-- Reductions by operators with rules of their own, and by others.
-- ==
-- entry: plus
-- input { [1.0, 2.0, 3.0] } output { 6.0 [1.0, 1.0, 1.0] [1.0, 1.0, 1.0] }
-- input { empty([0]f64) } output { 0.0 empty([0]f64) empty([0]f64) }
-- ==
-- entry: times
-- input { [2.0, 3.0, 4.0] } output { 24.0 [12.0, 8.0, 6.0] [12.0, 8.0, 6.0] }
-- input { [2.0, 0.0, 4.0] } output { 0.0 [0.0, 8.0, 0.0] [0.0, 8.0, 0.0] }
-- input { [0.0, 0.0] } output { 0.0 [0.0, 0.0] [0.0, 0.0] }
-- input { [7.0] } output { 7.0 [1.0] [1.0] }
-- ==
-- entry: smallest
-- input { [3.0, 1.0, 2.0, 1.0] } output { 1.0 [0.0, 1.0, 0.0, 0.0] [0.0, 1.0, 0.0, 0.0] }
-- ==
-- entry: largest
-- input { [3.0, 1.0, 3.0] } output { 3.0 [1.0, 0.0, 0.0] [1.0, 0.0, 0.0] }
-- ==
-- entry: positions
-- input { [3.0, 7.0, 7.0] } output { 7.0 1i64 [0.0, 1.0, 0.0] [0.0, 1.0, 0.0] }
-- ==
-- entry: log_sum_exp
-- input { [1.0, 2.0, 0.5] } output { 2.4643687841079447 [0.23122389762214907, 0.6285317192117624, 0.14024438316608848] [0.23122389762214907, 0.6285317192117624, 0.14024438316608848] }
-- ==
-- entry: lines
-- input { [2.0, 3.0] [5.0, 7.0] } output { 6.0 22.0 [3.0, 12.0] [6.0, 2.0] [3.0, 12.0] [6.0, 2.0] }
-- ==
-- entry: several
-- input { [2.0, 3.0, 4.0] } output { 9.0 24.0 4.0 [13.0, 9.0, 7.0] [13.0, 9.0, 7.0] }
-- ==
-- entry: integers
-- input { [2, 3, 4] } output { 24 [12, 8, 6] [1, 1, 1] [0, 0, 1] }

def units [n] (f: [n]f64 -> f64) (xs: [n]f64) = map (\i -> jvp f xs (replicate n 0 with [i] = 1)) (iota n)
def all_of [n] (f: [n]f64 -> f64) (xs: [n]f64) = let (v, d) = vjp2 f xs 1 in (v, d, units f xs)
entry plus [n] (xs: [n]f64) = all_of (reduce (+) 0) xs
entry times [n] (xs: [n]f64) = all_of (reduce_comm (*) 1) xs
entry smallest [n] (xs: [n]f64) = all_of (reduce f64.min f64.inf) xs
entry largest [n] (xs: [n]f64) = all_of f64.maximum xs
entry positions [n] (xs: [n]f64) =
  let best xs = reduce_comm (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j))
                            (-f64.inf, n) (zip xs (iota n))
  let (v, i) = best xs
  in (v, i, vjp best xs (1, 0), units (\xs -> (best xs).0) xs)
entry log_sum_exp [n] (xs: [n]f64) =
  let f xs =
    let (m, s) = reduce (\(m, s) (k, t) -> let h = f64.max m k in (h, s * f64.exp (m - h) + t * f64.exp (k - h)))
                        (-1000, 0) (map (\x -> (x, 1)) xs)
    in m + f64.log s
  in all_of f xs
-- Composition of lines a x + b.
entry lines [n] (as: [n]f64) (bs: [n]f64) =
  let f (as: [n]f64, bs: [n]f64) = reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip as bs)
  let (da, db) = vjp f (as, bs) (1, 2)
  let (a, b) = f (as, bs)
  let along das dbs = let (x, y) = jvp f (as, bs) (das, dbs) in x + 2 * y
  let unit i = replicate n 0 with [i] = 1
  in ( a, b, da, db, tabulate n (\i -> along (unit i) (replicate n 0))
     , tabulate n (\i -> along (replicate n 0) (unit i)) )
entry several [n] (xs: [n]f64) =
  let f xs =
    let (a, b, c) = reduce (\(a, b, c) (x, y, z) -> (a + x, b * y, f64.max c z)) (0, 1, -f64.inf) (zip3 xs xs xs)
    in (a, b, c)
  let (a, b, c) = f xs
  in (a, b, c, vjp f xs (1, 1, 0)
     , units (\xs -> let (a, b, _) = f xs in a + b) xs)
entry integers [n] (xs: [n]i32) =
  (i32.product xs, vjp i32.product xs 1, vjp i32.sum xs 1, vjp i32.maximum xs 1)
