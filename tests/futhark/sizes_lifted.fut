-- Sizes that are known only from results, through type parameters `'~t` and `'^t`.
-- ==
-- entry: applied
-- input { 3i64 } output { [0i64, 1i64, 2i64] 3i64 }
-- ==
-- entry: summed
-- input { [3i64, 1i64, 2i64] } output { 6i64 }
-- ==
-- entry: filtered
-- input { [1, -2, 3] } output { [1, 3] [2, 4] [1, 3] [1, 3] }
-- ==
-- entry: chosen
-- input { true [1, -2, 3] } output { [1, 3] }
-- input { false [1, -2, 3] } output { [-2] }
-- ==
-- entry: rows
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [0i64, 1i64, 2i64]] }
-- ==
-- entry: adjoint
-- input { [1.0, -2.0, 3.0] } output { [2.0, 0.0, 6.0] }
-- ==
-- entry: pairs
-- input { true 3i64 } output { [0i64, 1i64, 2i64] [0i64, 2i64, 4i64] }
-- input { false 3i64 } output { [0i64, 1i64] [0i64, 2i64] }
-- ==
-- entry: within_records
-- input { [1, 2, 3] } output { 3i64 [2, 3] }
-- ==
-- entry: abstract
-- input { true [1, 2, 3] } output { 4i64 5i64 }
-- input { false [1, 2, 3] } output { 3i64 5i64 }
def ap '^a '^b (f: a -> b) (x: a) : b = f x
entry applied (n: i64) = let ys = ap (\n -> iota n) n in (ys, length ys)
-- Another size in each iteration.
entry summed (ns: []i64) = loop acc = 0 for n in ns do acc + length (ap iota n)
def both '~a (f: () -> a) : (a, a) = (f (), f ())
entry filtered (xs: []i32) =
  let (one, two) = both (\() -> filter (> 0) xs)
  in (ap (ap (\p ys -> filter p ys) (> 0)) xs, uncurry (\p ys -> map (+ 1) (filter p ys)) ((> 0), xs), one, two)
def choose '~a (b: bool) (f: () -> a) (g: () -> a) : a = if b then f () else g ()
entry chosen (b: bool) (xs: []i32) = choose b (\() -> filter (> 0) xs) (\() -> filter (< 0) xs)
entry rows (n: i64) (m: i64) = map (\_ -> ap (\k -> iota k) m :> [m]i64) (iota n)
entry adjoint (xs: []f64) = vjp (\xs -> f64.sum (map (\x -> x * x) (ap (filter (> 0)) xs))) xs 1
-- Two sizes that differ in the branches are one size of the result.
entry pairs (b: bool) (n: i64) =
  let (xs, ys) = if b then (iota n, iota n) else let m = n - 1 in (iota m, iota m)
  in (xs, map2 (+) xs ys)
type^ source = {get: () -> []i32, keep: i32 -> bool}
entry within_records (xs: []i32) =
  let s: source = {get = \() -> xs, keep = (> 1)}
  in (length (s.get ()), filter s.keep (s.get ()))
module type stack = { type~ t val from [n] : [n]i32 -> t val size : t -> i64 val push : i32 -> t -> t }
module stack : stack = {
  type~ t = []i32
  def from (xs: []i32) : t = copy xs
  def size (t: t) = length t
  def push (x: i32) (t: t) : t = t ++ [x]
}
entry abstract (b: bool) (xs: []i32) =
  let t = stack.from xs
  in (stack.size (if b then stack.push 1 t else t), t |> stack.push 1 |> stack.push 2 |> stack.size)
