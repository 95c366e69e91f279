-- ==
-- entry: tangent
-- input { 2.0 3.0 } output { 16.0 }
-- ==
-- entry: value_and_tangent
-- input { [1.0, 2.0] [1.0, 0.5] } output { 5.0 4.0 }
entry tangent (x: f64) (y: f64) = jvp (\(x, y) -> x * x * y) (x, y) (1, 1)
entry value_and_tangent [n] (xs: [n]f64) (dxs: [n]f64) = jvp2 (\xs -> f64.sum (map2 (*) xs xs)) xs dxs
