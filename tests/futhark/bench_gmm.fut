-- The mixture of Gaussians of GradBench, with its Wishart prior.
-- ==
-- entry: value
-- input @ data/gmm_d2_k5.in.gz
-- output { -3916.464821054466 }
-- input { [-0.698, -0.855] [[-0.269, 0.015, -0.133], [-0.819, 0.654, -0.554]] [[0.895, -0.207, -0.907], [-0.421, -0.764, 0.632]] [[0.163, -0.255, -0.874], [-0.588, -0.145, 0.171]] [[-0.801, 0.796, 0.298], [1.501, -0.848, -1.528], [1.029, -0.044, 0.673], [0.292, -0.745, 0.377]] 2i64 1.25 }
-- output { -47.49383926085557 }
-- ==
-- entry: gradient
-- input @ data/gmm_d2_k5.in.gz
-- output @ data/gmm_d2_k5.out.gz
-- input { [-0.698, -0.855] [[-0.269, 0.015, -0.133], [-0.819, 0.654, -0.554]] [[0.895, -0.207, -0.907], [-0.421, -0.764, 0.632]] [[0.163, -0.255, -0.874], [-0.588, -0.145, 0.171]] [[-0.801, 0.796, 0.298], [1.501, -0.848, -1.528], [1.029, -0.044, 0.673], [0.292, -0.745, 0.377]] 2i64 1.25 }
-- output { [-0.3853330340729039, 0.3853330340729039] [[3.0527029744160465, -0.2706863414744114, 0.12112106186600757], [3.5616259939949413, -1.5267630102499528, -0.07724082359767113]] [[-12.004972582605676, 2.239076953669714, 3.4336299326022934], [0.17338858361561424, 1.9936709235401344, -10.118083233190164]] [[0.15405042174252154, -0.03702219718091874, 1.9730007193088246], [7.671255269417436, 2.5723986314365015, -2.34808543251058]] }

def logsumexp [n] (xs: [n]f64): f64 =
  let top = f64.maximum xs
  in top + f64.log (f64.sum (map (\x -> f64.exp (x - top)) xs))

def norm2 [n] (xs: [n]f64): f64 = f64.sum (map (\x -> x * x) xs)

-- The strictly lower triangle lies column by column in `l`.
def times [d] [t] (q: [d]f64) (l: [t]f64) (x: [d]f64): [d]f64 =
  tabulate d (\i ->
    f64.exp q[i] * x[i]
    + (loop sum = 0 for c < i do sum + l[c * d - c * (c + 1) / 2 + i - c - 1] * x[c]))

def log_gamma_distrib (a: f64) (d: i64): f64 =
  0.25 * f64.i64 (d * (d - 1)) * f64.log f64.pi
  + f64.sum (map (\j -> f64.lgamma (a - 0.5 * f64.i64 j)) (0..<d))

def objective [n] [k] [d] [t] (x: [n][d]f64) (m: i64) (gamma: f64)
                              (alphas: [k]f64, means: [k][d]f64, qs: [k][d]f64, ls: [k][t]f64): f64 =
  let one (x: [d]f64): f64 =
    logsumexp (map4 (\a mean q l -> a + f64.sum q - 0.5 * norm2 (times q l (map2 (-) x mean))) alphas means qs ls)
  let wide = d + m + 1
  let constant =
    f64.i64 (wide * d) * (f64.log gamma - 0.5 * f64.log 2) - log_gamma_distrib (0.5 * f64.i64 wide) d
  let out (q: [d]f64) (l: [t]f64): f64 =
    0.5 * gamma ** 2 * (norm2 (map f64.exp q) + norm2 l) - f64.i64 m * f64.sum q
  let data = -0.5 * f64.i64 (n * d) * f64.log (2 * f64.pi) + f64.sum (map one x) - f64.i64 n * logsumexp alphas
  in data + f64.i64 k * constant - f64.sum (map2 out qs ls)

entry value [n] [k] [d] [t] (a: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64) (x: [n][d]f64) (m: i64) (gamma: f64) =
  objective x m gamma (a, mu, q, l)

entry gradient [n] [k] [d] [t] (a: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64) (x: [n][d]f64) (m: i64) (gamma: f64) =
  vjp (objective x m gamma) (a, mu, q, l) 1
