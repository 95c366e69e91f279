-- Corners of the grammar.
-- ==
-- entry: negation
-- input { 3.0 [1.0, 2.0] } output { -3.0 [-1.0, -2.0] -9.0 3.0 1.0 9.0 }
-- ==
-- entry: brackets
-- input { [[1.0, 2.0], [3.0, 4.0]] 1i64 } output { 4.0 4.0 [3.0, 4.0] 3.0 [1.0, 3.0] }
-- ==
-- entry: lets
-- input { 2.0 } output { 11.0 }
-- ==
-- entry: chains
-- input { 5 } output { 3 }
-- input { -5 } output { 1 }
-- input { 0 } output { 2 }
-- ==
-- entry: bare_lambdas
-- input { [1.0, 2.0] } output { [2.0, 3.0] 5.0 [1.0, 1.0] }
-- ==
-- entry: ascribed
-- input { 2 } output { 2.0 4.0 5 }
-- ==
-- entry: updates_weaker
-- input { [1, 2, 3] } output { [1, 6, 3] [9, 2, 3] }
-- ==
-- entry: precedence
-- input { 7 2 } output { 3 -1 512 6 true 14 1 }
-- ==
-- entry: unit
-- input { 2.0 } output { 2.0 }
-- ==
-- entry: wild
-- input { 1.0 2.0 } output { 2.0 0.0 1.0 }

entry negation (x: f64) (xs: []f64) = (-x, map (\x -> -x) xs, -x * x, -(-x), f64.neg x + 4, (-x) ** 2)
entry brackets (xss: [2][2]f64) (i: i64) =
  (xss[i][i], xss[i, i], xss[i], (head xss[1:]) |> head, map (\r -> r[0]) xss)
entry lets (x: f64) =
  let y = x * x let z = y + 1
  let (a, b) = (z, y)
  let {u, v = w} = {u = a, v = b} in
  u + w + x
entry chains (x: i32) = if x < 0 then 1 else if x == 0 then 2 else 3
entry bare_lambdas [n] (xs: [n]f64) =
  let ys = map (+ 1) <| xs
  let s = reduce (\a b -> a + b) 0 <| ys
  in (ys, s, vjp (\xs -> f64.sum <| map (\x -> let y = x in y) xs) xs <| 1)
entry ascribed (n: i32) = (f64.i32 n : f64, (f64.i32 n * 2) : f64, (let m = n + 3 in m) : i32)
entry updates_weaker (xs: [3]i32) = (copy xs with [1] = xs[1] * 2 + 2, copy xs with [0] = 3 * 3)
entry precedence (x: i32) (y: i32) =
  (x / y, -x // y + y, y ** 3 ** y * 8, x - 1 & 6, x > y == true, x * y | 0, x % y ^ 0)
entry unit (x: f64) = let () = () let f () = x in f ()
entry wild (x: f64) (y: f64) = vjp2 (\(_, y) -> y) (x, y) 1 |> \(v, (dx, dy)) -> (v, dx, dy)
