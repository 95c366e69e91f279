-- Adjoints of one's own, over every shape of value, with checks and inside combinators.
-- ==
-- entry: tuples
-- input { 2.0 3.0 } output { 6.0 30.0 20.0 }
-- ==
-- entry: arrays
-- input { [3.0, 1.0, 2.0] } output { [1.0, 2.0, 3.0] [30.0, 10.0, 20.0] }
-- ==
-- entry: records
-- input { 2.0 3.0 } output { 8.0 12.0 5.0 }
-- ==
-- entry: checked
-- input { [1.0, 2.0, 3.0] 1i64 } output { 2.0 [0.0, 10.0, 0.0] }
-- input { [1.0, 2.0, 3.0] 4i64 } error: out of bounds
-- ==
-- entry: checked_adjoint
-- input { [1.0, 2.0, 3.0] 1i64 } output { 2.0 [0.0, 1.0, 0.0] }
-- ==
-- entry: in_loop
-- input { 1.0 3i64 } output { 8.0 27.0 8.0 }
-- ==
-- entry: in_reduce
-- input { [1.0, 2.0, 3.0] } output { 14.0 [3.0, 6.0, 9.0] }
-- ==
-- entry: implicit
-- input { 2.0 } output { 1.4142135623730951 0.3535533905932738 }
-- ==
-- entry: clipped
-- input { [100.0, -0.5, -70.0] } output { [1.0, -0.5, -1.0] [1.0, 1.0, 1.0] }

entry tuples (x: f64) (y: f64) =
  let f (x, y) = with_vjp_tape (\(x, y) -> ((x, y), x * y)) (\((x, y), dz) -> (10 * y * dz, 10 * x * dz)) (x, y)
  let (v, (dx, dy)) = vjp2 f (x, y) 1
  in (v, dx, dy)

def order [n] (xs: [n]f64) : [n]i64 =
  map (\x -> i64.sum (map (\y -> i64.bool (y < x)) xs)) xs
def sort [n] (xs: [n]f64) : [n]f64 =
  let both = with_vjp (\(xs: [n]f64) -> let is = order xs in (scatter (replicate n 0) is xs, is))
                      (\(_, is) (dys: [n]f64, _) -> map (\i -> dys[i]) is)
  in (both xs).0
entry arrays [n] (xs: [n]f64) = (sort xs, vjp sort xs (map (\i -> 10 * f64.i64 i) (1...n)))

type point = {x: f64, y: f64}
entry records (x: f64) (y: f64) =
  let f (p: point) = with_vjp_tape (\(p: point) -> (p, p.x * p.x * (p.y - 1)))
                                   (\(p: point, dz) -> {x = 2 * p.x * p.y * dz, y = (p.x + p.y) * dz}) p
  let (v, d) = vjp2 f {x, y} 1
  in (v, d.x, d.y)

-- The function has a check, and the adjoint another.
entry checked [n] (xs: [n]f64) (i: i64) =
  let f xs = with_vjp (\(xs: [n]f64) -> xs[i]) (\_ dy -> replicate n 0 with [i] = 10 * dy) xs
  in vjp2 f xs 1
entry checked_adjoint [n] (xs: [n]f64) (i: i64) =
  let f xs = with_vjp_tape (\(xs: [n]f64) -> (i, f64.maximum xs - 1)) (\(i, dy) -> replicate n 0 with [i] = dy) xs
  in vjp2 f xs 1

entry in_loop (x: f64) (n: i64) =
  let double x = with_vjp (\x -> 2 * x) (\_ y -> 3 * y) x
  let f x = loop x for _i < n do double x
  in (f x, vjp f x 1, jvp f x 1)
entry in_reduce [n] (xs: [n]f64) =
  let square x = with_vjp_tape (\x -> (x, x * x)) (\(x, y) -> 3 * x * y) x
  in vjp2 (\xs -> f64.sum (map square xs)) xs 1
-- The root that iteration finds, differentiated by the theorem of implicit functions.
def root (a: f64) =
  with_vjp (\a -> loop x = a for _i < 30 do (x + a / x) / 2) (\x y -> y / (2 * x)) a
entry implicit (a: f64) = vjp2 root a 1
-- Gradients clipped on their way back.
def clip (x: f64) = with_vjp id (\_ y -> f64.max (-1) (f64.min 1 y)) x
entry clipped [n] (xs: [n]f64) =
  let f xs = f64.sum (map2 (*) (map clip xs) xs)
  in (map2 (\d x -> d - x) (vjp f xs 1) xs, vjp (map clip) xs (map (\_ -> 5) xs))
