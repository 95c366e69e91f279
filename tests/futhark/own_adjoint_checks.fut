-- Adjoint functions that hold checks: they are made where the adjoint is asked for, and nowhere else.
-- ==
-- entry: reverse
-- input { 2.0 } output { 4.0 4.0 }
-- input { -2.0 } error: the assertion does not hold
-- ==
-- entry: forward
-- input { 2.0 } output { 4.0 4.0 }
-- input { -2.0 } output { 4.0 -4.0 }
-- ==
-- entry: value
-- input { -2.0 } output { 4.0 }
-- ==
-- entry: elements
-- input { [1.0, 2.0] } output { [2.0, 4.0] }
-- input { [1.0, -2.0] } error: the assertion does not hold
-- ==
-- entry: divided
-- input { 6.0 3 } output { 2.0 }
-- input { 6.0 0 } error: has no value
-- ==
-- entry: in_loop
-- input { 2.0 3i64 } output { 256.0 1024.0 }
-- input { -2.0 3i64 } error: assertion

def square (x: f64) = with_vjp_tape (\x -> (x, x * x)) (\(x, y) -> assert (x > 0) (2 * x * y)) x
entry reverse (x: f64) = vjp2 square x 1
entry forward (x: f64) = jvp2 square x 1
entry value (x: f64) = square x
entry elements (xs: []f64) = vjp (\xs -> f64.sum (map square xs)) xs 1
entry divided (x: f64) (n: i32) =
  vjp (\x -> with_vjp_tape (\x -> (n, x)) (\(n, y) -> y * f64.i32 (6 / n)) x) x 1
entry in_loop (x: f64) (n: i64) = vjp2 (\x -> loop x for _i < n do square x) x 1
