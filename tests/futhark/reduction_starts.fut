-- A start that is not neutral counts once.
-- ==
-- entry: starts
-- input { [2.0, 3.0, 5.0] 7.0 } output { 17.0 210.0 7.0 2.0 17.0 22.0 22.0 }
-- input { [2.0, 3.0] 1.0 } output { 6.0 6.0 3.0 1.0 6.0 11.0 11.0 }
-- ==
-- entry: whole
-- input { [3, 5, 9] 6 } output { 23 810 9 0 15 9 }
-- ==
-- entry: adjoints
-- input { [2.0, 3.0, 5.0] 7.0 } output { [105.0, 70.0, 42.0] 30.0 [1.0, 1.0, 1.0] 1.0 }
-- ==
-- entry: unknown
-- input { 300i64 3i64 } output { 19i64 }
-- input { 1i64 3i64 } output { 19i64 }
-- input { 0i64 3i64 } output { 3i64 }

entry starts [n] (xs: [n]f64) (x: f64) =
  ( reduce (+) x xs, reduce (*) x xs, reduce f64.max x xs, reduce f64.min x xs, reduce_comm (\a b -> b + a) x xs
  , (reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (x, 5 + x) (zip xs (copy xs))).1
  , (reduce (\(a, b) (c, d) -> (a + c, b + d)) (x, 5 + x) (zip xs (copy xs))).1 )
entry whole [n] (xs: [n]i32) (x: i32) =
  (reduce (+) x xs, reduce (*) x xs, reduce i32.max x xs, reduce (&) x xs, reduce (|) x xs, reduce (^) x xs)
entry adjoints [n] (xs: [n]f64) (x: f64) =
  let (dxs, dx) = vjp (\(xs, x) -> reduce (*) x xs) (xs, x) 1
  let (es, e) = vjp (\(xs, x) -> reduce (+) x xs) (xs, x) 1
  in (dxs, dx, es, e)
-- (1 + x) (1 + 4) - 1, by an operator of which nothing is known but that it commutes.
entry unknown (n: i64) (x: i64) =
  reduce_comm (\a b -> a + b + a * b) x (map (\k -> if k == n - 1 then 4 else 0) (iota n))
