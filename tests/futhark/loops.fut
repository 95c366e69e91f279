-- ==
-- entry: power
-- input { 2.0 5 } output { 32.0 80.0 80.0 }
-- ==
-- entry: over
-- input { [1.0, 2.0, 3.0] } output { 123.0 [100.0, 10.0, 1.0] }
-- ==
-- entry: collatz
-- input { 27 } output { 111 }
-- ==
-- entry: halving
-- input { 10.0 } output { 0.625 0.0625 0.0625 }
-- ==
-- entry: grown
-- input { 3i64 } output { [0i64, 1i64, 4i64] }
-- ==
-- entry: shadowed
-- input { [1, 2] 3 } output { [8, 16] }
-- ==
-- entry: bounded
-- input { 3.0 } output { 6561.0 17496.0 }
def pow (n: i32) (x: f64) = loop y = 1 for _i < n do y * x
entry power (x: f64) (n: i32) = (pow n x, vjp (pow n) x 1, jvp (pow n) x 1)
def digits [n] (xs: [n]f64) = loop y = 0 for x in xs do 10 * y + x
entry over [n] (xs: [n]f64) = vjp2 digits xs 1
entry collatz (n: i32) =
  (loop (n, k) = (n, 0) while n != 1 do if n % 2 == 0 then (n / 2, k + 1) else (3 * n + 1, k + 1)).1
entry halving (x: f64) =
  let f x = loop x while x > 1 do x / 2
  in (f x, vjp f x 1, jvp f x 1)
entry grown (n: i64) = loop xs = [] for i < n do xs ++ [i * i]
entry shadowed [n] (xs: [n]i32) (k: i32) = loop xs for _i < k do map (* 2) xs
entry bounded (x: f64) =
  let f x = #[bound(10)] loop x while x < 100 do x * x
  in vjp2 f x 1
