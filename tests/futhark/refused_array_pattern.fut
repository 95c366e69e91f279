-- ==
-- error: an array is not taken apart
entry main (x: f64) = let [a, b] = [x, x] in a + b
