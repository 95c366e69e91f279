-- Rows of different sizes: their sizes, where each begins, their offsets, the rows one after the other, and what comes with each.
-- ==
-- entry: parts
-- input { [1i64, 0i64, 3i64, 0i64] }
-- output { [1i64, 0i64, 3i64, 0i64] [true, true, false, false] [0i64, 1i64, 1i64, 4i64] [0i64, 0i64, 1i64, 2i64] [10i64, 0i64, 30i64, 0i64] }
-- input { [0i64, 0i64] } output { [0i64, 0i64] empty([0]bool) [0i64, 0i64] empty([0]i64) [0i64, 0i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) empty([0]i64) }
-- ==
-- entry: repeated
-- input { [1i64, 0i64, 3i64] } output { [1i64, 0i64, 3i64] [true, true, false, false] [0i64, 1i64, 1i64] [0i64, 0i64, 1i64, 2i64] }
-- input { [0i64, 0i64] } output { [0i64, 0i64] empty([0]bool) [0i64, 0i64] empty([0]i64) }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]bool) empty([0]i64) empty([0]i64) }
-- ==
-- entry: adjoint
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] } output { [12.0, 0.0, 14.0] }
-- input { [0i64, 0i64, 0i64] [3.0, 5.0, 7.0] } output { [0.0, 0.0, 0.0] }
-- ==
-- entry: weighted
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] [1.0, 10.0, 100.0] } output { [66.0, 0.0, 1400.0] [3.0, 3.0, 7.0] }
-- ==
-- entry: tangent
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] } output { [6.0, 6.0, 14.0] }
-- ==
-- entry: with_second
-- input { [2i64, 1i64] [3.0, 5.0] } output { [1026.0, 1020.0] [9.0, 9.0, 25.0] [2.0, 2.0] }
-- ==
-- entry: shared
-- input { [2i64, 1i64] 3.0 } output { 18.0 18.0 }
-- ==
-- entry: second_order
-- input { [2i64, 0i64, 1i64] [3.0, 5.0, 7.0] } output { [36.0, 0.0, 98.0] [36.0, 0.0, 98.0] [36.0, 0.0, 98.0] }
-- ==
-- entry: rows
-- input { [1i64, 2i64] } output { [[0i64, 1i64], [0i64, 2i64], [1i64, 2i64]] }
-- input { [0i64] } output { empty([0][2]i64) }
-- ==
-- entry: vectors
-- input { [1i64, 2i64] [3.0, 5.0] } output { [[1.0, 3.0], [1.0, 5.0], [1.0, 5.0]] [2.0, 1.0] }
-- ==
-- entry: records
-- input { [2i64, 1i64] } output { [0i8, 1i8, 0i8] [true, false, true] [-0.0, -0.0, -0.0] [-f64.inf, -f64.inf, -f64.inf] }
-- ==
-- entry: filtered
-- input { [[1.0, -2.0], [3.0, 4.0]] } output { [1.0, 3.0, 4.0] [[2.0, 0.0], [6.0, 8.0]] }
-- ==
-- entry: checked
-- input { [1i64, 2i64] } output { [1i64, 2i64, 2i64] }
-- input { [1i64, 3i64] } error: assert
-- ==
-- entry: expanded
-- input { [2i64, 0i64, 3i64] } output { [5i64, 0i64, 12i64] [2i64, 5i64, 3i64, 7i64, 12i64] }
-- ==
-- entry: jacobians
-- input { [2i64, 1i64] [3.0, 5.0] } output { [[6.0, 0.0], [6.0, 0.0], [0.0, 10.0]] [[6.0, 0.0], [6.0, 0.0], [0.0, 10.0]] }
entry parts (ns: []i64) = flatmap (\n -> (iota n, 10 * n)) ns
entry repeated (ns: []i64) = flatmap' iota ns
def powers [n] (ns: [n]i64) (xs: [n]f64): []f64 = (flatmap' (\(k, x) -> replicate k (x * x)) (zip ns xs)).3
entry adjoint [n] (ns: [n]i64) (xs: [n]f64) = vjp (\xs -> f64.sum (powers ns xs)) xs 1
-- Every element has an adjoint of its own.
entry weighted [n] (ns: [n]i64) (xs: [n]f64) (ws: []f64) =
  let k = i64.sum ns
  let ws = ws :> [k]f64
  in (vjp (\xs -> powers ns xs :> [k]f64) xs ws, map f64.sqrt (powers ns xs))
entry tangent [n] (ns: [n]i64) (xs: [n]f64) =
  let k = i64.sum ns
  in jvp (\xs -> powers ns xs :> [k]f64) xs (replicate n 1)
entry with_second [n] (ns: [n]i64) (xs: [n]f64) =
  let f xs =
    let (sizes, _, _, rows, cubes) = flatmap (\(k, x) -> (replicate k (x * x), 500 * x)) (zip ns xs)
    in f64.sum cubes + f64.sum (map2 (\k x -> f64.i64 k * x - x) sizes xs) + f64.sum rows
  let (_, _, _, rows, cubes) = flatmap (\(k, x) -> (replicate k (x * x), 500 * x)) (zip ns xs)
  in (vjp f xs 2, rows, map2 (/) cubes (map (* 250) xs))
entry shared (ns: []i64) (x: f64) =
  let f x = f64.sum (flatmap' (\k -> replicate k (x * x)) ns).3
  in (vjp f x 1, jvp f x 1)
entry second_order [n] (ns: [n]i64) (xs: [n]f64) =
  let f xs = f64.sum (map (\x -> x * x) (powers ns xs)) / 6
  let g xs = vjp f xs 1
  in (vjp g xs (replicate n 1), jvp g xs (replicate n 1), vjp (\xs -> f64.sum (g xs)) xs 1)
entry rows (ns: []i64) = (flatmap' (\n -> map (\i -> [i, n]) (iota n)) ns).3
entry vectors [n] (ns: [n]i64) (xs: [n]f64) =
  let f xs = (flatmap' (\(k, x) -> replicate k [1, x]) (zip ns xs)).3
  let m = i64.sum ns
  in (f xs, reverse (vjp (\xs -> f xs :> [m][2]f64) xs (replicate m [7, 1])))
entry records (ns: []i64) =
  let rows = (flatmap' (\n -> map (\i -> {a = i8.i64 i, b = i == 0, c = -0.0f64}) (iota n)) ns).3
  in (map (.a) rows, map (.b) rows, map (.c) rows, map (\r -> 1 / r.c) rows)
entry filtered [n] [m] (xss: [n][m]f64) =
  let f xss = (flatmap' (filter (> 0)) xss).3
  in (f xss, vjp (\xss -> f64.sum (map (\x -> x * x) (f xss))) xss 1)
entry checked (ns: []i64) = (flatmap' (\n -> replicate n (assert (n < 3) n)) ns).3
-- What is made of it: a sum for each row, and prefixes that begin anew where flags say so.
def reduced [n] 'a 'b (size: a -> i64) (get: a -> i64 -> b) (op: b -> b -> b) (ne: b) (as: [n]a): [n]b =
  let (sizes, _, offsets, bs) = flatmap' (\a -> tabulate (size a) (get a)) as
  in map2 (\k i -> reduce op ne bs[i:i + k]) sizes offsets
def segments [n] 'a (op: a -> a -> a) (ne: a) (as: [n](a, bool)): [n]a =
  scan (\(x, f) (y, g) -> (if g then y else x `op` y, f || g)) (ne, false) as |> map (.0)
entry expanded (ns: []i64) =
  let (_, begins, _, bs) = flatmap' (\n -> tabulate n (+ n)) ns
  in (reduced id (\n i -> n + i) (+) 0 ns, segments (+) 0 (zip bs begins))
entry jacobians [n] (ns: [n]i64) (xs: [n]f64) =
  let m = i64.sum ns
  let f (xs: [n]f64) = powers ns xs :> [m]f64
  let units k = tabulate_2d k k (\i j -> f64.bool (i == j))
  in (mjp f xs (units m), transpose (jmp f xs (units n)))
