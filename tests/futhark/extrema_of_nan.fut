-- Where one of two is NaN, the other is the smaller and the larger, and has the derivative; of two NaN, the second.
-- ==
-- entry: of_two
-- input { f64.nan 2.0 } output { 2.0 2.0 [0.0, 1.0] [0.0, 1.0] }
-- input { 2.0 f64.nan } output { 2.0 2.0 [1.0, 0.0] [1.0, 0.0] }
-- input { f64.nan f64.nan } output { f64.nan f64.nan [0.0, 1.0] [0.0, 1.0] }
-- input { f64.nan f64.inf } output { f64.inf f64.inf [0.0, 1.0] [0.0, 1.0] }
-- ==
-- entry: of_singles
-- input { f32.nan 2f32 } output { 2f32 2f32 1f32 }
-- input { 2f32 f32.nan } output { 2f32 2f32 0f32 }
-- ==
-- entry: of_all
-- input { [f64.nan, 1.0, f64.nan, 3.0, 1.0] } output { 3.0 [0.0, 0.0, 0.0, 1.0, 0.0] 1.0 [0.0, 1.0, 0.0, 0.0, 0.0] }
-- input { [f64.nan] } output { -f64.inf [0.0] f64.inf [0.0] }
-- input { empty([0]f64) } output { -f64.inf empty([0]f64) f64.inf empty([0]f64) }
-- ==
-- entry: from
-- input { f64.nan [f64.nan, 1.0, 2.0] } output { 2.0 0.0 [0.0, 0.0, 1.0] }
-- input { 3.0 [f64.nan, 1.0, 2.0] } output { 3.0 1.0 [0.0, 0.0, 0.0] }
-- input { 3.0 [f64.nan] } output { 3.0 1.0 [0.0] }
-- input { f64.nan [f64.nan, f64.nan] } output { f64.nan 0.0 [0.0, 1.0] }
-- ==
-- entry: bins
-- input { [f64.nan, 5.0] [0i64, 0i64, 1i64, 1i64] [1.0, f64.nan, f64.nan, 2.0] }
-- output { [1.0, 5.0] [0.0, 1.0] [1.0, 0.0, 0.0, 0.0] }
-- ==
-- entry: prefixes
-- input { [f64.nan, 1.0, f64.nan, 3.0] } output { [-f64.inf, 1.0, 1.0, 3.0] [0.0, 2.0, 0.0, 1.0] }

entry of_two (x: f64) (y: f64) =
  let d f = let (a, b) = vjp f (x, y) 1 in [a, b]
  in (f64.min x y, f64.max x y, d (\(x, y) -> f64.min x y), d (\(x, y) -> f64.max x y))
entry of_singles (x: f32) (y: f32) = (f32.min x y, f32.max x y, jvp (\y -> f32.max x y) y 1)
entry of_all [n] (xs: [n]f64) = (f64.maximum xs, vjp f64.maximum xs 1, f64.minimum xs, vjp f64.minimum xs 1)
entry from [n] (x: f64) (xs: [n]f64) =
  let (y, (dx, dxs)) = vjp2 (\(x, xs: [n]f64) -> reduce f64.max x xs) (x, xs) 1
  in (y, dx, dxs)
entry bins [m] [n] (d: [m]f64) (is: [n]i64) (vs: [n]f64) =
  let (y, (dd, dvs)) = vjp2 (\(d: [m]f64, vs: [n]f64) -> reduce_by_index (copy d) f64.max (-f64.inf) is vs) (d, vs) (replicate m 1)
  in (y, dd, dvs)
entry prefixes [n] (xs: [n]f64) =
  let f (xs: [n]f64) = scan f64.max (-f64.inf) xs
  in (f xs, vjp f xs (replicate n 1))
