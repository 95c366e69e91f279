-- ==
-- error: expected `in` or another `let`
entry main (x: f64) = vjp (\x -> let y = x * x) x 1
