-- ==
-- entry: absolute
-- input { -2.0 } output { 2.0 -1.0 -1.0 }
-- input { 0.5 } output { 0.5 1.0 1.0 }
-- ==
-- entry: arrays
-- input { true [1, 2] } output { [1, 2, 1, 2] }
-- input { false [1, 2] } output { [1] }
def f (x: f64) = if x < 0 then -x else x
entry absolute (x: f64) = (f x, vjp f x 1, jvp f x 1)
entry arrays [n] (c: bool) (xs: [n]i32) = if c then xs ++ xs else take 1 xs
