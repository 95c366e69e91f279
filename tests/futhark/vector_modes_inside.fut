-- ==
-- entry: inside
-- input { [[1.0, 2.0], [3.0, 4.0]] } auto output
def f (x: [2]f64): [2]f64 = [x[0] * x[1], f64.sin x[0]]
entry inside (xs: [2][2]f64) =
  let unit = [[1.0, 0.0], [0.0, 1.0]]
  let trace_of (x: [2]f64) = let j = jmp f x unit in j[0, 0] + j[1, 1]
  let g (xs: [2][2]f64) = f64.sum (map trace_of xs)
  in (map (\x -> mjp f x unit) xs, vjp g xs 1, jvp g xs xs, mjp (\xs -> map trace_of xs) xs unit,
      jmp2 (\x -> vjp f x [1, 1]) xs[0] unit)
