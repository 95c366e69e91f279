-- Constants that are arrays, and sizes that are constants.
def n : i64 = 3
def ws : [3]f64 = [1, 2, 3]
def table = map (** 2) (ws :> [n]f64)
def m = 2 + n
-- ==
-- entry: main
-- input { [1.0,1.0,1.0] } output { 14.0 [1.0,4.0,9.0] 5i64 }
entry main (xs: [n]f64) = let (v, g) = vjp2 (\xs -> f64.sum (map2 (*) xs table)) xs 1 in (v, g, m)
