-- A derivative in the body of a loop that asks, some of whose steps change nothing.
-- ==
-- entry: main
-- input { 1.0 } output { true }
entry main (t: f64) =
  let f (t: f64) =
    let (x, _, _) = loop (x, v, k) = (t, 0f64, 0i32) while k < 5 do
      let a = -(vjp (\x -> x * x / 2) x 1)
      in if k % 2 == 0 then (x + 0.1 * v, v + 0.1 * a, k + 1) else (x, v, k + 1)
    in x
  let h = 1e-3
  let fd = (f (t + h) - f (t - h)) / (2 * h)
  in f64.abs (vjp f t 1 - fd) < 1e-9 && f64.abs (jvp f t 1 - fd) < 1e-9
