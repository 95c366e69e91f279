-- The seed of a result of three elements has two.
-- ==
-- error: size
entry main (xs: [3]f64) = vjp (\(xs: [3]f64) -> map (* 2) xs) xs ([1, 1] : [2]f64)
