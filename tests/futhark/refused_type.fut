-- A real where an integer is wanted.
-- ==
-- error: expected i64
def f (n: i64) = iota n
entry main (x: f64) = f x
