-- Derivatives that are 0 by convention: there is a warning, and the derivative.
-- ==
-- warning: warned.fut:26:29: warning: `floor` has the derivative 0
-- warning: `round` has the derivative 0 .zero-derivative.
-- warning: the number made of a comparison
-- warning: a comparison has the derivative 0
-- warning: `to_bits` is bits
-- entry: main
-- input { 2.5 } output { 1.5 1.0 }
-- ==
-- entry: others
-- input { 2.5 } output { 0.0 0.0 2.0 }
-- ==
-- entry: composed
-- input { 2.5 } output { 0.0 false }
-- ==
-- entry: bits
-- input { 2f32 } output { 1065353216u32 }
-- ==
-- entry: quiet
-- input { 2.5 } output { 1.0 2.0 }
-- ==
-- entry: beside
-- input { [1.5, 2.0, 3.0, 4.0] } output { [13.5, 0.0, 0.0, 0.0] }

def fraction (x: f64) = x - f64.floor x + 1
entry main (x: f64) = vjp2 fraction x 1
entry others (x: f64) =
  let number x = f64.bool (x < 3)
  let half x = if f64.isnan x then 0 else 2 * x
  in (vjp number x 1, jvp (\x -> f64.sum (map f64.round [x, 2 * x])) x 1, vjp half x 1)
entry composed (x: f64) = (vjp (f64.ceil >-> (* 2)) x 1, jvp (\x -> x < 3) x 1)
entry bits (x: f32) = jvp f32.to_bits x 1
-- What decides is no step, and what is not differentiated may be one.
entry quiet (x: f64) =
  let steps = f64.floor x
  in (vjp (\x -> if x > steps then x else -x) x 1, steps)
-- A size beside a comparison is none.
entry beside (x: [4]f64) =
  vjp (\x -> match (x[2] > 1, length x) case (_, k) -> x[0] ** f64.i64 k) x 1
