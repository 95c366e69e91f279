-- A conditional that exchanges arrays.
-- ==
-- entry: main
-- input { [1.0,2.0] [3.0,4.0] true } output { [0.0,0.0] [1.0,2.0] }
-- input { [1.0,2.0] [3.0,4.0] false } output { [1.0,2.0] [0.0,0.0] }
entry main (a: [2]f64) (b: [2]f64) (c: bool) = vjp (\(a: [2]f64, b: [2]f64) -> let (x, _) = if c then (b, a) else (a, b) in x) (a, b) [1, 2]
