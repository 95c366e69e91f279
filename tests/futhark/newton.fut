-- Derivatives inside of algorithms that are differentiated themselves.
-- ==
-- entry: root
-- input { 2.0 } output { 1.2599210498948732 0.20998684164914552 0.20998684164914552 }
-- ==
-- entry: minimum
-- input { [1.0, 2.0] } output { [0.5, 1.0] }
-- ==
-- entry: saddle
-- input { [1.5, 0.5] } output { [-3.0, -2.0] }
-- ==
-- entry: hypergradient
-- input { 0.1 } output { 0.42949672960000024 -10.737418240000006 }
-- ==
-- entry: laplacian
-- input { [1.0, 2.0, 3.0] } output { 36.0 }

-- Newton's method with its own derivative, differentiated by what it solves for.
def newton (f: f64 -> f64) (x: f64) =
  loop x for _i < 20 do
    let (y, dy) = jvp2 f x 1
    in x - y / dy
def cube_root (a: f64) = newton (\x -> x * x * x - a) a
entry root (a: f64) = (cube_root a, vjp cube_root a 1, jvp cube_root a 1)
-- x' A x / 2 - b' x with A = 2.
entry minimum (b: [2]f64) =
  let f (x: [2]f64) = f64.sum (map2 (\x b -> x * x - b * x) x b)
  in loop x = [0, 0] for _i < 60 do
       let g = vjp f x 1
       in map2 (\x g -> x - 0.4 * g) x g
entry saddle (xy: [2]f64) =
  let f (x: f64) (y: f64) = x * x * y - y * y * y
  let gx y x = vjp (\x -> f x y) x 1
  let gy x y = vjp (\y -> f x y) y 1
  let (x, y) = (xy[0], xy[1])
  -- the second derivatives that cross, and one that does not
  in [-(jvp (\y -> gx y x) y 1), jvp (\x -> gy x y) x 1 - jvp (gy x) y 1 * 0 - 5]
-- The loss after ten steps of descent, by the rate.
entry hypergradient (rate: f64) =
  let descend rate = loop w = 4 for _i < 10 do w - rate * vjp (\w -> w * w) w 1
  in (descend rate, vjp descend rate 1)
entry laplacian [n] (x: [n]f64) =
  let f x = f64.sum (map (** 3) x)
  let unit i = replicate n 0 with [i] = 1
  in f64.sum (map (\i -> (jvp (\x -> vjp f x 1) x (unit i))[i]) (iota n))
