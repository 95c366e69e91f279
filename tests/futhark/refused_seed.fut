-- The seed of reverse mode is of the result's type.
-- ==
-- error: found f64, but expected i32
entry main (x: f64) = vjp (\x -> x * x) x (1i32)
