-- A fit of the model of Lotka and Volterra: gradients through the steps of an integrator.
-- ==
-- entry: gradient
-- input { 0.25 [2.0, 1.0] [[2.0, 1.0], [2.25, 0.95], [2.5, 0.9], [2.75, 0.85], [3.0, 0.8], [3.25, 0.75]] [1.1, 0.4, 0.4, 0.1] }
-- output { 2.454699845643029 [14.819226345736391, -13.751471335296406, 3.449151153642219, -9.779760545405269] }
-- ==
-- entry: hessian
-- input { 0.25 [2.0, 1.0] [[2.0, 1.0], [2.25, 0.95], [2.5, 0.9], [2.75, 0.85], [3.0, 0.8], [3.25, 0.75]] [1.1, 0.4, 0.4, 0.1] [1.0, -1.0, 0.5, 2.0] }
-- output { [29.91750547604237, -76.30784249129306, 6.001044640644444, -22.42614712973396] }
-- ==
-- entry: fit
-- input { 0.25 [2.0, 1.0] [[2.0, 1.0], [2.25, 0.95], [2.5, 0.9], [2.75, 0.85], [3.0, 0.8], [3.25, 0.75]] [1.1, 0.4, 0.4, 0.1] 0.002 8i32 }
-- output { [0.9853981499394058, 0.5120239093903708, 0.3732478883804107, 0.17053483524580892] 0.2599074638069929 }

type parameters = {alpha: f64, beta: f64, gamma: f64, delta: f64}
def parameters_of (v: [4]f64): parameters = {alpha = v[0], beta = v[1], gamma = v[2], delta = v[3]}
def field ({alpha, beta, gamma, delta}: parameters) (x: f64, y: f64): (f64, f64) =
  (alpha * x - beta * x * y, delta * x * y - gamma * y)
def (+^) (a: f64, b: f64) (c: f64, d: f64): (f64, f64) = (a + c, b + d)
def (*^) (k: f64) (c: f64, d: f64): (f64, f64) = (k * c, k * d)

-- One step of the method of Runge and Kutta.
def step (f: (f64, f64) -> (f64, f64)) (h: f64) (z: (f64, f64)): (f64, f64) =
  let k1 = f z
  let k2 = f (z +^ (h / 2 *^ k1))
  let k3 = f (z +^ (h / 2 *^ k2))
  let k4 = f (z +^ (h *^ k3))
  in z +^ (h / 6 *^ (k1 +^ (2 *^ k2) +^ (2 *^ k3) +^ k4))

def loss [n] (h: f64) (start: [2]f64) (observed: [n][2]f64) (v: [4]f64): f64 =
  let f = field (parameters_of v)
  let (_, sum) =
    loop (z, sum) = ((start[0], start[1]), 0) for o in observed do
      let z = step f h z
      in (z, sum + (z.0 - o[0]) ** 2 + (z.1 - o[1]) ** 2)
  in sum / f64.i64 n

entry gradient [n] (h: f64) (start: [2]f64) (observed: [n][2]f64) (v: [4]f64) = vjp2 (loss h start observed) v 1
entry hessian [n] (h: f64) (start: [2]f64) (observed: [n][2]f64) (v: [4]f64) (d: [4]f64) =
  jvp (\v -> vjp (loss h start observed) v 1) v d
entry fit [n] (h: f64) (start: [2]f64) (observed: [n][2]f64) (v: [4]f64) (rate: f64) (steps: i32) =
  let v = iterate steps (\v -> map2 (\v g -> v - rate * g) v (vjp (loss h start observed) v 1)) v
  in (v, loss h start observed v)
