-- Inputs that are scripts: entry points applied to values, tuples, and files.
-- ==
-- entry: total
-- script input { upto 3i64 } output { 6.0 }
-- script input { (upto (count 2i64)) } output { 15.0 }
-- ==
-- entry: weighted
-- script input { (upto 3i64, [1.0, 0.0, 2.0]) } output { 7.0 }
-- script input { pair 2.0 } output { 4.0 }
-- ==
-- entry: back
-- script input { (upto 2i64, 3.0) } output { [3.0, 3.0] }
entry count (n: i64) = n * n + 1
entry upto (n: i64) = map f64.i64 (1...n)
entry pair (x: f64) = ([x], [x])
entry total (xs: []f64) = f64.sum xs
entry weighted [n] (xs: [n]f64) (ws: [n]f64) = f64.sum (map2 (*) xs ws)
entry back [n] (xs: [n]f64) (s: f64) = vjp f64.sum xs s
