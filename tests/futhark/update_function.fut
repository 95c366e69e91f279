-- The function `update` of the prelude.
-- ==
-- entry: main
-- input { [1.0, 2.0, 3.0] } output { [1.0, 7.0, 3.0] [1.0, 0.0, 1.0] }
entry main (xs: [3]f64) = (update (copy xs) 1 7, vjp (\xs -> update (copy xs) 1 7) xs [1, 1, 1])
