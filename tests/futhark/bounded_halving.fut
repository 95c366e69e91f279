-- A loop with a bound on its iterations, whose result is a pair.
-- ==
-- entry: main
-- input { 30.0 } output { 5i32 0.03125 }
entry main (x: f64) =
  let f x = #[bound(10)] loop (x, n) = (x, 0i32) while x > 1 do (x / 2, n + 1)
  in ((f x).1, (vjp f x (1, 0)))
