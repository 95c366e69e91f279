-- Reductions of rows and of matrices.
-- ==
-- entry: sums products
-- input { [[1.0, 2.0], [3.0, 4.0]] [1.0, 10.0] } auto output
-- ==
-- entry: columns
-- input { [[2.0, 3.0], [5.0, 0.0], [7.0, 4.0]] [1.0, 10.0] }
-- output { [14.0, 7.0] [[1.0, 10.0], [1.0, 10.0], [1.0, 10.0]] [70.0, 0.0] [[35.0, 0.0], [14.0, 120.0], [10.0, 0.0]] [7.0, 4.0] [[0.0, 0.0], [0.0, 0.0], [1.0, 10.0]] }
-- ==
-- entry: deep
-- input { [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]] }
-- output { [[6.0, 8.0], [10.0, 12.0]] [[5.0, 12.0], [21.0, 32.0]] [[[5.0, 6.0], [7.0, 8.0]], [[1.0, 2.0], [3.0, 4.0]]] }
-- ==
-- entry: chain chain_tuples
-- input { [[[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [2.0, 0.25]], [[2.0, 0.0], [1.0, -1.0]]] [[1.0, 2.0], [3.0, 4.0]] }
-- output { [[8.5, 0.5], [17.0, 2.0]] [[[2.0, 3.75], [4.0, 11.75]], [[20.0, -4.0], [28.0, -6.0]], [[33.0, 47.0], [-6.5, -9.0]]] }
-- ==
-- entry: chain_forward
-- input { [[[1.0, 2.0], [3.0, 4.0]], [[0.5, -1.0], [2.0, 0.25]], [[2.0, 0.0], [1.0, -1.0]]] }
-- output { [[25.5, 1.5], [51.0, 6.0]] }

entry sums [n] [m] (xss: [n][m]f64) (seed: [m]f64) = vjp2 (reduce (map2 (+)) (replicate m 0)) xss seed
entry products [n] [m] (xss: [n][m]f64) (seed: [m]f64) = vjp2 (reduce (map2 (*)) (replicate m 1)) xss seed
entry columns [n] [m] (xss: [n][m]f64) (seed: [m]f64) =
  let by op (ne: f64) = vjp2 (reduce (map2 op) (replicate m ne)) xss seed
  let (a, b) = by (+) 0
  let (c, d) = by (*) 1
  let (e, f) = by f64.max (-f64.inf)
  in (a, b, c, d, e, f)
entry deep (xsss: [2][2][2]f64) =
  let zero = replicate 2 (replicate 2 0)
  let one = map (map (+ 1)) zero
  let (p, d) = vjp2 (reduce (map2 (map2 (*))) one) xsss one
  in (reduce (map2 (map2 (+))) zero xsss, p, d)
def mul [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
def eye n = tabulate_2d n n (\i j -> f64.bool (i == j))
entry chain [n] [k] (ms: [n][k][k]f64) (seed: [k][k]f64) = vjp2 (reduce mul (eye k)) ms seed
entry chain_tuples [n] (ms: [n][2][2]f64) (seed: [2][2]f64) =
  let f (ms: [n][2][2]f64) =
    let ts = map (\m -> (m[0, 0], m[0, 1], m[1, 0], m[1, 1])) ms
    let (a, b, c, d) =
      reduce (\(a, b, c, d) (e, f, g, h) -> (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)) (1, 0, 0, 1) ts
    in [[a, b], [c, d]]
  in vjp2 f ms seed
entry chain_forward [n] [k] (ms: [n][k][k]f64) = jvp (reduce mul (eye k)) ms ms
