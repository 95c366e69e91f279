-- Programs of every day, which `--example everyday` times beside the plain loops of `loops.rs`.

entry product [n][m][k] (a: [n][m]f64) (b: [m][k]f64): [n][k]f64 =
  map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a

entry transposed [n][m] (a: [n][m]f64): [m][n]f64 = map (map (* 2)) (transpose a)

entry softmax [n][m] (a: [n][m]f64): [n][m]f64 =
  let of_row [m] (row: [m]f64): [m]f64 =
    let greatest = reduce f64.max f64.lowest row
    let weights = map (\x -> f64.exp (x - greatest)) row
    let total = reduce (+) 0 weights
    in map (/ total) weights
  in map of_row a

entry covariance [n][m] (xs: [n][m]f64): [m][m]f64 =
  let means = map (\column -> reduce (+) 0 column / f64.i64 n) (transpose xs)
  let centred = transpose (map (map2 (\mean x -> x - mean) means) xs)
  in map (\x -> map (\y -> reduce (+) 0 (map2 (*) x y) / f64.i64 (n - 1)) centred) centred

-- Without pivots, both factors in one matrix.
entry lu [n] (a: *[n][n]f64): [n][n]f64 =
  loop a for k < n - 1 do
    let m = n - k - 1
    let row = copy (a[k, k + 1:] :> [m]f64)
    let factors = map (/ a[k, k]) (a[k + 1:, k] :> [m]f64)
    let inner = map2 (\factor -> map2 (\y x -> x - factor * y) row) factors (a[k + 1:, k + 1:] :> [m][m]f64)
    let a = a with [k + 1:, k] = factors
    in a with [k + 1:, k + 1:] = inner

-- The lengths of the shortest paths between all pairs.
entry floyd [n] (lengths: [n][n]f64): [n][n]f64 =
  loop d = lengths for k < n do
    map (\row -> map2 (\x y -> f64.min x (row[k] + y)) row d[k]) d

entry heat [n][m] (steps: i64) (start: [n][m]f64): [n][m]f64 =
  loop t = start for _i < steps do
    tabulate_2d n m (\i j ->
      if i == 0 || i == n - 1 || j == 0 || j == m - 1
      then t[i, j]
      else t[i, j] + 0.1 * (t[i - 1, j] + t[i + 1, j] + t[i, j - 1] + t[i, j + 1] - 4 * t[i, j]))

entry smooth [n] (steps: i64) (xs: [n]f64): [n]f64 =
  loop xs for _i < steps do
    map3 (\a b c -> (a + b + c) / 3) (rotate (-1) xs) xs (rotate 1 xs)

entry life [n][m] (steps: i64) (start: [n][m]i64): [n][m]i64 =
  loop g = start for _i < steps do
    let columns = map3 (map3 (\a b c -> a + b + c)) (rotate (-1) g) g (rotate 1 g)
    let around = map (\row -> map3 (\a b c -> a + b + c) (rotate (-1) row) row (rotate 1 row)) columns
    in map2 (map2 (\alive sum -> if sum == 3 || (sum == 4 && alive == 1) then 1 else 0)) g around

entry radix_sort [n] (keys: [n]i64): [n]i64 =
  loop keys for bit < 20 do
    let zeros = map (\key -> 1 - (key >> bit & 1)) keys
    let zeros_before = scan (+) 0 zeros
    let ones_before = scan (+) 0 (map (1 -) zeros)
    let all = if n == 0 then 0 else zeros_before[n - 1]
    let places = map3 (\zero a b -> if zero == 1 then a - 1 else all + b - 1) zeros zeros_before ones_before
    in scatter (copy keys) places keys

-- A bitonic network, of 2^stages keys.
entry network_sort [n] (stages: i64) (keys: [n]i64): [n]i64 =
  loop (keys: [n]i64) = keys for i < stages do
    loop (keys: [n]i64) = keys for j < i + 1 do
      let apart = 1 << (i - j)
      in tabulate n (\a ->
        let b = a ^ apart
        in if ((a >> (i + 1)) & 1 == 0) == (a < b) then i64.min keys[a] keys[b] else i64.max keys[a] keys[b])

entry prefix [n] (xs: [n]f64): [n]f64 = scan (+) 0 xs

entry keep [n] (xs: [n]f64): []f64 = filter (> 0.5) xs

-- The greatest sum of a stretch of elements.
entry stretch [n] (xs: [n]f64): f64 =
  let join (best0, first0, last0, sum0) (best1, first1, last1, sum1) =
    ( f64.max best0 (f64.max best1 (last0 + first1))
    , f64.max first0 (sum0 + first1)
    , f64.max last1 (last0 + sum1)
    , sum0 + sum1 )
  let alone x = (f64.max x 0, f64.max x 0, f64.max x 0, x)
  in (reduce join (0, 0, 0, 0) (map alone xs)).0

entry histogram [n] (bins: i64) (xs: [n]f64): [bins]i64 =
  reduce_by_index (replicate bins 0) (+) 0 (map (\x -> i64.f64 (x * f64.i64 bins)) xs) (replicate n 1)

-- A sparse matrix, with as many elements in each row, times a vector.
entry ell [n][k][m] (columns: [n][k]i64) (values: [n][k]f64) (x: [m]f64): [n]f64 =
  map2 (\cs vs -> reduce (+) 0 (map2 (\c v -> v * x[c]) cs vs)) columns values

-- By the start of each row, after which the last ends.
entry csr [r][k][m] (starts: [r]i64) (columns: [k]i64) (values: [k]f64) (x: [m]f64): []f64 =
  map (\i -> loop sum = 0 for k in starts[i]..<starts[i + 1] do sum + values[k] * x[columns[k]]) (iota (r - 1))

-- By the row and column of each element.
entry coo [k][m] (n: i64) (rows: [k]i64) (columns: [k]i64) (values: [k]f64) (x: [m]f64): [n]f64 =
  reduce_by_index (replicate n 0) (+) 0 rows (map2 (\c v -> v * x[c]) columns values)

entry segmented [n] (flags: [n]i64) (xs: [n]f64): [n]f64 =
  let join (f, x) (g, y) = (f || g, if g then y else x + y)
  in map (.1) (scan join (false, 0) (zip (map (== 1) flags) xs))

entry mandelbrot (n: i64) (limit: i64): [n][n]i64 =
  tabulate_2d n n (\i j ->
    let (a, b) = (3 * f64.i64 j / f64.i64 n - 2, 3 * f64.i64 i / f64.i64 n - 1.5)
    let (_, _, steps) =
      loop (x, y, steps) = (0, 0, 0) while steps < limit && x * x + y * y <= 4 do
        (x * x - y * y + a, 2 * x * y + b, steps + 1)
    in steps)

entry nbody [n] (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) (masses: [n]f64): ([n]f64, [n]f64, [n]f64) =
  let pull (x, y, z) (a, b, c, mass) =
    let (p, q, r) = (a - x, b - y, c - z)
    let square = p * p + q * q + r * r + 0.01
    let pulls = mass / (square * f64.sqrt square)
    in (pulls * p, pulls * q, pulls * r)
  let add (a, b, c) (p, q, r): (f64, f64, f64) = (a + p, b + q, c + r)
  in unzip3 (map (\body -> reduce add (0, 0, 0) (map (pull body) (zip4 xs ys zs masses))) (zip3 xs ys zs))

-- How far each vertex is from the first, along edges of which each vertex has as many; -1 if it cannot be reached.
entry distances [n][k] (edges: [n][k]i64): [n]i64 =
  let start = replicate n (-1) with [0] = 0
  let (found, _, _) =
    loop (found, frontier: []i64, far) = (start, [0], 1) while length frontier > 0 do
      let next = filter (\v -> found[v] < 0) (flatten (map (\v -> edges[v]) frontier))
      -- Of those that several lead to, one stays.
      let found = scatter found next (map (const far) next)
      let first = scatter (replicate n (-1)) next (indices next)
      let next = map (.1) (filter (\(i, v) -> first[v] == i) (zip (indices next) next))
      in (found, next, far + 1)
  in found

-- Newton's method for square roots; what has come to its end is no part of the next step.
entry roots [n] (xs: [n]f64): [n]f64 =
  let (found, _, _) =
    loop (found, left: []i64, steps) = (map (\x -> 0.5 * (x + 1)) xs, iota n, 0) while length left > 0 && steps < 60 do
      let next = map (\i -> 0.5 * (found[i] + xs[i] / found[i])) left
      let more = map (.0) (filter (\(i, y) -> f64.abs (y - found[i]) > 1e-12 * y) (zip left next))
      in (scatter found left next, more, steps + 1)
  in found
