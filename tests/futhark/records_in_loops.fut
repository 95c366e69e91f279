-- ==
-- entry: run
-- input { 1.0 0.5 20 } auto output
type state = {prey: f64, predators: f64, past: [4]f64}
def step (a: f64, b: f64) (s: state): state =
  { prey = s.prey + 0.1 * s.prey * (a - s.predators)
  , predators = s.predators + 0.1 * s.predators * (b * s.prey - 1)
  , past = copy s.past with [i64.f64 (4 * s.prey) % 4] = s.prey }
entry run (a: f64) (b: f64) (n: i32) =
  let f (a: f64, b: f64) =
    let s = loop s: state = {prey = 1, predators = 1, past = replicate 4 0} for _i < n do step (a, b) s
    in s.prey + s.predators * s.past[1] + f64.sum s.past
  in (f (a, b), vjp f (a, b) 1, jvp f (a, b) (1, 0), jvp f (a, b) (0, 1), jvp (\p -> vjp f p 1) (a, b) (1, 1))
