-- Functional updates of rows, slices and elements, with derivatives.
-- ==
-- entry: main
-- input { [[1.0,2.0],[3.0,4.0]] } output { [[1.0,7.0],[3.0,4.0]] [[1.0,0.0],[1.0,1.0]] [[5.0,6.0],[3.0,4.0]] }
entry main (xss: [2][2]f64) =
  let f (xss: [2][2]f64) = let ys = copy xss let ys[0,1] = 7 in ys
  let g (xss: [2][2]f64) = let ys = copy xss let ys[0] = [5, 6] in ys
  in (f xss, vjp f xss (replicate 2 (replicate 2 1)), g xss)
