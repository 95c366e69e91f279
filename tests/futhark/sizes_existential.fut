-- Sizes that are known only when the program runs.
-- ==
-- entry: positives
-- input { [1.0, -2.0, 3.0, -4.0] } output { [1.0, 3.0] 10.0 [2.0, 0.0, 6.0, 0.0] }
-- input { [-1.0] } output { empty([0]f64) 0.0 [0.0] }
-- ==
-- entry: split
-- input { [1.0, -2.0, 3.0] } output { [1.0, 3.0] [-2.0] [1.0, 2.0, 1.0] }
-- ==
-- entry: ragged
-- input { [1i64, 3i64, 0i64, 2i64] } output { [0i64, 0i64, 1i64, 2i64, 0i64, 1i64] 6i64 }
-- ==
-- entry: either
-- input { true [1.0, 2.0, 3.0] } output { 3.0 [1.0, 1.0, 0.0] }
-- input { false [1.0, 2.0, 3.0] } output { 6.0 [1.0, 1.0, 1.0] }
-- ==
-- entry: growing
-- input { 3i64 } output { [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0] }
-- ==
-- entry: grown
-- input { [1i64, 2i64] 3i64 } output { [[1i64, 1i64, 1i64], [2i64, 2i64, 2i64]] }
-- input { empty([0]i64) 2i64 } output { empty([0][2]i64) }
-- ==
-- entry: grown_or_not
-- input { [1i64, 2i64] 1i64 } output { [[1i64], [2i64]] }
-- input { empty([0]i64) 2i64 } output { empty([0][2]i64) }
-- ==
-- entry: named_within
-- input { 2i64 } output { 6i64 7i64 }
-- ==
-- entry: numbers
-- input { 5i64 } output { [0i64, 1i64, 2i64, 3i64, 4i64] [1i64, 2i64, 3i64, 4i64, 5i64] [5i64, 3i64, 1i64] [2i64, 4i64] }

entry positives [n] (xs: [n]f64) =
  let ys = filter (> 0) xs
  let f xs = filter (> 0) xs |> map (** 2) |> f64.sum
  in (ys, f xs, vjp f xs 1)
entry split [n] (xs: [n]f64) =
  let (a, b) = partition (> 0) xs
  let f (xs: [n]f64) = let (a, b) = partition (> 0) xs in f64.sum a + 2 * f64.sum b
  in (a, b, vjp f xs 1)
entry ragged [n] (ns: [n]i64) =
  let (_, _, _, rows) = flatmap' iota ns
  in (rows, length rows)
def prefix (b: bool) (xs: []f64) : []f64 = if b then take 2 xs else copy xs
entry either [n] (b: bool) (xs: [n]f64) =
  let f (xs: [n]f64) = f64.sum (prefix b xs)
  in (f xs, vjp f xs 1)
entry growing (n: i64) : []f64 = loop xs = [1, 2] for _i < n - 1 do xs ++ xs
-- What a row is to be as long as is known where there is no row.
def times (k: i64) (x: i64) : []i64 = loop xs = [] for _i < k do xs ++ [x]
entry grown [n] (xs: [n]i64) (k: i64) = map (\x -> times k x :> [k]i64) xs
entry grown_or_not [n] (xs: [n]i64) (k: i64) =
  map (\x -> let ys = times k x let zs = if x > 5 then reverse (ys :> [2]i64) else [x, x] in (ys :> [k]i64, zs)) xs |> unzip |> (.0)
-- What a parameter takes may have a size that is named behind it, if it stands for what is known there.
def halves (k: i64) g = let m = 7 / k in g (replicate m 2i64)
entry named_within (k: i64) = (halves k i64.sum, halves k (\xs -> 2 * length xs + 1))
entry numbers (n: i64) = (0..<n, 1...n, n..n - 2...1, 2..4..<n + 1)
