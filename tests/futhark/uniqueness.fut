-- What is consumed says so in its type; a bare lambda may be the last argument.
-- ==
-- entry: consumed
-- input { [1.0, 2.0, 3.0] 1i64 7.0 } output { [1.0, 7.0, 3.0] [1.0, 0.0, 1.0] }
-- ==
-- entry: last_argument
-- input { [1.0, 2.0] } output { [2.0, 5.0] [2.0, 4.0] 12 }
-- ==
-- entry: primed
-- input { 2.0 } output { 12.0 }

def put [n] (xs: *[n]f64) (i: i64) (x: f64): *[n]f64 = xs with [i] = x
entry consumed [n] (xs: *[n]f64) (i: i64) (x: f64): (*[n]f64, [n]f64) =
  let d = vjp (\xs -> put (copy xs) i x) xs (replicate n 1)
  in (put (copy xs) i x, d)
entry last_argument [n] (xs: [n]f64) =
  let a = map2 (\x y -> x * y + 1) xs xs
  let f = \(xs: [n]f64) -> f64.sum (map2 (*) xs xs)
  in (a, vjp f xs 1, iterate 2 (\x -> x * 2) 3)
entry primed (x: f64) =
  let x' = x + 1
  let x'' = x' * 2 * x
  in x''
