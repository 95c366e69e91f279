-- A stencil in time.
-- ==
-- entry: rev fwd
-- input { 2i32 [1.0,2.0,3.0,4.0] } output { [0.25, 0.75, 0.75, 0.25] }
def step [n] (xs: [n]f64) = tabulate n (\i -> let l = if i == 0 then 0 else xs[i-1] let r = if i == n - 1 then 0 else xs[i+1] in (l + r) / 2)
def f [n] (k: i32) (xs: [n]f64) = f64.sum (loop xs for _t < k do step xs)
entry rev [n] k (xs: [n]f64) = map2 (\g i -> if i == 0 || i == n - 1 then g - 0.25 else g) (vjp (f k) xs 1) (iota n)
entry fwd [n] k (xs: [n]f64) = tabulate n (\j -> jvp (f k) xs (tabulate n (\i -> f64.bool (i == j)))) |> map2 (\i g -> if i == 0 || i == n - 1 then g - 0.25 else g) (iota n)
