-- Elements, rows and slices replaced in place, under derivatives.
-- ==
-- entry: chained
-- input { [1.0, 2.0, 3.0] 4.0 }
-- output { [1.0, 16.0, 49.0] [90.0, 0.0, 14.0] 22.0 }
-- ==
-- entry: in_loop in_loop_bare
-- input { [1.0, 0.5, 2.0, -1.0] }
-- output { [1.0, 1.5, 5.0, -2.0] [1.5, 1.0, 0.0, 5.0] [1.0, 0.5, 1.0, -1.0] }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] [5.0, 6.0] }
-- output { [[0.0, 0.0], [2.0, 2.0]] [1.0, 1.0] }
-- ==
-- entry: slice
-- input { [1.0, 2.0, 3.0, 4.0, 5.0] [10.0, 20.0] }
-- output { [1.0, 10.0, 20.0, 4.0, 5.0] [1.0, 0.0, 0.0, 4.0, 5.0] [2.0, 3.0] }
-- ==
-- entry: strided
-- input { [1.0, 2.0, 3.0, 4.0, 5.0] }
-- output { [1.0, 9.0, 3.0, 16.0, 5.0] [1.0, 0.0, 15.0, 32.0, 5.0] }
-- ==
-- entry: let_update
-- input { [1.0, 2.0] } output { [6.0, 2.0] [0.0, 4.0] }
-- ==
-- entry: consumed
-- input { [1.0, 2.0] } output { [7.0, 2.0] [0.0, 1.0] }

entry chained [n] (xs: [n]f64) (v: f64) =
  let f (xs: [n]f64, v: f64) =
    let ys = copy xs with [1] = xs[0] * v
    let ys = ys with [2] = ys[1] + ys[2]
    in map (\y -> y * y) ys
  let (dxs, dv) = vjp f (xs, v) (replicate n 1)
  in (f (xs, v), dxs, dv)

def prefix [n] (xs: [n]f64) : [n]f64 =
  loop ys = copy xs for i in 1..<n do ys with [i] = ys[i] * ys[i - 1] + f64.i64 i
entry in_loop [n] (xs: [n]f64) =
  (prefix xs, vjp prefix xs (replicate n 1), jvp prefix xs (replicate n 0 with [0] = 1))
def prefix_bare [n] (xs: [n]f64) : [n]f64 =
  let ys = copy xs
  in loop ys for i < n - 1 do
       let ys[i + 1] = ys[i + 1] * ys[i] + f64.i64 (i + 1)
       in ys
entry in_loop_bare [n] (xs: [n]f64) =
  (prefix_bare xs, vjp prefix_bare xs (replicate n 1), jvp prefix_bare xs (replicate n 0 with [0] = 1))
entry rows [n] [m] (xss: [n][m]f64) (row: [m]f64) =
  vjp (\(xss: [n][m]f64, row) -> map (map (* 1)) (copy xss with [0] = row) |> map f64.sum |> map2 (*) (map f64.i64 (1...n)))
      (xss, row) (replicate n 1)
entry slice [n] (xs: [n]f64) (ys: [2]f64) =
  let f (xs: [n]f64, ys: [2]f64) = copy xs with [1:3] = ys
  let (v, (dxs, dys)) = vjp2 f (xs, ys) (map f64.i64 (1...n))
  in (v, dxs, dys)
entry strided [n] (xs: [n]f64) =
  let f (xs: [n]f64) = copy xs with [1:n:2] = map (** 2) xs[2:4]
  in (f xs, vjp f xs (map f64.i64 (1...n)))
entry let_update (xs: [2]f64) =
  let f (xs: [2]f64) = let ys = copy xs let ys[0] = 3 * xs[1] in ys
  in (f xs, vjp f xs [1, 1])
def consume [n] (xs: *[n]f64) : *[n]f64 = xs with [0] = 7
entry consumed [n] (xs: [n]f64) =
  let f (xs: [n]f64) = consume (copy xs)
  in (f xs, vjp f xs (replicate n 1))
