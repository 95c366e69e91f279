-- The functions on arrays that other programs here do not mention.
-- ==
-- entry: folds
-- input { [1, 2, 3] }
-- output { 123 321 6 true false [1, 2, 3] [3, 2, 1] }
-- ==
-- entry: zips
-- input { [1, 2] [3.0, 4.0] }
-- output { [1, 2] [3.0, 4.0] [1, 2] [6.0, 8.0] [4.0, 6.0] [8.0, 12.0] [9.0, 12.0] }
-- ==
-- entry: shapes
-- input { 2i64 }
-- output { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] [[[0i64, 1i64], [2i64, 3i64]], [[4i64, 5i64], [6i64, 7i64]]] [1i64, 2i64] [0i64] [0i64, 1i64] [2i64] }
-- ==
-- entry: functions
-- input { 5 }
-- output { 5 5 3 8 640 1 7 10 }
-- ==
-- entry: parts
-- input { [5, -1, 0, 7, -3] }
-- output { [5, 7] [-1, -3] [0] [5, 7] [-1, 0, -3] }
-- ==
-- entry: places
-- input { [1.0, 2.0, 3.0] }
-- output { [[0.0, 1.0], [3.0, 0.0]] [0.0, 9.0, 0.0] [5.0, 0.0, 1.0] [3.0, 4.0, 0.0] }

entry folds [n] (xs: [n]i32) =
  ( foldl (\a x -> 10 * a + x) 0 xs, foldr (\x a -> 10 * a + x) 0 xs, reduce_comm (+) 0 xs
  , and (map (> 0) xs), or (map (> 3) xs), manifest xs, reverse xs )
entry zips [n] (xs: [n]i32) (ys: [n]f64) =
  let (a, b, c) = unzip3 (zip3 xs ys ys)
  let (d, e, f, _) = unzip4 (zip4 xs (map2 (+) ys c) ys xs)
  let g = map4 (\a b c d -> a + b + c - d + d) ys ys (map f64.i32 xs) ys
  in (a, b, d, e, map3 (\x y _ -> y + f64.i32 x) xs f ys, map2 (+) g (map f64.i32 xs), map (3 *) (map1 id f))
entry shapes (n: i64) =
  let cube = tabulate_3d n n n (\i j k -> 4 * i + 2 * j + k)
  let (a, b) = split (sized (1 + 1) (iota 2))
  in (flatten_3d cube, unflatten_3d (flatten_3d cube), tail (iota 3), init (iota (2i64)), a ++ b, drop 2 (iota 3))
entry functions (x: i32) =
  ( id x, const x true, curry (\(a, b) -> b - a) 2 x, uncurry (+) (3, x), iterate 7 (* 2) x
  , iterate_while (> 1) (/ 2) x, iterate_until (> 6) (+ 1) x, flip (-) x 15 )
entry parts [n] (xs: [n]i32) =
  let (a, b, c) = partition2 (> 0) (< 0) xs
  let (d, e) = partition (\x -> x > 0) xs
  in (a, b, c, d, e)
entry places (xs: [3]f64) =
  ( scatter_2d [[0, 0], [0, 0]] [(0, 1), (5, 5), (1, 0)] xs, vjp (\(xs: [3]f64) -> xs[1] * xs[2] * xs[2]) xs 1 with [2] = 0
  , spread 3 0.0 [2, -1, 0] [1, 2, 5], hist (+) 0.0 3 [0, 0, 1] [1.0, 2.0, 4.0] )
