-- Likelihoods, a hidden Markov model, and the price of an option with its Greeks.
-- ==
-- entry: normal
-- input { [0.5, 1.5, -0.25, 2.0] 0.5 0.25 }
-- output { -5.831953202895899 [1.0614286544971085, -1.687601859845585] [[-2.4261226388505337, -2.122857308994217], [-2.122857308994217, -4.62479628030883]] }
-- ==
-- entry: forward_algorithm
-- input { 0.5 [0i64, 1i64, 1i64, 0i64] } output { -3.313733480757636 0.11857179664645136 0.11857179664645136 }
-- ==
-- entry: option
-- input { 100.0 95.0 0.25 0.03125 0.5 }
-- output { 10.53274697223103 [0.6797269462593342, -0.6046310279337094, 25.29593561828961, 28.719973826851195, 8.118982268750603] 0.02023674849463169 }

def log_normal (m: f64) (s: f64) (x: f64) = -0.5 * ((x - m) / s) ** 2 - f64.log s - 0.5 * f64.log (2 * f64.pi)
entry normal [n] (data: [n]f64) (m: f64) (s: f64) =
  let f (p: [2]f64) = f64.sum (map (log_normal p[0] (f64.exp p[1])) data)
  let p = [m, s]
  let gradient p = vjp f p 1
  in (f p, gradient p, [jvp gradient p [1, 0], jvp gradient p [0, 1]])
entry forward_algorithm [n] (theta: f64) (observed: [n]i64) =
  let likelihood theta =
    let stay = 1 / (1 + f64.exp (-theta))
    let transition = [[stay, 1 - stay], [0.25, 0.75]]
    let emission = [[0.5, 0.5], [0.125, 0.875]]
    let next (a: [2]f64) (o: i64) =
      tabulate 2 (\j -> f64.sum (map2 (*) a transition[:, j]) * emission[j, o])
    in f64.log (f64.sum (foldl next [0.5, 0.5] observed))
  in (likelihood theta, vjp likelihood theta 1, jvp likelihood theta 1)
def phi (x: f64) = 0.5 * f64.erfc (-x / f64.sqrt 2)
def call (s: f64, k: f64, v: f64, r: f64, t: f64) =
  let d1 = (f64.log (s / k) + (r + v * v / 2) * t) / (v * f64.sqrt t)
  let d2 = d1 - v * f64.sqrt t
  in s * phi d1 - k * f64.exp (-r * t) * phi d2
entry option (s: f64) (k: f64) (v: f64) (r: f64) (t: f64) =
  let (price, (a, b, c, d, e)) = vjp2 call (s, k, v, r, t) 1
  let gamma = jvp (\s -> (vjp call (s, k, v, r, t) 1).0) s 1
  in (price, [a, b, c, d, e], gamma)
