-- Operators on arrays and on records.
-- ==
-- entry: columns scanned binned pairs lengths
-- input { [[1.0, 2.0], [3.0, -4.0], [0.5, 6.0]] [0i64, 1i64, 0i64] } auto output
-- input { empty([0][2]f64) empty([0]i64) } auto output
-- input { [[2.0, 3.0]] [5i64] } auto output
def plus [k] (x: [k]f64) (y: [k]f64) = map2 (+) x y
def times [k] (x: [k]f64) (y: [k]f64) = map2 (*) x y
entry columns [n] (xs: [n][2]f64) (_: [n]i64) =
  let f (xs: [n][2]f64) = reduce times [1, 1] xs
  in (f xs, vjp f xs [1, 2], reduce_comm plus [0, 0] xs)
entry scanned [n] (xs: [n][2]f64) (_: [n]i64) =
  let f (xs: [n][2]f64) = scan times [1, 1] xs
  let g (xs: [n][2]f64) = scan (\x y -> [x[0] * y[0], x[1] * y[0] + y[1]]) [1, 0] xs
  in (f xs, vjp f xs xs, jvp f xs xs, g xs, vjp g xs xs, jvp g xs xs)
entry binned [n] (xs: [n][2]f64) (is: [n]i64) =
  let f (xs: [n][2]f64) = reduce_by_index [[1, 1], [2, 2]] plus [0, 0] is xs
  let g (xs: [n][2]f64) = reduce_by_index [[1, 1], [2, 2]] times [1, 1] is xs
  in (f xs, vjp f xs [[1, 2], [3, 4]], g xs, vjp g xs [[1, 2], [3, 4]], jvp g xs xs)
entry pairs [n] (xs: [n][2]f64) (_: [n]i64) =
  let largest (a, i) (b, j) = if a > b || (a == b && i < j) then (a, i) else (b, j: i64)
  let f (xs: [n][2]f64) = reduce largest (-1000, -1) (zip (map (\x -> x[0] * x[1]) xs) (iota n))
  let (dxs) = vjp f xs (1, 0)
  in (f xs, dxs)
entry lengths [n] (xs: [n][2]f64) (is: [n]i64) =
  let f (xs: [n][2]f64) = map2 (\x i -> if i == 0 then f64.sum x else f64.sum (map (** 2) x)) xs is
  in (f xs, vjp f xs (replicate n 1), jvp f xs xs)
