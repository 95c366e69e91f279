-- ==
-- entry: gradient
-- input { [1.0, 2.0, 3.0] } output { [2.0, 4.0, 6.0] }
-- input { empty([0]f64) } output { empty([0]f64) }
-- ==
-- entry: both
-- input { 2.0 3.0 } output { 12.0 12.0 4.0 }
entry gradient [n] (xs: [n]f64) = vjp (\xs -> f64.sum (map (\x -> x * x) xs)) xs 1
entry both (x: f64) (y: f64) =
  let (r, (dx, dy)) = vjp2 (\(x, y) -> x * x * y) (x, y) 1
  in (r, dx, dy)
