-- Elements taken by index, several times: the Jacobian, and its adjoint.
-- ==
-- entry: main
-- input { [1.0,2.0,3.0] [2i64,2i64,0i64] } output { [1.0,0.0,2.0] [[0.0,0.0,1.0],[0.0,0.0,1.0],[1.0,0.0,0.0]] }
entry main [n][m] (xs: [n]f64) (is: [m]i64) =
  let gather (xs: [n]f64) = map (\i -> xs[i]) is
  in (vjp gather xs (replicate m 1), mjp gather xs (tabulate_2d m m (\i j -> f64.bool (i == j))))
