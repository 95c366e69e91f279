-- An array written in place by a loop that reads what it wrote.
-- ==
-- entry: main
-- input { 4i64 2.0 } output { [1.0, 2.0, 3.0, 5.0] 20.0 }
def fib [n] (xs: *[n]f64) : *[n]f64 = loop xs for i in 2..<n do xs with [i] = xs[i-1] + xs[i-2]
entry main (n: i64) (x: f64) =
  let f (x: f64) = fib (tabulate n (\i -> if i == 0 then x / 2 else if i == 1 then x else 0)) 
  in (f x, vjp (\x -> let ys = f x in ys[n-1] * ys[n-2] * 4 / 3) x 1)
