-- ==
-- error: unknown name .*f64\.sine.*
entry main (x: f64) = vjp f64.sine x 1
