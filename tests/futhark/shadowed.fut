-- Names of the prelude with other meanings.
def map f x = f x : f64
def length = 3i32
-- ==
-- entry: main
-- input { 2.0 } output { 4.0 3 4.0 }
entry main (x: f64) = let x = map (\x -> x * x) x in (x, length, (let f64 = x in f64))
