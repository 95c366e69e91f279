entry main (xs: [2]f64) (ys: [3]f64) = map2 (+) xs ys
