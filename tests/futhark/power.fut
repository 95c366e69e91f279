-- ==
-- entry: power
-- input { 2.0 3.0 } output { 8.0 12.0 5.545177444479562 12.0 }
-- input { 0.0 1.0 } output { 0.0 1.0 0.0 1.0 }
-- input { 0.0 0.0 } output { 1.0 0.0 0.0 0.0 }
-- input { 0.0 0.5 } output { 0.0 0.0 0.0 0.0 }
-- input { -2.0 2.0 } output { 4.0 -4.0 0.0 -4.0 }
-- ==
-- entry: whole
-- input { 3 4 } output { 81 108 }
entry power (x: f64) (y: f64) =
  let (dx, dy) = vjp (\(x, y) -> x ** y) (x, y) 1
  in (x ** y, dx, dy, jvp (\x -> x ** y) x 1)
entry whole (x: i32) (y: i32) = (x ** y, vjp (\x -> x ** y) x 1)
