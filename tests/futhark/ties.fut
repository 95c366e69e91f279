-- ==
-- entry: ties
-- input { 2.0 2.0 } output { 1.0 0.0 1.0 0.0 }
-- ==
-- entry: whole
-- input { [3, 5, 5] } output { [0, 1, 0] }
entry ties (x: f64) (y: f64) =
  let (a, b) = vjp (\(x, y) -> f64.max x y) (x, y) 1
  let (c, d) = vjp (\(x, y) -> f64.min x y) (x, y) 1
  in (a, b, c, d)
entry whole [n] (xs: [n]i32) = vjp i32.maximum xs 1
