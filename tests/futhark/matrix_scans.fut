-- Scans of matrices and of pairs.
def mm ((a,b),(c,d)) ((e,f),(g,h)) : ((f64,f64),(f64,f64)) = ((a*e+b*g, a*f+b*h),(c*e+d*g, c*f+d*h))
-- ==
-- entry: main
-- input { [1.0, 2.0] } output { [1.0, 3.0] true true }
entry main (xs: [2]f64) =
  let f (xs: [2]f64) = scan mm ((1,0),(0,1)) (map (\x -> ((1, x),(0, 1))) xs) |> map (\((_, b), _) -> b)
  let lin (xs: [2]f64) = scan (\(a1,b1) (a2,b2) -> (a2*b1 + a1 - a1 * 0 + a2 * 0, b1 * b2)) (0,1) (zip xs xs) |> map (.1)
  in (f xs, tabulate 2 (\i -> vjp f xs (tabulate 2 (\j -> f64.bool (i == j)))) == [[1,0],[1,1]],
      transpose (tabulate 2 (\i -> jvp lin xs (tabulate 2 (\j -> f64.bool (i == j))))) == [[1,0],[2,1]])
