-- Loops of arrays that some branches, and loops within, give the size that they begin with.
-- ==
-- entry: momentum
-- input { [1.0, 2.0] [0.5, -1.0] 3 } output { [2.5, -1.0] [3.0, 3.0] }
-- ==
-- entry: nested
-- input { 3 } output { [3i64, 3i64] }
-- ==
-- entry: chosen
-- input { 4 } output { [1i64, 1i64] 4 }
-- ==
-- entry: state
-- input { 8 } output { [6i64, 6i64] }
-- ==
-- entry: rows
-- input { [[1i64, 0i64], [2i64, 3i64]] } output { [[1i64, 1i64], [5i64, 5i64]] }
-- ==
-- entry: grown
-- input { 6 } output { [1, 2, 1, 2, 1, 2, 1, 2] }
def step [n] (v: [n]f64) (p: [n]f64): [n]f64 = map2 (+) v p
entry momentum [n] (p: [n]f64) (v: [n]f64) (k: i32) =
  let f v = loop p for _j < k do if f64.sum p > 1e9 then p else step v p
  in (f v, vjp f v (replicate n 1))
def more (a: [2]i64): [2]i64 = map (+ 1) a
entry nested (n: i32) = loop r = [0, 0] for i < n do loop r for _j < i do more r
entry chosen (n: i32) =
  loop (a, k) = ([0, 0], 0i32) while k < n do if k == 2 then (more a, k + 1) else (a, k + 1)
entry state (n: i32) =
  (loop s = {v = [0, 0], n = 0i32} for i < n do if i > 5 then s else s with v = more s.v).v
entry rows [n] [m] (xss: [n][m]i64) =
  map (\r -> loop acc = replicate m 0 for x in r do if x > 0 then map2 (+) (replicate m x) acc else acc) xss
entry grown (n: i32) =
  loop r = [1i32, 2] for i < n do if i < 4 then let b = copy r in if i > 10 then r else b else concat r r
