-- Arrays put one behind the other and taken apart.
-- ==
-- entry: two
-- input { [1.0, 2.0] [3.0] } output { [1.0, 2.0, 3.0] [1.0, 4.0] [9.0] }
-- ==
-- entry: self
-- input { [1.0, 2.0] } output { [5.0, 7.0, 9.0] [3.0, 6.0] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0]] [[3.0, 4.0], [5.0, 6.0]] } output { [[1.0, 1.0]] [[2.0, 2.0], [3.0, 3.0]] }
-- ==
-- entry: nothing
-- input { [1.0] } output { [1.0] [1.0] }
-- ==
-- entry: halves
-- input { [1.0, 2.0, 3.0, 4.0] } output { [3.0, 8.0] [3.0, 4.0, 1.0, 2.0] }
-- ==
-- entry: literal
-- input { 2.0 3.0 } output { [2.0, 3.0, 6.0] 10.0 7.0 }
-- ==
-- entry: gathered
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [1.0, 2.0, 2.0, 3.0, 4.0, 4.0] [[1.0, 5.0], [4.0, 11.0]] }

entry two [n] [m] (xs: [n]f64) (ys: [m]f64) =
  let f (xs: [n]f64, ys: [m]f64) = xs ++ ys
  let (v, (a, b)) = vjp2 f (xs, ys) (map f64.i64 (iota (n + m)) |> map (+ 1) |> map (** 2))
  in (v, a, b)
entry self (xs: [2]f64) =
  let f (xs: [2]f64) = let ys = xs ++ map (* 2) xs ++ [f64.sum xs] in map2 (+) (ys[:3] :> [3]f64) [4, 5, 7]
  in (f xs, vjp f xs [1, 2, 1] |> map2 (+) [0, 4])
entry rows [n] [m] (xs: [n][2]f64) (ys: [m][2]f64) =
  vjp (\(xs: [n][2]f64, ys: [m][2]f64) -> concat xs ys) (xs, ys) (tabulate (n + m) (\i -> replicate 2 (f64.i64 (i + 1))))
entry nothing [n] (xs: [n]f64) = vjp2 (\xs -> sized n (xs ++ [])) xs (replicate n 1)
entry halves (xs: [4]f64) =
  let f (xs: [4]f64) =
    let (a, b) = split (xs :> [2 + 2]f64)
    in map2 (*) a b
  in vjp2 f xs [1, 1]
entry literal (x: f64) (y: f64) =
  let f (x, y) = [x, y, x * y]
  let (v, (a, b)) = vjp2 f (x, y) [1, 1, 3]
  in (v, a, b)
entry gathered (xss: [2][2]f64) =
  let f (xss: [2][2]f64) = map (\xs -> xs ++ [xs[1]]) xss |> flatten
  in (f xss, vjp f xss (map f64.i64 (1...6) :> [2 * (2 + 1)]f64))
