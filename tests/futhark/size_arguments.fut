-- A size that is differentiated by: that of copies feels nothing, and that of `iota` the sum of what its elements feel, in reverse
-- mode alone.
-- ==
-- entry: copies
-- input { 3i64 } output { 0i64 }
-- ==
-- entry: numbered
-- input { 3i64 } output { 6i64 0i64 15i64 }
-- ==
-- entry: numbered_inside
-- input { 2.0 3i64 } output { 6i64 3.0 9i64 [3i64, 2i64] }
-- ==
-- entry: rounded_size
-- input { 3.5 } output { 6.0 3.0 }
entry copies (n: i64) = vjp (\n -> i64.sum (replicate n 2)) n 1
entry numbered (n: i64) =
  let f n = i64.sum (map (\i -> i * i) (iota n))
  in (vjp f n 1, jvp f n 1, vjp (\n -> i64.sum (map (\k -> i64.sum (iota (k * n))) [1, 2])) n 1)
entry numbered_inside (x: f64) (n: i64) =
  let f (n, x) = f64.sum (map (\i -> x * f64.i64 i) (iota n))
  let (dn, dx) = vjp f (n, x) 1
  in (dn, dx, vjp (\n -> vjp (\x -> f (n, x)) x 1) n 3, vjp (\ns -> map (\k -> i64.sum (iota k)) ns) [n, 2] [1, 1])
entry rounded_size (x: f64) =
  (vjp (\x -> i64.sum (iota (i64.f64 x))) x 2, vjp (\x -> f64.i64 (i64.sum (iota (i64.f64 x))) * x) x 1)
