-- Sizes that the program itself finds out.
-- ==
-- entry: primes
-- input { 30 } output { [2, 3, 5, 7, 11, 13, 17, 19, 23, 29] }
-- ==
-- entry: doubled
-- input { [1.0, 2.0] 3 } auto output
-- ==
-- entry: chosen
-- input { [1.0, -2.0, 3.0] true } auto output
-- input { [1.0, -2.0, 3.0] false } auto output
-- input { empty([0]f64) true } auto output
entry primes (n: i32) =
  let acc = loop acc = [] for i in 2...n do if all (\p -> i % p != 0) acc then acc ++ [i] else acc
  in acc
entry doubled [n] (xs: [n]f64) (k: i32) = loop ys = xs for i < k do map (* 0.5) (ys ++ map (+ f64.i32 i) ys)
entry chosen [n] (xs: [n]f64) (c: bool) =
  let f (xs: [n]f64) = f64.sum (map (\x -> x * x) (if c then filter (> 0) xs else xs[1:]))
  in (f xs, vjp f xs 1, jvp f xs xs)
