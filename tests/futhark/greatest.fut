-- The greatest element and its place; ties go to the first.
def argmax [n] (xs: [n]f64) = reduce_comm (\(a, i) (b, j) -> if a > b then (a, i) else if b > a then (b, j) else if i < j then (a, i) else (b, j)) (f64.lowest, -1) (zip xs (iota n))
-- ==
-- entry: main
-- input { [1.0, 5.0, 5.0] } output { 5.0 1i64 [0.0, 1.0, 0.0] }
entry main [n] (xs: [n]f64) = let (v, i) = argmax xs in (v, i, vjp (\xs -> (argmax xs).0) xs 1)
