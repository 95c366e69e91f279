-- Sections, pipes, local functions, definitions without parameters, a lambda at the end: the same in both modes.
-- ==
-- entry: sections_fwd sections_rev
-- input { 3.0 } output { -0.5 }
-- ==
-- entry: pipes_fwd pipes_rev
-- input { 2.0 } output { 96.0 }
-- ==
-- entry: locals_fwd locals_rev
-- input { 2.0 } output { 89.0 }
-- ==
-- entry: points_fwd points_rev
-- input { 0.5 } output { 5.0 }
-- ==
-- entry: last_fwd last_rev
-- input { 2.0 } output { 3.0 }

def forward f x = jvp f x 1f64: f64
def back f x = vjp f x 1f64: f64

def sections x = let less (a: f64) b = a - b in (+ 1) x |> (/ 2) |> (4 -) |> (`less` 1) |> (* 1)
entry sections_fwd = forward sections
entry sections_rev = back sections

def pipes (x: f64) = (\y -> y * y) <| (x |> ((* x) >-> (* x)) |> (+ 0)) |> ((/ x) <-< (* 1)) |> (* 1.2)
entry pipes_fwd x = forward (pipes >-> (/ 1.2) >-> (* 1.2)) x
entry pipes_rev x = back (pipes >-> (/ 1.2) >-> (* 1.2)) x

def locals (x: f64) =
  let a = x * x
  let f y = a * y + x
  let g 'a (h: a -> a) (y: a) = h (h y)
  in g f x - a
entry locals_fwd = forward locals
entry locals_rev = back locals

def points: f64 -> f64 = \x -> let scale = 10 in x * x * scale / 2
entry points_fwd: f64 -> f64 = forward points
entry points_rev: f64 -> f64 = back points

def last_of (x: f64) = f64.sum <| map (\y -> y * x) [1, 2]
entry last_fwd x = jvp last_of x <| 1
entry last_rev x = vjp last_of x <| 1
