-- Derivatives of derivatives, in every mix of modes.
-- ==
-- entry: second
-- input { 0.75 } output { [17.898637407083037, 17.898637407083037, 17.898637407083037, 17.898637407083037] }
-- ==
-- entry: third
-- input { 0.75 } output { [64.82324997242111, 64.82324997242111, 64.82324997242111, 64.82324997242111, 64.82324997242111, 64.82324997242111, 64.82324997242111, 64.82324997242111] }
-- ==
-- entry: fourth
-- input { 0.75 } output { [154.4488547110579, 154.4488547110579] }
-- ==
-- entry: hessian_fr hessian_rf hessian_ff hessian_rr hessian_maps
-- input { [0.5, -1.0, 0.25] }
-- output { [[0.979425538604203, 0.6378697925882713, 1.0], [0.6378697925882713, 0.16853143359301356, 0.5841005873035536], [1.0, 0.5841005873035536, 0.7788007830714049]] }
-- ==
-- entry: confusion confusion_reverse
-- input { 3.0 5.0 } output { 1.0 3.0 15.0 }

def f (x: f64) = f64.sin x * f64.exp x * x ** 3
def fwd (f: f64 -> f64) (x: f64) = jvp f x 1
def rev (f: f64 -> f64) (x: f64) = vjp f x 1
entry second (x: f64) = [fwd (fwd f) x, fwd (rev f) x, rev (fwd f) x, rev (rev f) x]
entry third (x: f64) =
  [ fwd (fwd (fwd f)) x, fwd (fwd (rev f)) x, fwd (rev (fwd f)) x, fwd (rev (rev f)) x
  , rev (fwd (fwd f)) x, rev (fwd (rev f)) x, rev (rev (fwd f)) x, rev (rev (rev f)) x ]
entry fourth (x: f64) = [fwd (rev (fwd (rev f))) x, rev (fwd (rev (fwd f))) x]

def g (v: [3]f64) = f64.sin (v[0] * v[1]) + v[0] ** 2 * v[2] + f64.exp (v[1] * v[2])
def unit i : [3]f64 = tabulate 3 (\j -> f64.bool (i == j))
def grad_r (f: [3]f64 -> f64) v = vjp f v 1
def grad_f (f: [3]f64 -> f64) v = tabulate 3 (\i -> jvp f v (unit i))
entry hessian_fr v = tabulate 3 (\i -> jvp (grad_r g) v (unit i))
entry hessian_rf v = tabulate 3 (\i -> vjp (grad_f g) v (unit i))
entry hessian_ff v = tabulate 3 (\i -> jvp (grad_f g) v (unit i))
entry hessian_rr v = tabulate 3 (\i -> vjp (grad_r g) v (unit i))
entry hessian_maps v = jmp (grad_r g) v (map unit (iota 3))

-- d/dx (x * d/dy (x + y)), and what a variable of the outer call does in an inner one.
entry confusion (x: f64) (y: f64) =
  ( jvp (\x -> x * jvp (\y -> x + y) y 1) x 1
  , jvp (\x -> x * jvp (\y -> y) y x / 2) x 1
  , jvp (\x -> jvp (\y -> x * y * y) y 1) x 1 + y )
entry confusion_reverse (x: f64) (y: f64) =
  ( vjp (\x -> x * vjp (\y -> x + y) y 1) x 1
  , vjp (\x -> x * vjp (\y -> y) y x / 2) x 1
  , vjp (\x -> vjp (\y -> x * y * y) y 1) x 1 + y )
