-- ==
-- entry: repeated
-- input { [1i64, 0i64, 3i64] } output { [0i64, 0i64, 1i64, 2i64] }
-- input { [0i64, 0i64] } output { empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) }
-- ==
-- entry: adjoint
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] } output { [12.0, 0.0, 14.0] }
-- ==
-- entry: tangent
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] } output { [6.0, 6.0, 14.0] }
-- ==
-- entry: rows
-- input { [1i64, 2i64] } output { [[0i64, 1i64], [0i64, 2i64], [1i64, 2i64]] }
def powers [n] (ns: [n]i64) (xs: [n]f64): []f64 = flatmap (\(k, x) -> replicate k (x * x)) (zip ns xs)
entry repeated (ns: []i64) = flatmap iota ns
entry adjoint [n] (ns: [n]i64) (xs: [n]f64) = vjp (\xs -> f64.sum (powers ns xs)) xs 1
entry tangent [n] (ns: [n]i64) (xs: [n]f64) =
  let k = i64.sum ns
  in jvp (\xs -> powers ns xs :> [k]f64) xs (replicate n 1)
entry rows (ns: []i64) = flatmap (\n -> map (\i -> [i, n]) (iota n)) ns
