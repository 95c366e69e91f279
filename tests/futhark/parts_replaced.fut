-- Parts of arrays in several dimensions, in place.
-- ==
-- entry: turned
-- input { [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] } output { [[1, 2, 3, 4], [103, 102, 101, 100], [113, 112, 111, 110]] }
-- ==
-- entry: column
-- input { 2i64 [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] } output { [[1, 2, 0, 4], [5, 6, 1, 8], [9, 10, 2, 12]] }
-- input { 4i64 [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] } error: bounds
-- input { -1i64 [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] } error: bounds
-- input { 2i64 empty([0][5]i32) } output { empty([0][5]i32) }
-- input { 7i64 empty([0][5]i32) } error: bounds
-- ==
-- entry: every_other
-- input { [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] } output { [[1, 100, 3, 101], [5, 6, 7, 8], [9, 110, 11, 111]] }
-- ==
-- entry: planes
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]] }
-- output { [[[1, 2], [3, 4]], [[101, 100], [7, 8]], [[111, 110], [11, 12]]] [[[1, 2], [3, 4]], [[0, 1], [0, 1]], [[0, 1], [0, 1]]] }
-- ==
-- entry: both
-- input { [[1.0, 2.0], [3.0, 4.0]] [5.0, 6.0] 1i64 }
-- output { [[1.0, 10.0], [3.0, 12.0]] [[1.0, 2.0], [3.0, 2.0]] [[2.0, 0.0], [4.0, 0.0]] [6.0, 10.0] }
-- input { [[1.0, 2.0], [3.0, 4.0]] [5.0, 6.0] 2i64 } error: bounds
entry turned [n][m] (x: *[n][m]i32) = x with [1:3, ::-1] = tabulate_2d 2 m (\i j -> i32.i64 (100 + i * 10 + j))
entry column [n][m] (i: i64) (x: *[n][m]i32) = x with [:, i] = map i32.i64 (iota n)
entry every_other [n][m] (x: *[n][m]i32) = x with [0:n:2, 1:m:2] = tabulate_2d 2 2 (\i j -> i32.i64 (100 + i * 10 + j))
entry planes [n][m][k] (x: [n][m][k]i32): ([n][m][k]i32, [n][m][k]i32) =
  ( copy x with [1:, 0, ::-1] = tabulate_2d (n - 1) k (\i j -> i32.i64 (100 + i * 10 + j))
  , copy x with [1:, 0:2] = replicate (n - 1) (replicate 2 (map i32.i64 (iota k))) )
entry both [n][m] (x: [n][m]f64) (y: [n]f64) (i: i64) =
  let f (x: [n][m]f64, y: [n]f64) = copy x with [:, i] = map (* 2) y
  let seed = map (map (+ 1)) x
  let (dx, dy) = vjp f (x, y) seed
  in (f (x, y), jvp f (x, y) (x, map (const 1) y), dx, dy)
