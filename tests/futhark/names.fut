-- Names with primes and underscores.
def x' (x'': f64) = x'' + 1
def _y = 2f64
def y_ = 2f64
def f_1 (a_b: f64) (_: i32) = a_b
module M_1 = { def f' x = x * 2f64 }
-- ==
-- entry: main' 
-- input { 1.0 } output { 2.0 2.0 4.0 true }
entry main' (x: f64) = (x' x, y_, M_1.f' (x' (f_1 x 0)), let true' = true in true')
