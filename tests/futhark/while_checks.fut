-- Checks inside of conditions of loops: indices and assertions.
-- ==
-- entry: find
-- input { [1.0, 3.0, 5.0, 7.0] 4.0 } output { 2i64 5.0 [0.0, 0.0, 1.0, 0.0] }
-- input { [1.0, 3.0] 4.0 } error: out of bounds
-- ==
-- entry: newton
-- input { 2.0 } output { 1.4142135623730951 0.3535533905932738 0.3535533905932738 }
-- input { -1.0 } error: assert
-- ==
-- entry: divided
-- input { 100 3 } output { 3 }
-- input { 100 0 } error: divisor

def index_of [n] (xs: [n]f64) (x: f64) : i64 = loop i = 0 while xs[i] < x do i + 1
entry find [n] (xs: [n]f64) (x: f64) =
  let f (xs: [n]f64) = xs[index_of xs x]
  let (v, dxs) = vjp2 f xs 1
  in (index_of xs x, v, dxs)
def root (a: f64) = loop x = a while assert (x > 0) (f64.abs (x * x - a) > 1e-13 * a) do (x + a / x) / 2
entry newton (a: f64) =
  let root a = let x = root a in (x + a / x) / 2
  in (root a, vjp root a 1, jvp root a 1)
entry divided (x: i32) (y: i32) =
  let (_, n) = loop (x, n) = (x, 0) while x / y > 0 do (x / y - y / 2 * 0, n + 1)
  in n - 1
