-- Seeds and derivatives that are tuples, records, arrays and nests of them.
-- ==
-- entry: tuple
-- input { 2.0 3.0 } output { 6.0 -1.0 13.0 }
-- ==
-- entry: record
-- input { 2.0 [3.0, 4.0] } output { 11.0 [2.0, 4.0] 42.0 }
-- ==
-- entry: nest
-- input { 2.0 } output { 1.0 [4.0, 8.0] 12.0 }
-- ==
-- entry: array_of_tuples
-- input { [1.0, 2.0] [3.0, 4.0] } output { [3.0, 4.0] [1.0, 2.0] [3.0, 8.0] }
-- ==
-- entry: unit_value
-- input { 2.0 } output { 5.0 }
-- ==
-- entry: with_integers
-- input { 2.0 3 } output { 3.0 0 }
-- ==
-- entry: pairs_of_modes
-- input { 3.0 } output { 9.0 6.0 9.0 6.0 9.0 [6.0, 12.0] 9.0 [6.0, 12.0] }
-- ==
-- entry: many
-- input { [1.0, 2.0] 3.0 } output { [[6.0, 0.0], [0.0, 3.0]] [1.0, 2.0] [[3.0, 0.0], [1.0, 1.0]] }

entry tuple (x: f64) (y: f64) =
  let (a, b) = vjp (\(x, y) -> (x * y, x - y)) (x, y) (1, 3)
  let (c, d) = jvp (\(x, y) -> (x * y, x - y)) (x, y) (2, 3)
  in (a, b, c + d * 1 + 1 * 2 - 0)
type t = {scale: f64, xs: [2]f64}
entry record (s: f64) (xs: [2]f64) =
  let f ({scale, xs}: t) = {sum = scale * f64.sum xs, last = scale * xs[1]}
  let d = vjp f {scale = s, xs} {sum = 1, last = 1}
  let e = jvp f {scale = s, xs} {scale = 2, xs = [3, 4]}
  in (d.scale, d.xs, e.sum + e.last - 2)
entry nest (x: f64) =
  let f (x: f64, (y: [2]f64, z)) = ((x + y[0] * 2, [y[1] * 3]), z * z * z)
  let (a, (b, c)) = vjp f (x, ([x, x], x)) ((1, [2]), 1)
  in (a, map2 (+) b [2, 2], c)
entry array_of_tuples [n] (xs: [n]f64) (ys: [n]f64) =
  let f (ps: [n](f64, f64)) = map (\(x, y) -> x * y) ps
  let (dx, dy) = unzip (vjp f (zip xs ys) (replicate n 1))
  in (dx, dy, jvp f (zip xs ys) (zip xs (replicate n 0)))
entry unit_value (x: f64) = let (d, ()) = vjp (\(x, ()) -> 5 * x) (x, ()) 1 in d
entry with_integers (x: f64) (n: i32) = vjp (\(x, n) -> x * f64.i32 n * 1) (x, n) 1 |> \(dx, dn) -> (dx, dn - i32.f64 x)
entry pairs_of_modes (x: f64) =
  let sq x = x * x
  let (a, b) = jvp2 sq x 1
  let (c, d) = vjp2 sq x 1
  let (e, f) = jmp2 sq x [1, 2]
  let (g, h) = mjp2 sq x [1, 2]
  in (a, b, c, d, e, f, g, h)
entry many [n] (xs: [n]f64) (k: f64) =
  let f (xs: [n]f64, k) = map2 (\x i -> x * k * f64.i64 (2 - i)) xs (iota n)
  let rows = mjp f (xs, k) (tabulate_2d n n (\i j -> f64.bool (i == j)))
  let columns = jmp f (xs, k) [(replicate n 0 with [0] = 0.5, 0), (replicate n 0, 0.5)]
  in (map (.0) rows, map (.1) rows |> map2 (\i x -> x / f64.i64 (2 - i)) (iota n), columns)
