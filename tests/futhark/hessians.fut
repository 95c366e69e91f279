-- The Hessian of a product in all mixes of modes.
-- ==
-- entry: main fwdfwd revfwd fwdrev revrev
-- input { [1.0,2.0,3.0] } output { [[0.0,3.0,2.0],[3.0,0.0,1.0],[2.0,1.0,0.0]] }
def f [n] (xs: [n]f64) = f64.product xs
def unit n i = replicate n 0 with [i] = 1f64
entry main [n] (xs: [n]f64) = tabulate n (\i -> vjp (flip (vjp f) 1) xs (unit n i))
entry fwdfwd [n] (xs: [n]f64) = tabulate_2d n n (\i j -> jvp (\x -> jvp f x (unit n i)) xs (unit n j))
entry revfwd [n] (xs: [n]f64) = tabulate n (\i -> vjp (\x -> jvp f x (unit n i)) xs 1)
entry fwdrev [n] (xs: [n]f64) = tabulate n (\i -> jvp (\x -> vjp f x 1) xs (unit n i))
entry revrev [n] (xs: [n]f64) = tabulate n (\i -> vjp (\x -> vjp f x 1) xs (unit n i))
