-- Real operations of two arguments: both partial derivatives, in both modes.
-- ==
-- entry: forward reverse both
-- input { 2.5 -1.5 }
-- output { [[1.0, 1.0], [1.0, -1.0], [-1.5, 2.5], [-0.6666666666666666, -1.1111111111111112], [0.0, 1.0], [1.0, 0.0], [0.8574929257125442, -0.5144957554275265], [-0.17647058823529413, -0.29411764705882354], [-0.05617233285596306, -0.09362055475993843], [-1.0, 0.0], [1.0, 2.0]] }

def all_of (x: f64, y: f64) : [11]f64 =
  [ x + y, x - y, x * y, x / y, f64.min x y, f64.max x y
  , f64.hypot x y, f64.atan2 x y, f64.atan2pi x y, f64.copysign x y, x % y ]

entry forward (x: f64) (y: f64) : [11][2]f64 =
  transpose [jvp all_of (x, y) (1, 0), jvp all_of (x, y) (0, 1)]
entry reverse (x: f64) (y: f64) : [11][2]f64 =
  tabulate 11 (\i -> let (a, b) = vjp all_of (x, y) (replicate 11 0 with [i] = 1) in [a, b])
entry both (x: f64) (y: f64) : [11][2]f64 =
  let grads = mjp all_of (x, y) (tabulate_2d 11 11 (\i j -> f64.bool (i == j)))
  in map (\(a, b) -> [a, b]) grads
