-- ==
-- entry: moved
-- input { 1.0 2.0 } output { 4.0 2.0 }
-- ==
-- entry: adjoint
-- input { 2.0 3.0 } output { 12.0 4.0 }
type point = {x: f64, y: f64}
def move (by: f64) (p: point): point = p with x = p.x + by
entry moved (x: f64) (y: f64) = let {x, y} = move 3 {x, y} in (x, y)
entry adjoint (x: f64) (y: f64) =
  let d = vjp (\(p: point) -> p.x * p.x * p.y) {x, y} 1
  in (d.x, d.y)
