-- Derivatives of combinators over nothing.
-- ==
-- entry: main
-- input { empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) [0.0] 0.0 empty([0][2]f64) }
entry main [n] (xs: [n]f64) =
  ( vjp f64.product xs 1, vjp (scan (*) 1) xs xs, vjp f64.maximum xs 1, jvp (\xs -> hist (+) 0 1 (map (const 0) xs) xs) xs xs, jvp f64.sum xs xs
  , vjp (\(xss: [n][2]f64) -> reduce (map2 (+)) [0, 0] xss) (map (\x -> [x, x]) xs) [1, 1] )
