-- The sum of squared differences.
-- ==
-- entry: loss
-- input { [1.0, 2.0] [3.0, 5.0] } output { 13.0 }
entry loss [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (\x y -> (x - y) ** 2) xs ys)

-- Its gradient by the first, in the language itself.
entry gradient [n] (xs: [n]f64) (ys: [n]f64): [n]f64 = vjp (\xs -> loss xs ys) xs 1
