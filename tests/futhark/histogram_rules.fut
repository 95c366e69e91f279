-- Histograms by every operator, with bins that are hit never, once and often, and values that hit none.
-- ==
-- entry: plus
-- input { [10.0, 20.0, 30.0] [0i64, 2i64, 0i64, 5i64, -1i64] [1.0, 2.0, 3.0, 4.0, 5.0] [1.0, 10.0, 100.0] }
-- output { [14.0, 20.0, 32.0] [1.0, 10.0, 100.0] [1.0, 100.0, 1.0, 0.0, 0.0] }
-- ==
-- entry: times
-- input { [10.0, 20.0, 30.0] [0i64, 2i64, 0i64, 5i64, -1i64] [1.0, 0.0, 3.0, 4.0, 5.0] [1.0, 10.0, 100.0] }
-- output { [30.0, 20.0, 0.0] [3.0, 10.0, 0.0] [30.0, 3000.0, 10.0, 0.0, 0.0] }
-- input { [0.0, 0.0, 2.0] [0i64, 0i64, 1i64, 1i64, 2i64] [3.0, 5.0, 0.0, 7.0, 4.0] [1.0, 1.0, 1.0] }
-- output { [0.0, 0.0, 8.0] [15.0, 0.0, 4.0] [0.0, 0.0, 0.0, 0.0, 2.0] }
-- ==
-- entry: smallest
-- input { [10.0, 2.0, 30.0] [0i64, 1i64, 0i64, 2i64, 2i64] [5.0, 2.0, 5.0, 31.0, 32.0] [1.0, 10.0, 100.0] }
-- output { [5.0, 2.0, 30.0] [0.0, 10.0, 100.0] [1.0, 0.0, 0.0, 0.0, 0.0] }
-- ==
-- entry: largest
-- input { [10.0, 2.0, 30.0] [0i64, 1i64, 0i64, 2i64, 2i64] [11.0, 2.0, 11.0, 3.0, 32.0] [1.0, 10.0, 100.0] }
-- output { [11.0, 2.0, 32.0] [0.0, 10.0, 0.0] [1.0, 0.0, 0.0, 0.0, 100.0] }
-- ==
-- entry: general
-- input { [1.0, 2.0] [0i64, 1i64, 0i64, 0i64] [3.0, 4.0, 5.0, 6.0] [1.0, 10.0] }
-- output { [335.0, 14.0] [168.0, 50.0] [84.0, 30.0, 56.0, 48.0] }
-- ==
-- entry: pairs
-- input { [0i64, 1i64, 0i64] [2.0, 3.0, 4.0] [5.0, 6.0, 7.0] }
-- output { [6.0, 3.0] [35.0, 6.0] [1.0, 1.0, 1.0] [7.0, 1.0, 5.0] }
-- ==
-- entry: rows
-- input { [0i64, 1i64, 0i64] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] }
-- output { [[6.0, 8.0], [3.0, 4.0]] [[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]] [[5.0, 12.0], [3.0, 4.0], [1.0, 4.0]] }
-- ==
-- entry: counted
-- input { [3i64, 1i64, 3i64, 3i64] } output { [0i64, 1i64, 0i64, 3i64] }
-- ==
-- entry: second_derivative
-- input { [2.0, 3.0, 5.0] } output { [[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]] }
-- ==
-- entry: nothing
-- input { [1.0, 2.0] } output { [1.0, 2.0] [1.0, 1.0] }

def rule [m] [n] (op: f64 -> f64 -> f64) (ne: f64) (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) =
  let f (dst: [m]f64, vs: [n]f64) = reduce_by_index (copy dst) op ne is vs
  let (v, (d, e)) = vjp2 f (dst, vs) seed
  in (v, d, e)
entry plus [m] [n] (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) = rule (+) 0 dst is vs seed
entry times [m] [n] (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) = rule (*) 1 dst is vs seed
entry smallest [m] [n] (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) = rule f64.min f64.inf dst is vs seed
entry largest [m] [n] (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) = rule f64.max (-f64.inf) dst is vs seed
-- x + y + x y, with the neutral element 0: one plus it is the product of ones plus them.
entry general [m] [n] (dst: [m]f64) (is: [n]i64) (vs: [n]f64) (seed: [m]f64) =
  rule (\x y -> x + y + x * y) 0 dst is vs seed
entry pairs [n] (is: [n]i64) (xs: [n]f64) (ys: [n]f64) =
  let f (xs: [n]f64, ys: [n]f64) = unzip (hist (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) 2 is (zip xs ys))
  let ((a, b), (dx, dy)) = vjp2 f (xs, ys) ([1, 1], [1, 1])
  in (a, b, dx, dy)
entry rows [n] (is: [n]i64) (xss: [n][2]f64) =
  let plus xss = reduce_by_index (replicate 2 [0, 0]) (map2 (+)) [0, 0] is xss
  let times xss = reduce_by_index (replicate 2 [1, 1]) (map2 (*)) [1, 1] is xss
  in (plus xss, vjp plus xss [[1, 2], [3, 4]], vjp times xss [[1, 2], [3, 4]])
entry counted [n] (is: [n]i64) = hist (+) 0 4 is (replicate n 1i64)
entry second_derivative (xs: [3]f64) =
  let f xs = f64.sum (hist (*) 1 1 [0, 0, 0] xs)
  in tabulate 3 (\i -> jvp (\xs -> vjp f xs 1) xs (tabulate 3 (\j -> f64.bool (i == j))))
entry nothing (dst: [2]f64) =
  let f dst = reduce_by_index (copy dst) (+) 0 [] []
  in vjp2 f dst [1, 1]
