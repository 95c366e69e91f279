-- Call options: the first and second derivatives, known in closed form.
-- ==
-- entry: main
-- input { 5.0 } output { true true }
def cnd d = 0.5 * (1 + f64.erf (d / f64.sqrt 2))
def call (s: f64) (k: f64) (r: f64) (v: f64) (t: f64) =
  let d1 = (f64.log (s / k) + (r + v * v / 2) * t) / (v * f64.sqrt t)
  let d2 = d1 - v * f64.sqrt t
  in s * cnd d1 - k * f64.exp (-r * t) * cnd d2
entry main (s: f64) =
  let f s = call s 4 0.05 0.2 1
  let d1 = (f64.log (s / 4) + 0.07) / 0.2
  let gamma = f64.exp (-d1 * d1 / 2) / f64.sqrt (2 * f64.pi) / (s * 0.2)
  let near (a: f64) b = f64.abs (a - b) < 1e-12
  in (near (vjp f s 1) (cnd d1), near (jvp (\s -> vjp f s 1) s 1) gamma && near (vjp (\s -> jvp f s 1) s 1) gamma)
