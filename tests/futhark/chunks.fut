-- Sizes that are quotients.
def f [n] 'a (g: a -> f64) (xs: [n]a) : (i64, f64) = (n, f64.sum (map g xs))
def dotprod [n] (a: [n]f64) (b: [n]f64) : f64 = reduce (+) 0 (map2 (*) a b)
def chunk [n] (k: i64) (xs: [n]f64) : [n / k][k]f64 = unflatten (take (n / k * k) xs :> [(n / k) * k]f64)
-- ==
-- entry: main
-- input { [1.0,2.0,3.0,4.0,5.0] } output { [[1.0,2.0],[3.0,4.0]] 5i64 [1.0,1.0,2.0,2.0,0.0] }
entry main (xs: []f64) =
  (chunk 2 xs, (f id xs).0, vjp (\xs -> f64.sum (map2 (\r i -> f64.i64 (i + 1) * f64.sum r) (chunk 2 xs) (iota (length xs / 2)))) xs 1)
