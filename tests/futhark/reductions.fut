-- ==
-- entry: reductions
-- input { [1.0, -2.0, 3.0] } output { 2.0 -6.0 3.0 -2.0 true false }
-- input { empty([0]f64) } output { 0.0 1.0 -f64.inf f64.inf true false }
-- ==
-- entry: product
-- input { [2.0, 0.0, 5.0] } output { [0.0, 10.0, 0.0] }
-- input { [2.0, 3.0, 5.0] } output { [15.0, 10.0, 6.0] }
-- input { [0.0, 0.0, 5.0] } output { [0.0, 0.0, 0.0] }
-- ==
-- entry: extremum
-- input { [2.0, 7.0, 7.0] } output { [0.0, 1.0, 0.0] }
-- ==
-- entry: general
-- input { [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] } output { [[37.0, 0.0], [11.0, 0.0], [3.0, 2.0]] }
entry reductions [n] (xs: [n]f64) =
  (f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs, all (< 10) xs, any (> 10) xs)
entry product [n] (xs: [n]f64) = vjp f64.product xs 1
entry extremum [n] (xs: [n]f64) = vjp f64.maximum xs 1
def op (a: f64, b: f64) (c: f64, d: f64) = (a * c, a * d + b)
entry general [n] (xs: [n][2]f64) =
  let f (xs: [n][2]f64) =
    let (a, b) = reduce op (1, 0) (map (\x -> (x[0], x[1])) xs)
    in a + b - f64.sum (map (\x -> x[1]) xs)
  in vjp f xs 1
