-- A small mixture model: log-sum-exp, triangular matrices, gradients and products with the Hessian.
-- ==
-- entry: gradient hessian
-- input { [0.1, -0.2] [[0.5, 1.0], [-1.0, 0.25]] [[0.3, -0.1, 0.7], [0.2, 0.4, -0.5]] [[1.0, 2.0], [0.0, -1.0], [0.5, 0.5]] }
-- auto output
def logsumexp [n] (xs: [n]f64) =
  let m = f64.maximum xs
  in m + f64.log (f64.sum (map (\x -> f64.exp (x - m)) xs))
def qtimes (q: [3]f64) (x: [2]f64): [2]f64 = [f64.exp q[0] * x[0], q[2] * x[0] + f64.exp q[1] * x[1]]
def gmm [n] [k] (alphas: [k]f64, means: [k][2]f64, qs: [k][3]f64) (xs: [n][2]f64) =
  let one x = logsumexp (map3 (\a m q -> a + q[0] + q[1] - 0.5 * f64.sum (map (** 2) (qtimes q (map2 (-) x m)))) alphas means qs)
  in f64.sum (map one xs) - f64.i64 n * logsumexp alphas
entry gradient [n] [k] (alphas: [k]f64) (means: [k][2]f64) (qs: [k][3]f64) (xs: [n][2]f64) =
  vjp2 (\p -> gmm p xs) (alphas, means, qs) 1
entry hessian [n] [k] (alphas: [k]f64) (means: [k][2]f64) (qs: [k][3]f64) (xs: [n][2]f64) =
  jvp (\p -> vjp (\p -> gmm p xs) p 1) (alphas, means, qs) (alphas, means, qs)
