entry entropy [n] (p: [n]f64) : f64 = f64.neg (f64.sum (map (\x -> x * f64.log x) p))
