-- Histograms: both modes, both arguments, each operator.
-- ==
-- entry: add mul mx general vec
-- input { [0i64, 1i64, 0i64, 5i64, -1i64] [1.0, 2.0, 3.0, 4.0, 5.0] } output { true }
def bins (op: f64 -> f64 -> f64) (ne: f64) (is: [5]i64) (d: [2]f64, vs: [5]f64) = reduce_by_index (copy d) op ne is vs
def jac f (d, vs) =
  (map (\i -> vjp f (d, vs) (tabulate 2 (\j -> f64.bool (i == j)))) (iota 2),
   map (\i -> jvp f (d, vs) (tabulate 2 (\j -> f64.bool (i == j)), replicate 5 0)) (iota 2),
   map (\i -> jvp f (d, vs) (replicate 2 0, tabulate 5 (\j -> f64.bool (i == j)))) (iota 5))
def agree (r: [2]([2]f64, [5]f64), jd: [2][2]f64, jv: [5][2]f64) (dd: [2][2]f64) (dv: [2][5]f64) =
  (map (.0) r == dd) && (map (.1) r == dv) && transpose jd == dd && transpose jv == dv
entry add (is: [5]i64) (vs: [5]f64) = agree (jac (bins (+) 0 is) ([7,8], vs)) [[1,0],[0,1]] [[1,0,1,0,0],[0,1,0,0,0]]
entry mul (is: [5]i64) (vs: [5]f64) = agree (jac (bins (*) 1 is) ([7,8], vs)) [[3,0],[0,2]] [[21,0,7,0,0],[0,8,0,0,0]]
entry mx (is: [5]i64) (vs: [5]f64) = agree (jac (bins f64.max f64.lowest is) ([2,2], vs)) [[0,0],[0,1]] [[0,0,1,0,0],[0,0,0,0,0]]
entry general (is: [5]i64) (vs: [5]f64) = agree (jac (bins (\x y -> x + y + x * y) 0 is) ([1,1], vs)) [[8,0],[0,3]] [[8,0,4,0,0],[0,2,0,0,0]]
entry vec (is: [5]i64) (vs: [5]f64) =
  let f (vss: [5][2]f64) = reduce_by_index (replicate 2 (replicate 2 0)) (map2 (+)) (replicate 2 0) is vss
  in vjp f (map (replicate 2) vs) [[1,2],[3,4]] == [[1,2],[3,4],[1,2],[0,0],[0,0]]
