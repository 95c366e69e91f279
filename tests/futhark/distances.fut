-- Signed distances to shapes that are variants.
type obj = #sphere {r: f64} | #box {w: f64, h: f64} | #union f64 f64
type t 'a = #some a | #nothing
def mx = f64.max
def sdf (o: obj) (x: f64, y: f64) : f64 =
  match o
  case #sphere {r} -> f64.sqrt (x * x + y * y) - r
  case #box {w, h} -> (f64.abs x - w) `mx` (f64.abs y - h)
  case #union a b -> f64.min (a * x) (b * y)
def grad o p = vjp (sdf o) p 1
-- ==
-- entry: main
-- input { 3.0 4.0 } output { [0.6, 0.8] [0.0, 1.0] [2.0, 0.0] -1.0 [7.0, 0.0] }
entry main (x: f64) (y: f64) =
  let f o = let (a, b) = grad o (x, y) in [a, b]
  let dr = match vjp (\o -> sdf o (x, y)) (#sphere {r = 2f64}) 1 case #sphere {r} -> r case #box {w, h = _} -> w case #union a _ -> a
  let opt (m: t f64) : f64 = match m case #some a -> a * 7 case #nothing -> 0
  in (f (#sphere {r = 1}), f (#box {w = 1, h = 1}), f (#union 2 3), dr, map (\k -> vjp (\x -> opt (if k then #some x else #nothing)) x 1) [true, false])
