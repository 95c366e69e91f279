-- ==
-- entry: areas
-- input { 2.0 3.0 } output { [6.0, 12.0, 0.0] 3.0 2.0 }
-- ==
-- entry: equal
-- input { 2.0 2.0 } output { true false }
type shape = #square f64 | #rectangle f64 f64 | #none
def area (s: shape): f64 =
  match s
  case #square a -> 3 * a * a
  case #rectangle a b -> a * b
  case #none -> 0
entry areas (a: f64) (b: f64) =
  let shapes: [3]shape = [#rectangle a b, #square a, #none]
  let (x, y) = vjp (\(a, b) -> area (#rectangle a b)) (a, b) 1
  in (map area shapes, x, y)
entry equal (a: f64) (b: f64) = ((#square a : shape) == #square b, (#square a : shape) == #rectangle a b)
