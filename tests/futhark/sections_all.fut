-- Sections and operators as functions.
-- ==
-- entry: values
-- input { [1.0, 2.0, 4.0] }
-- output { [3.0, 4.0, 6.0] [1.0, 0.0, -2.0] [-1.0, 0.0, 2.0] [2.0, 1.0, 0.5] [0.5, 1.0, 2.0] 7.0 8.0 [2.0, 2.0, 4.0] [1.0, 2.0, 2.0] [true, false, false] }
-- ==
-- entry: fields
-- input { 3.0 } output { 6.0 1 9.0 }
-- ==
-- entry: gradients
-- input { [1.0, 2.0, 4.0] }
-- output { [1.0, 1.0, 1.0] [8.0, 4.0, 2.0] [-2.0, -0.5, -0.125] [-1.0, -1.0, -1.0] }

entry values (xs: [3]f64) =
  ( map (+ 2) xs, map (2 -) xs, map (\x -> x - 2) xs, map (2 /) xs, map (/ 2) xs
  , reduce (+) 0 xs, reduce (f64.*) 1 xs, map (2 `f64.max`) xs, map (`f64.min` 2) xs, map (< 2) xs )
entry fields (x: f64) =
  let t = {a = x, b = (1, x * x)}
  in (map (.a) [t, t] |> f64.sum, [t] |> map (.b.0) |> head, (.b.1) t)
entry gradients [n] (xs: [n]f64) =
  ( vjp (map (+ 2) >-> f64.sum) xs 1, vjp (reduce (*) 1) xs 1, vjp (map (2 /) >-> reduce (+) 0) xs 1
  , vjp (map (1 f64.-) >-> f64.sum) xs 1 )
