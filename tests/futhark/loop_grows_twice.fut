-- Second derivatives of loops that change sizes, loops in such loops, and sizes that grow inside of conditionals.
-- ==
-- entry: second
-- input { 1.5 } output { [1360.75, 1360.75, 1360.75, 1360.75] }
-- ==
-- entry: hessian hessian_reverse
-- input { [1.0, 2.0, 0.5, -1.0] } output { [[0.0, 0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 1.5], [1.0, 0.0, 0.0, 2.0], [3.0, 1.5, 2.0, 0.0]] }
-- ==
-- entry: at_times
-- input { [1.0, -2.0, 3.0] } output { [1.0, 3.0] [2.0, 0.0, 6.0] }
-- ==
-- entry: nested
-- input { 2.0 3i64 } output { 14.0 17.0 17.0 }
-- ==
-- entry: annotated
-- input { [1.0, 2.0] 3i64 } output { [8.0, 16.0] [8.0, 8.0] }
-- ==
-- entry: rounds
-- input { [3.0, 1.0, 2.0] } output { 6.0 [1.0, 1.0, 1.0] }

-- x^(1 + 0 + 1 + ... + i)
def chain (x: f64) : f64 =
  let ps = loop ps : []f64 = [x] for i < 3i64 do ps ++ [last ps * x ** f64.i64 (i + 1)]
  in f64.sum (map2 (\i p -> f64.i64 (i + 1) * p) (indices ps) ps)
entry second (x: f64) =
  let r = \x -> vjp chain x 1
  let f = \x -> jvp chain x 1
  in [jvp r x 1, vjp r x 1, jvp f x 1, vjp f x 1]
def fold [n] (xs: [n]f64) : f64 =
  head (loop ys : []f64 = copy xs while length ys > 1 do
          let k = length ys / 2
          in map2 (\a b -> a * b + a) (ys[:k]) (ys[k:] :> [k]f64))
def gradient [n] (xs: [n]f64) = vjp fold xs 1
def unit n i : [n]f64 = tabulate n (\j -> f64.bool (i == j))
entry hessian [n] (xs: [n]f64) = map (\i -> jvp gradient xs (unit n i)) (iota n)
entry hessian_reverse [n] (xs: [n]f64) = map (\i -> vjp gradient xs (unit n i)) (iota n)
entry at_times [n] (xs: [n]f64) =
  let keep (xs: [n]f64) = loop ys : []f64 = [] for x in xs do if x > 0 then ys ++ [x] else ys
  in (keep xs, vjp (\xs -> f64.sum (map (** 2) (keep xs))) xs 1)
entry nested (x: f64) (n: i64) =
  let f x =
    let ys = loop ys : []f64 = [] for i < n do
      let p = loop p = 1 for _j < i + 1 do p * x
      in ys ++ [p]
    in f64.sum ys
  in (f x, vjp f x 1, jvp f x 1)
-- The sizes stay, though the type does not say so.
entry annotated [n] (xs: [n]f64) (k: i64) =
  let f (xs: [n]f64) = (loop (ys: []f64) = xs for _i < k do map (* 2) ys) :> [n]f64
  in vjp2 f xs (replicate n 1)
entry rounds [n] (xs: [n]f64) =
  let f (xs: [n]f64) =
    let (s, _) = loop (s, ys : []f64) = (0, copy xs) while length ys > 0 do
      let m = f64.maximum ys
      in (s + m, filter (< m) ys)
    in s
  in vjp2 f xs 1
