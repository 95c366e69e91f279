-- ==
-- entry: main
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 [3.0, 4.0] }
-- input { [0.5] [4.0] } output { 2.0 [4.0] }
-- ==
-- entry: qualified
-- input { [3.0, 4.0] } output { [6.0, 8.0] }
import "lib/linear"
module linear = import "lib/linear"

entry main [n] (xs: [n]f64) (ys: [n]f64) = (dot xs ys, vjp (\xs -> dot xs ys) xs 1)
entry qualified [n] (xs: [n]f64) = gradient (\xs -> linear.dot xs xs) xs
