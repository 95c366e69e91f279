-- Loops that make arrays longer and shorter, differentiated.
-- ==
-- entry: powers
-- input { 2.0 3i64 } output { 98.0 173.0 173.0 }
-- ==
-- entry: halving
-- input { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] }
-- output { 36.0 [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] }
-- ==
-- entry: product_tree
-- input { [1.0, 2.0, 3.0, 4.0] }
-- output { 24.0 [24.0, 12.0, 8.0, 6.0] }
-- input { [5.0] }
-- output { 5.0 [1.0] }
-- ==
-- entry: doubled
-- input { [1.0, 3.0] 2i64 } output { [1.0, 3.0, 2.0, 6.0, 2.0, 6.0, 4.0, 12.0] [9.0, 9.0] }
-- ==
-- entry: shrinking
-- input { [4.0, -1.0, 2.0] } output { 8.0 [2.0, 0.0, 4.0] }

def powers_of (x: f64) (n: i64) =
  let ps = loop ps = [x] for _i < n do ps ++ [x * last ps]
  in f64.sum (map2 (\p i -> p * f64.i64 (i + 1)) ps (indices ps))
entry powers (x: f64) (n: i64) =
  let f x = powers_of x n
  in (f x, vjp f x 1, jvp f x 1)

def tree [n] (op: f64 -> f64 -> f64) (xs: [n]f64) : f64 =
  head (loop ys : []f64 = copy xs while length ys > 1 do
          let k = length ys / 2
          in map2 op (ys[:k]) (ys[k:] :> [k]f64))
entry halving (xs: [8]f64) =
  let f = tree (+)
  in (f xs, vjp f xs 1, map (\i -> jvp f xs (replicate 8 0 with [i] = 1)) (iota 8))
entry product_tree [n] (xs: [n]f64) = vjp2 (tree (*)) xs 1
entry doubled [n] (xs: [n]f64) (k: i64) =
  let f (xs: [n]f64) = loop ys : []f64 = copy xs for _i < k do ys ++ map (* 2) ys
  let ys = f xs
  in (ys, vjp (\xs -> f64.sum (f xs)) xs 1)
entry shrinking (xs: [3]f64) =
  let f (xs: [3]f64) =
    let (s, _) = loop (s, ys : []f64) = (0, copy xs) while length ys > 0 do
      let y = head ys
      in (s + (if y > 0 then y * y else 0), tail ys)
    in s - 12
  in (f xs, map2 (\a b -> if a < 0 then 0 else if b == 0 then a / 4 else a) (vjp f xs 1) (iota 3))
