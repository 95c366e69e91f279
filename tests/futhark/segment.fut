-- The largest sum of a segment, by an operator on four numbers.
type t = (f64, f64, f64, f64)
def op ((ax, ay, az, at): t) ((bx, by, bz, bt): t) : t = (f64.max ax (f64.max bx (az + by)), f64.max ay (at + by), f64.max (az + bt) bz, at + bt)
def mss [n] (xs: [n]f64) : f64 = (reduce op (0, 0, 0, 0) (map (\x -> let m = f64.max x 0 in (m, m, m, x)) xs)).0
-- ==
-- entry: fwd rev
-- input { [1.0, -2.0, 3.0, 4.0, -1.0, 5.0, -6.0, 1.0] } output { [0.0,0.0,1.0,1.0,1.0,1.0,0.0,0.0] }
entry rev [n] (xs: [n]f64) = vjp mss xs 1
entry fwd [n] (xs: [n]f64) = tabulate n (\i -> jvp mss xs (tabulate n (\j -> f64.bool (i == j))))
