-- Entries and derivatives without parameters.
def vjp1 f = \x -> vjp f x 1f64
def g = vjp1 (\x -> x * x)
def hess f = jvp (vjp1 f) 
-- ==
-- entry: a
-- input { 3.0 } output { 6.0 }
entry a = g
-- ==
-- entry: b
-- input { 3.0 1.0 } output { 18.0 }
entry b = hess (\x -> x ** 3)
-- ==
-- entry: c
-- input { [1.0, 2.0] } output { [2.0, 4.0] }
entry c = map g
-- ==
-- entry: d
-- input { [1.0, 2.0] } output { [1.0, 1.0] }
entry d [n] : [n]f64 -> [n]f64 = \xs -> vjp f64.sum xs 1
