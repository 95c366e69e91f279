-- An exclusive scan made of inclusive ones, inside of a map.
-- ==
-- entry: main
-- input { [1.0,2.0,3.0] } output { [0.0,1.0,3.0] [2.0,1.0,0.0] }
def exscan [n] 'a (op: a -> a -> a) (ne: a) (xs: [n]a) : [n]a = map2 (\i _ -> if i == 0 then ne else (scan op ne xs)[i-1]) (iota n) xs
entry main [n] (xs: [n]f64) = (exscan (+) 0 xs, vjp (exscan (+) 0) xs (replicate n 1))
