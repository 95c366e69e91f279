-- ==
-- entry: movement
-- input { [1, 2, 3, 4] }
-- output { [4, 3, 2, 1] [2, 3, 4, 1] 1 4 [1, 2] [3, 4] [1, 2, 3, 4, 4, 3, 2, 1] }
-- ==
-- entry: rotations
-- input { -1i64 [1, 2, 3] } output { [3, 1, 2] }
-- input { 5i64 [1, 2, 3] } output { [3, 1, 2] }
-- input { 3i64 empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: tables
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]] [7i64, 7i64] [0i64, 1i64, 2i64] }
-- ==
-- entry: zips
-- input { [1, 2] [3, 4] } output { [3, 8] [4, 6] [5, 10] }
-- ==
-- entry: iterated
-- input { 3 } output { 24 }
entry movement [n] (xs: [n]i32) =
  (reverse xs, rotate 1 xs, head xs, last xs, take 2 xs, drop 2 xs, xs ++ reverse xs)
entry rotations [n] (k: i64) (xs: [n]i32) = rotate k xs
entry tables (n: i64) (m: i64) = (tabulate_2d n m (\i j -> i * m + j), replicate n 7i64, indices (replicate m true))
entry zips [n] (xs: [n]i32) (ys: [n]i32) =
  let (a, b) = unzip (map (\(x, y) -> (x * y, x + y)) (zip xs ys))
  in (a, b, map3 (\x y z -> x + y + z - y) xs (copy ys) (map (uncurry (*)) (zip (replicate n 4) xs)))
entry iterated (x: i32) = iterate 3 (* 2) x
