-- Equality, partitions, ranges, accumulators, names bound to updates, opened modules, imports: the same in both modes.
-- ==
-- entry: equal_fwd equal_rev
-- input { [1.0, 2.0, 1.0] } output { [2.0, 1.0, 2.0] }
-- ==
-- entry: parts_fwd parts_rev
-- input { [1.0, -2.0, 3.0] } output { [6.0, 2.0, 18.0] }
-- ==
-- entry: ranges_fwd ranges_rev
-- input { [1.0, 2.0, 3.0] } output { [0.0, 1.0, 2.0] }
-- ==
-- entry: streams_fwd streams_rev
-- input { [1.0, 2.0, 3.0] } output { [8.0, 4.0, 8.0] }
-- ==
-- entry: bound_fwd bound_rev
-- input { [1.0, 2.0, 3.0] } output { [7.0, 0.0, 1.0] }
-- ==
-- entry: opened_fwd opened_rev
-- input { [1.0, 2.0, 3.0] } output { [2.0, 4.0, 6.0] }

type point = {x: f64, key: (f64, f64)}

def forward [n] (f: [n]f64 -> f64) (xs: [n]f64) =
  map (\i -> jvp f xs (tabulate n (\j -> f64.bool (i == j)))) (iota n)
def back [n] (f: [n]f64 -> f64) (xs: [n]f64) = vjp f xs 1

def equal [n] (xs: [n]f64) =
  f64.sum (map (\x -> let p: point = {x, key = (x, 1)} in if p.key == (1, 1) && [x, 1] == [1, x] then 2 * p.x else x) xs)
entry equal_fwd [n] (xs: [n]f64) = forward equal xs
entry equal_rev [n] (xs: [n]f64) = back equal xs

def parts [n] (xs: [n]f64) = let (a, b) = partition (> 0) xs in 3 * f64.sum (map (** 2) a) + 2 * f64.sum b
entry parts_fwd [n] (xs: [n]f64) = forward parts xs
entry parts_rev [n] (xs: [n]f64) = back parts xs

def ranges [n] (xs: [n]f64) = f64.sum (map (\i -> f64.i64 i * xs[i]) (0..<n))
entry ranges_fwd [n] (xs: [n]f64) = forward ranges xs
entry ranges_rev [n] (xs: [n]f64) = back ranges xs

def streams [n] (xs: [n]f64) =
  let bins = reduce_by_index_stream (replicate 2 0) (+) 0 (\acc i -> write acc (i % 2) xs[i]) (iota n)
  in f64.sum (map (** 2) bins)
entry streams_fwd [n] (xs: [n]f64) = forward streams xs
entry streams_rev [n] (xs: [n]f64) = back streams xs

def bound [n] (xs: [n]f64) =
  let ys = copy xs
  let ys[1] = 6 * xs[0]
  in f64.sum ys
entry bound_fwd [n] (xs: [n]f64) = forward bound xs
entry bound_rev [n] (xs: [n]f64) = back bound xs

module shapes = { type reals [n] = [n]f64 def square (x: f64) = f64.(x * x) }
def opened [n] (xs: shapes.reals [n]) = let open_square x = shapes.(square x) in f64.(sum (map open_square xs))
entry opened_fwd [n] (xs: [n]f64) = forward opened xs
entry opened_rev [n] (xs: [n]f64) = back opened xs
