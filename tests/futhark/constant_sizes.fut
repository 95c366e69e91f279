-- Constants of type i64 as sizes: of arguments, of other constants, in types, in modules, in derivatives.
def n = 3i64
def f (xs: [n]i64) : [n]i64 = map (+ n) xs
-- ==
-- entry: main
-- input { [1i64, 2i64, 3i64] } output { [4i64, 5i64, 6i64] }
-- input { [1i64, 2i64] } error: size
entry main (xs: [n]i64) = f xs
-- ==
-- entry: c
-- input { 2i64 } output { 5i64 }
def zs : [n]i64 = iota n
entry c (k: i64) = zs[k] + n
def m = n + 1
type v = [m]f64
-- ==
-- entry: w
-- input { [1.0, 2.0, 3.0, 4.0] } output { [2.0, 4.0, 6.0, 8.0] }
-- input { [1.0, 2.0, 3.0] } error: size
entry w (x: v) : v = map (* 2) x
module A = { def n = 2i64 def ys : [n]i64 = iota n }
module B (P: {val n: i64 val ys: [n]i64}) = { def s = reduce (+) 0 (map2 (+) P.ys (iota P.n)) def t : [P.n]i64 = P.ys }
module C = B A
-- ==
-- entry: q
-- input { 1i64 } output { 4i64 }
entry q (a: i64) = C.s + a + C.t[0] + reduce (+) 0 (map2 (*) C.t A.ys)
def dist (xs: [n]f64) = f64.sum (map2 (*) xs (map f64.i64 zs))
-- ==
-- entry: g
-- input { [1.0, 2.0, 3.0] } output { [0.0, 1.0, 2.0] }
entry g (xs: [n]f64) = vjp dist xs 1
-- ==
-- entry: bad
-- input { [1i64, 2i64, 3i64] } output { [4i64, 5i64, 6i64] }
-- input { [1i64, 2i64] } error: size
entry bad (xs: []i64) = f (xs :> [n]i64)
