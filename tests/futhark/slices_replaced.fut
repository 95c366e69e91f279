-- Slices replaced, and slices by steps.
-- ==
-- entry: main
-- input { [1.0,2.0,3.0,4.0,5.0] }
-- output { [1.0, 9.0, 9.0, 4.0, 5.0] [5.0,4.0,3.0,2.0,1.0] [1.0,3.0,5.0] [1.0,0.0,0.0,1.0,1.0] [1.0, 1.0] }
entry main (xs: *[5]f64) =
  let ys = copy xs with [1:3] = [9, 9]
  let d = vjp (\xs -> copy xs with [1:3] = [9f64, 9]) xs (replicate 5 1)
  let e = vjp (\ys -> copy xs with [1:3] = ys) [9, 9] (replicate 5 1)
  in (ys, xs[::-1], xs[::2], d, e)
