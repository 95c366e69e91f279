-- Simulations whose parameters are fitted: trajectories, and a history in a ring that is written in place.
-- ==
-- entry: fit
-- input { [2.0, 0.5] [1.0, 0.75, 0.5, 0.125, -0.25] } output { 0.12468820810317993 [-0.4095420241355896, 0.173964262008667] [-0.4095420241355896, 0.173964262008667] }
-- ==
-- entry: delayed
-- input { 0.25 } output { 9.2971771541385 18.225416875389282 18.225416875389282 }

type state = {x: f64, v: f64}
type params = {stiffness: f64, damping: f64}
def step (p: params) (h: f64) ({x, v}: state) : state =
  {x = x + h * v, v = v + h * (-p.stiffness * x - p.damping * v)}
def trajectory (p: params) (h: f64) (n: i64) : [n]f64 =
  let (_, xs) =
    loop (s: state, xs: *[n]f64) = ({x = 1, v = 0}, replicate n 0) for i < n do
      let s = step p h s
      in (s, xs with [i] = s.x)
  in xs
def loss [n] (data: [n]f64) (p: params) =
  f64.sum (map2 (\a b -> (a - b) ** 2) (trajectory p 0.25 n) data)
entry fit [n] (p: [2]f64) (data: [n]f64) =
  let p = {stiffness = p[0], damping = p[1]}
  let d = vjp (loss data) p 1
  in ( loss data p, [d.stiffness, d.damping]
     , [jvp (loss data) p {stiffness = 1, damping = 0}, jvp (loss data) p {stiffness = 0, damping = 1}] )
entry delayed (k: f64) =
  let simulate k =
    (loop (x, s, history: *[3]f64) = (1, 0, [1, 1, 1]) for i < 7i64 do
       let old = history[i % 3]
       let history = history with [i % 3] = x
       let x = x + k * old - x * x / 8
       in (x, s + x, history)).1
  in (simulate k, vjp simulate k 1, jvp simulate k 1)
