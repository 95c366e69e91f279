-- ==
-- error: does not cover .*#c
type t = #a f64 | #b | #c i32
def f (x: t) = match x case #a y -> y case #b -> 0
entry main (x: f64) = vjp (\x -> f (#a x)) x 1
