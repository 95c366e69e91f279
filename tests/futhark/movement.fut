-- Functions that move elements: the adjoint moves them back.
-- ==
-- entry: forward reverse
-- input { [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] }
-- output { true }
-- ==
-- entry: pieces
-- input { [1.0, 2.0, 3.0, 4.0] }
-- output { 1.0 4.0 [2.0, 3.0, 4.0] [1.0, 2.0, 3.0] [1.0, 2.0] [3.0, 4.0] [4.0, 3.0, 2.0, 1.0] [2.0, 3.0, 4.0, 1.0] [4.0, 1.0, 2.0, 3.0] [[1.0, 2.0], [3.0, 4.0]] }
-- ==
-- entry: adjoints
-- input { [1.0, 2.0, 3.0, 4.0] [10.0, 20.0, 30.0, 40.0] }
-- output { [10.0, 0.0, 0.0, 0.0] [0.0, 0.0, 0.0, 10.0] [0.0, 10.0, 20.0, 30.0] [40.0, 30.0, 20.0, 10.0] [40.0, 10.0, 20.0, 30.0] [20.0, 40.0, 60.0, 80.0] [10.0, 30.0, 20.0, 40.0] }
-- ==
-- entry: three
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] }
-- output { [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]] [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] [1.0, 5.0, 3.0, 7.0, 2.0, 6.0, 4.0, 8.0] }
-- ==
-- entry: tables
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]] [[[0i64], [1i64], [2i64]], [[10i64], [11i64], [12i64]]] }

def shuffle [n] [m] (xss: [n][m]f64) : [n * m]f64 =
  xss |> transpose |> reverse |> rotate 1 |> transpose |> map (rotate (-1)) |> flatten |> reverse
def unit k i : [k]f64 = replicate k 0 with [i] = 1
-- A permutation is orthogonal: its transpose is its inverse, and its tangents are its values.
entry forward [n] [m] (xss: [n][m]f64) = jvp shuffle xss xss == shuffle xss
entry reverse [n] [m] (xss: [n][m]f64) = vjp shuffle xss (shuffle xss) == xss
entry pieces (xs: [4]f64) =
  ( head xs, last xs, tail xs, init xs, take 2 xs, drop 2 xs, xs |> \ys -> ys[::-1], rotate 1 xs, rotate (-1) xs
  , unflatten (xs :> [2 * 2]f64) )
entry adjoints (xs: [4]f64) (seed: [4]f64) =
  ( vjp head xs seed[0], vjp last xs seed[0], vjp tail xs (take 3 seed), vjp (\(xs: [4]f64) -> xs[::-1]) xs seed
  , vjp (rotate 1) xs seed, vjp (\xs -> concat xs xs) xs (seed ++ seed)
  , vjp (\xs -> flatten (transpose (unflatten (xs :> [2 * 2]f64)))) xs (seed :> [2 * 2]f64) )
entry three (xs: [8]f64) =
  let cube : [2][2][2]f64 = unflatten_3d (xs :> [2 * 2 * 2]f64)
  in (cube, flatten_3d cube :> [8]f64, flatten_3d (transpose cube |> map transpose |> transpose) :> [8]f64)
entry tables (n: i64) (m: i64) =
  (tabulate_2d n m (\i j -> 10 * i + j), tabulate_3d n m 1 (\i j k -> 10 * i + j + k))
