-- ==
-- entry: counts
-- input { [0i64, 2i64, 0i64, 5i64, -1i64] [1, 2, 3, 4, 5] } output { [4, 0, 2] [14, 10, 12] }
-- ==
-- entry: sums
-- input { [1.0, 2.0] [0i64, 1i64, 7i64] [3.0, 4.0, 5.0] } output { [2.0, 5.0] [1.0, 1.0, 0.0] }
-- ==
-- entry: largest
-- input { [1.0, 9.0] [0i64, 0i64, 1i64] [3.0, 3.0, 9.0] } output { [0.0, 1.0] [1.0, 0.0, 0.0] }
-- ==
-- entry: products
-- input { [2.0, 1.0] [0i64, 0i64, 1i64] [3.0, 0.0, 4.0] } output { [0.0, 4.0] [0.0, 6.0, 1.0] }
entry counts [n] (is: [n]i64) (xs: [n]i32) = (hist (+) 0 3 is xs, reduce_by_index [10, 10, 10] (+) 0 is xs)
def sum_of [m] [n] (op: f64 -> f64 -> f64) (ne: f64) (is: [n]i64) (d: [m]f64, xs: [n]f64) =
  f64.sum (map (\x -> x) (reduce_by_index (copy d) op ne is xs))
entry sums [m] [n] (d: [m]f64) (is: [n]i64) (xs: [n]f64) =
  let f (d, xs) = let r = reduce_by_index (copy d) (+) 0 is xs in r[0] * 2 + r[1] * 5 - r[0] * 0
  let (dd, dx) = vjp f (d, xs) 1
  in (dd, map2 (\i x -> if i == 0 then x / 2 else x / 5) is dx)
entry largest [m] [n] (d: [m]f64) (is: [n]i64) (xs: [n]f64) = vjp (sum_of f64.max (-f64.inf) is) (d, xs) 1
entry products [m] [n] (d: [m]f64) (is: [n]i64) (xs: [n]f64) = vjp (sum_of (*) 1 is) (d, xs) 1
