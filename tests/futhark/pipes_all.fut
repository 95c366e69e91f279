-- Pipes, compositions, and how strongly they bind.
-- ==
-- entry: left right composed both
-- input { [1.0, 2.0, 3.0] } output { 56.0 [8.0, 16.0, 24.0] }
-- ==
-- entry: strength
-- input { 3.0 } output { 11.0 20.0 true 10.0 }

def square (x: f64) = x * x
def poly [n] (xs: [n]f64) = xs |> map (* 2) |> map square |> reduce (+) 0
entry left [n] (xs: [n]f64) = (poly xs, vjp poly xs 1)
entry right [n] (xs: [n]f64) =
  let f xs = reduce (+) 0 <| map square <| map (* 2) <| xs
  in (f xs, vjp f xs <| 1)
entry composed [n] (xs: [n]f64) =
  let f = map (* 2) >-> map square >-> reduce (+) 0
  in (f xs, 1 |> vjp f xs)
entry both [n] (xs: [n]f64) =
  let f = reduce (+) 0 <-< map square <-< map (* 2)
  in vjp2 f xs 1
entry strength (x: f64) =
  ( x * 3 + 1 |> (+ 1)
  , square <| x + 1 |> (+ 4)
  , x > 2 && x < 4 |> id
  , (square >-> (+ 1)) x )
