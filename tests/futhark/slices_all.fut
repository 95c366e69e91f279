-- Slices with strides, backwards, of several dimensions; their adjoints put elements back.
-- ==
-- entry: values
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] }
-- output { [2.0, 3.0] [1.0, 2.0] [5.0, 6.0] [1.0, 3.0, 5.0] [6.0, 5.0, 4.0, 3.0, 2.0, 1.0] [5.0, 3.0] empty([0]f64) }
-- ==
-- entry: adjoints
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] }
-- output { [0.0, 1.0, 2.0, 0.0, 0.0, 0.0] [1.0, 0.0, 2.0, 0.0, 3.0, 0.0] [6.0, 5.0, 4.0, 3.0, 2.0, 1.0] [0.0, 0.0, 2.0, 0.0, 1.0, 0.0] }
-- ==
-- entry: planes
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { [2.0, 5.0] [[2.0, 3.0]] [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]] [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]] [[0.0, 3.0, 4.0], [0.0, 0.0, 0.0]] }
-- ==
-- entry: outside
-- input { [1.0, 2.0] 3i64 } error: out of bounds
-- ==
-- entry: differences
-- input { [1.0, 4.0, 9.0, 16.0] } output { [3.0, 5.0, 7.0] [-6.0, -4.0, -4.0, 14.0] }

entry values (xs: [6]f64) = (xs[1:3], xs[:2], xs[4:], xs[0:6:2], xs[::-1], xs[4:1:-2], xs[3:3])
entry adjoints (xs: [6]f64) =
  ( vjp (\(xs: [6]f64) -> xs[1:3]) xs [1, 2]
  , vjp (\(xs: [6]f64) -> xs[::2]) xs [1, 2, 3]
  , vjp (\(xs: [6]f64) -> xs[::-1]) xs [1, 2, 3, 4, 5, 6]
  , vjp (\(xs: [6]f64) -> xs[4:1:-2]) xs [1, 2] )
entry planes (xss: [2][3]f64) =
  ( xss[:, 1], xss[0:1, 1:], xss[::-1]
  , vjp (\(xss: [2][3]f64) -> xss[:, 1]) xss [1, 2]
  , vjp (\(xss: [2][3]f64) -> xss[0, 1:]) xss [3, 4] )
entry outside (xs: [2]f64) (i: i64) = xs[1:i]
entry differences [n] (xs: [n]f64) =
  let f xs = map2 (-) (xs[1:] :> [n - 1]f64) (xs[:n - 1])
  in (f xs, vjp (f >-> map (** 2) >-> f64.sum) xs 1)
