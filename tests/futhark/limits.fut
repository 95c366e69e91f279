-- Mistakes of a run, each with its message.
-- ==
-- entry: index
-- input { [1.0, 2.0] 5i64 } error: index 5 is out of bounds
-- input { [1.0, 2.0] -1i64 } error: out of bounds
-- input { empty([0]f64) 0i64 } error: out of bounds
-- input { [1.0, 2.0] 1i64 } output { 2.0 [0.0, 1.0] }
-- ==
-- entry: sizes
-- input { [1.0, 2.0] [1.0] } error: size
-- ==
-- entry: asserted
-- input { -1.0 } error: assertion
-- input { 4.0 } output { 2.0 0.25 }
-- ==
-- entry: divided
-- input { 5 0 } error: has no value
-- input { 7 2 } output { 3 0 }
-- ==
-- entry: negative
-- input { -3i64 } error: -3 elements
-- ==
-- entry: coerced
-- input { [1.0, 2.0, 3.0] 2i64 } error: size
-- input { [1.0, 2.0, 3.0] 3i64 } output { 6.0 }

entry index [n] (xs: [n]f64) (i: i64) = vjp2 (\(xs: [n]f64) -> xs[i]) xs 1
entry sizes [n] [m] (xs: [n]f64) (ys: [m]f64) = vjp (\xs -> f64.sum (map2 (*) xs (ys :> [n]f64))) xs 1
entry asserted (x: f64) = vjp2 (\x -> assert (x >= 0) (f64.sqrt x)) x 1
entry divided (x: i32) (y: i32) = vjp2 (\x -> x / y) x 1
entry negative (n: i64) = replicate n 1.0
entry coerced [n] (xs: [n]f64) (m: i64) = f64.sum (xs :> [m]f64)
