-- Parts of matrices are replaced, in a copy and in a loop that changes a matrix where it is.

-- Factors without pivots, both in one matrix.
def lu [n] (a: *[n][n]f64): *[n][n]f64 =
  loop a for k < n - 1 do
    let m = n - k - 1
    let row = copy (a[k, k + 1:] :> [m]f64)
    let factors = map (/ a[k, k]) (a[k + 1:, k] :> [m]f64)
    let inner = map2 (\factor -> map2 (\y x -> x - factor * y) row) factors (a[k + 1:, k + 1:] :> [m][m]f64)
    let a = a with [k + 1:, k] = factors
    in a with [k + 1:, k + 1:] = inner

def dominant (n: i64): [n][n]f64 =
  tabulate_2d n n (\i j -> if i == j then 20 + f64.i64 i else f64.i64 ((i * 7 + j * 5) % 11) / 11)

def product [n] (a: [n][n]f64) (b: [n][n]f64) =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def greatest [n] (a: [n][n]f64): f64 = f64.maximum (map f64.abs (flatten a))

-- The factors' product is the matrix.
-- ==
-- entry: back
-- input { 1i64 } output { true }
-- input { 5i64 } output { true }
-- input { 40i64 } output { true }
entry back (n: i64) =
  let a = dominant n
  let f = lu (copy a)
  let lower = tabulate_2d n n (\i j -> if i == j then 1 else if i > j then f[i, j] else 0)
  let upper = tabulate_2d n n (\i j -> if i <= j then f[i, j] else 0)
  in greatest (map2 (map2 (-)) (product lower upper) a) < 1e-12

-- The derivative of the logarithm of a determinant is the inverse, transposed; by both modes.
-- ==
-- entry: of_determinant
-- input { 1i64 } output { true true }
-- input { 5i64 } output { true true }
-- input { 20i64 } output { true true }
entry of_determinant (n: i64) =
  let a = dominant n
  let logarithm (a: [n][n]f64) = let f = lu (copy a) in f64.sum (map (\i -> f64.log f[i, i]) (iota n))
  let gradient = vjp logarithm a 1
  let one = tabulate_2d n n (\i j -> f64.bool (i == j))
  let direction = tabulate_2d n n (\i j -> f64.i64 (i - 2 * j))
  let slope = jvp logarithm a direction
  in (greatest (map2 (map2 (-)) (product a (transpose gradient)) one) < 1e-12,
      f64.abs (slope - f64.sum (flatten (map2 (map2 (*)) gradient direction))) < 1e-9)

-- ==
-- entry: parts
-- input { 1i64 2i64 }
-- output {
--   [[0, 1, 2, 3], [4, 100, 101, 7], [8, 102, 103, 11]]
--   [[0, 1, 2, 3], [4, 5, 100, 7], [8, 9, 101, 11]]
--   [[0, 100, 101, 3], [4, 102, 103, 7], [8, 104, 105, 11]]
--   [[100, 1, 101, 3], [4, 5, 6, 7], [102, 9, 103, 11]]
--   [[0, 1, 2, 3], [100, 5, 101, 7], [102, 9, 103, 11]]
--   [[0, 1, 2, 3], [103, 5, 102, 7], [101, 9, 100, 11]]
-- }
entry parts (s: i64) (k: i64): ([3][4]i32, [3][4]i32, [3][4]i32, [3][4]i32, [3][4]i32, [3][4]i32) =
  let a = unflatten (map i32.i64 (iota (3 * 4)))
  let new n m = tabulate_2d n m (\i j -> 100 + i32.i64 (i * m + j))
  in (copy a with [s:, s:s + k] = new (3 - s) k,
      copy a with [s:, k] = map (.[0]) (new (3 - s) 1),
      copy a with [:, s:s + k] = new 3 k,
      copy a with [::2, ::2] = new 2 2,
      copy a with [s:, ::2] = new (3 - s) 2,
      copy a with [2:0:-1, 2::-2] = new 2 2)

-- Of more dimensions, where an index is among the slices.
-- ==
-- entry: deep
-- input { 1i64 }
-- output {
--   [[[0, 1, 2], [3, 4, 5]], [[6, 100, 101], [9, 10, 11]], [[12, 102, 103], [15, 16, 17]]]
--   [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 100, 11]], [[12, 13, 14], [15, 101, 17]]]
--   [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [100, 101, 102]], [[12, 13, 14], [103, 104, 105]]]
--   [[[0, 1, 2], [3, 4, 5]], [[6, 100, 8], [9, 101, 11]], [[12, 102, 14], [15, 103, 17]]]
-- }
entry deep (s: i64): ([3][2][3]i32, [3][2][3]i32, [3][2][3]i32, [3][2][3]i32) =
  let a = unflatten_3d (map i32.i64 (iota (3 * 2 * 3)))
  let new n m = tabulate_2d n m (\i j -> 100 + i32.i64 (i * m + j))
  in (copy a with [s:, 0, s:] = new (3 - s) (3 - s),
      copy a with [s:, s, s] = map (.[0]) (new (3 - s) 1),
      copy a with [s:, s:] = (map (\row -> [row]) (new (3 - s) 3) :> [3 - s][2 - s][3]i32),
      copy a with [s:, :, s] = new (3 - s) 2)

-- ==
-- entry: outside
-- input { 1i64 3i64 4i64 } output { [[0, 1], [2, 9], [4, 9]] }
-- input { 1i64 4i64 4i64 } error: bounds
-- input { -1i64 2i64 4i64 } error: bounds
-- input { 2i64 1i64 4i64 } error: bounds
-- input { 1i64 2i64 4i64 } error: size
entry outside (from: i64) (to: i64) (_: i64): [3][2]i32 =
  let a = [[0, 1], [2, 3], [4, 5]]
  in a with [from:to, 1:] = ([[9], [9]] :> [to - from][1]i32)
