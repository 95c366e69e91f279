-- ==
-- entry: costs
-- input { [1.0, -2.0, 3.0] } auto output
-- input { empty([0]f64) } auto output
type job = #idle | #run f64 | #wait {time: f64, by: i32}
def job_of (x: f64): job = if x > 2 then #idle else if x > 0 then #run x else #wait {time = x * x, by = 2}
def cost (j: job): f64 =
  match j
  case #idle -> 1
  case #run 1.0 -> 10
  case #run x -> x * x
  case #wait w -> w.time * f64.i32 w.by
entry costs [n] (xs: [n]f64) =
  let f (xs: [n]f64) = map (\x -> cost (job_of x)) xs
  let jobs = map job_of xs
  in (f xs, vjp f xs (replicate n 1), jvp f xs xs, map cost (reverse jobs), jobs == map job_of xs)
