-- Constants are evaluated once, wherever they are used first.
-- ==
-- entry: lookups
-- input { [0i64, 2i64] } output { [1.0, 9.0] [0.0, 36.0] 8.0 }
-- ==
-- entry: closures
-- input { [1.0, 2.0] } output { [2.0, 4.0] [1.0, 1.0] }
def table = map (\i -> f64.i64 i ** 2 + f64.i64 i + f64.bool (i == 0) + f64.i64 (i / 2) * 3) (iota 4)
def add_of = let shift = f64.sum (take 2 table) - 3 in \x -> x + shift + table[0] - 1
entry lookups (is: [2]i64) =
  ( map (\i -> table[i]) is
  , vjp (\(xs: [2]f64) -> f64.sum (map2 (\i x -> table[i] * x * x * f64.i64 i) is xs)) [1, 1] 1
  , table[1] * 4 )
entry closures (xs: [2]f64) = (map (\x -> add_of x + x) xs, vjp (\(xs: [2]f64) -> f64.sum (map add_of xs)) xs 1)
