-- ==
-- entry: total
-- input { [1.0, 2.0] } output { 3.0 }
-- ==
-- entry: gradient
-- input { [3.0, 2.0] } output { [1.0, 1.0] }
-- ==
-- entry: constant
-- input { } output { [2.0, 4.0] }
def total_of [n]: [n]f64 -> f64 = f64.sum
def factors = [1.0, 2.0]
entry total (xs: []f64) = total_of xs
entry gradient (xs: []f64) = vjp total_of xs 1
entry constant = map (* 2) factors
