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
-- entry: combined
-- input { [1.0, 2.0] 3.0 } output { [12.0, 8.0] [16.0, 8.0] [12.0, 8.0] 6.0 }
-- input { [1.0] 3.0 } output { [4.0] [4.0] [4.0] 2.0 }
-- input { empty([0]f64) 3.0 } output { empty([0]f64) empty([0]f64) empty([0]f64) 1.0 }
-- ==
-- entry: pushed_and_pulled
-- input { [2.0, 3.0] [1.0, 0.0] } output { [0.0, 3.0] [0.0, 3.0] }
-- ==
-- entry: last
-- input { [5.0, 6.0, 7.0] [1.0, 2.0, 3.0] } output { [1.0, 2.0, 3.0] [0.0, 0.0, 1.0] 0.0 }
-- input { empty([0]f64) empty([0]f64) } output { empty([0]f64) empty([0]f64) 1.0 }
-- ==
-- entry: composed
-- input { [2.0, 3.0] [1.0, 1.0] } output { [21.0, 15.0] [3.0, 1.0] }
-- ==
-- entry: ends
-- input { [2.0, 3.0, 4.0] [5.0, 6.0, 7.0] } output { [0.0, 0.0, 0.0] [0.0, 0.0, 1.0] [1.0, 1.0, 1.0] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[8.0, 20.0], [4.0, 12.0]] }
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
-- By an operator whose neutral element is 0, from another start: (1 + x) (1 + a) (1 + b) ... - 1.
entry combined [n] (xs: [n]f64) (x: f64) =
  let f = \a b -> a + b + a * b
  let known = vjp (reduce f 3) xs 1
  let running = vjp (scan f 3) xs (replicate n 1)
  let (dxs, dx) = vjp (\(xs, x) -> reduce f x xs) (xs, x) 1
  in (known, running, dxs, dx)
-- What is pushed forward through a product from 3 is a reduction of pairs, of which (3, 0) is not neutral either.
entry pushed_and_pulled [n] (xs: [n]f64) (d: [n]f64) =
  let pushed = vjp (\xs -> jvp (reduce (*) 3) xs d) xs 1
  let running = vjp (\xs -> f64.sum (jvp (scan (*) 3) xs d)) xs 1
  in (pushed, running)
-- An operator without a neutral element.
entry last [n] (xs: [n]f64) (seeds: [n]f64) =
  let f = \_ b -> b
  in (vjp (scan f 0) xs seeds, vjp (reduce f 0) xs 1, vjp (\x -> reduce f x xs) 0 1)
-- The functions a x + b, composed from 2 x + 5 on.
entry composed [n] (cs: [n]f64) (ds: [n]f64) =
  let f = \(a, b) (c, d) -> (a * c, b * c + d)
  in vjp (\(cs, ds) -> let (a, b) = reduce f (2, 5) (zip cs ds) in a + b) (cs, ds) 1
-- The left end and the right end: that of what is started from is always left.
entry ends [n] (as: [n]f64) (bs: [n]f64) =
  let f = \(a, _) (_, b) -> (a, b)
  let (das, dbs) = vjp (\(as, bs) -> let (a, b) = reduce f (8, 9) (zip as bs) in a + b) (as, bs) 1
  let running = vjp (\bs -> f64.sum ((unzip (scan f (8, 9) (zip as bs))).1)) bs 1
  in (das, dbs, running)
entry rows [n] (xs: [n][2]f64) =
  vjp (\xs -> f64.sum (reduce (map2 (\a b -> a + b + a * b)) [1, 3] xs)) xs 1
