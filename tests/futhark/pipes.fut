-- ==
-- entry: pipes
-- input { [1, 2, 3] } output { 12 12 12 }
def double (x: i32) = 2 * x
entry pipes (xs: [3]i32) =
  (xs |> map double |> i32.sum, i32.sum <| map double <| xs, (map double >-> i32.sum) xs)
