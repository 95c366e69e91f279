-- Operators qualified by their module.
module vec = { def (+) (a: [2]f64) (b: [2]f64) = map2 (f64.+) a b def dot (a: [2]f64) (b: [2]f64) = f64.sum (map2 (f64.*) a b) }
-- ==
-- entry: main
-- input { [1.0,2.0] [3.0,4.0] } output { [4.0,6.0] 11.0 [3.0,4.0] }
entry main (a: [2]f64) (b: [2]f64) = (a vec.+ b, a `vec.dot` b, vjp (`vec.dot` b) a 1)
