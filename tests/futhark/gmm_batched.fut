-- A mixture of Gaussians: its likelihood without its constant, and the gradient, in reverse and by many tangents at once.
-- ==
-- entry: value
-- input { [[0.5, -1.0], [1.25, 0.75], [-0.25, 2.0]] [0.5, -0.25] [[0.25, 0.0], [-1.0, 1.5]] [[0.125, -0.5, 0.75], [0.25, 0.5, -1.0]] }
-- output { 0.42295783715646496 }
-- ==
-- entry: gradient gradient_forward
-- input { [[0.5, -1.0], [1.25, 0.75], [-0.25, 2.0]] [0.5, -0.25] [[0.25, 0.0], [-1.0, 1.5]] [[0.125, -0.5, 0.75], [0.25, 0.5, -1.0]] }
-- output { [0.35872889284661624, -0.35872889284661624] [[2.188651853854955, 0.6780331887365135], [0.7028663918450352, 0.07283324594545851]] [[2.1890040777048205, 1.5589384462987552, -0.18376555263734337], [1.691052241964753, 3.2841497557228334, -1.0320765683295388]] }

def log_sum_exp [n] (xs: [n]f64) =
  let m = f64.maximum xs
  in m + (xs |> map (\x -> f64.exp (x - m)) |> f64.sum |> f64.log)

def times_lower [d] [l] (icf: [l]f64) (v: [d]f64) : [d]f64 =
  let row i =
    let below = map (\j -> if j < i then icf[d + j * (2 * d - j - 1) / 2 + i - j - 1] * v[j] else 0) (iota d)
    in f64.exp icf[i] * v[i] + f64.sum below
  in tabulate d row

def objective [n] [d] [k] [l] (xs: [n][d]f64) (alphas: [k]f64, means: [k][d]f64, icf: [k][l]f64) : f64 =
  let logdets = map (\ic -> f64.sum (take d ic)) icf
  let one x =
    map4 (\alpha mean ic logdet ->
            alpha + logdet - 0.5 * f64.sum (map (** 2) (times_lower ic (map2 (-) x mean))))
         alphas means icf logdets
    |> log_sum_exp
  let prior ic = 0.5 * (f64.sum (map (\q -> f64.exp (2 * q)) (take d ic)) + f64.sum (map (\l -> l * l) (drop d ic)))
  in f64.sum (map one xs) - f64.i64 n * log_sum_exp alphas + f64.sum (map prior icf)

entry value [n] [d] [k] [l] (xs: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (icf: [k][l]f64) =
  objective xs (alphas, means, icf)
entry gradient [n] [d] [k] [l] (xs: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (icf: [k][l]f64) =
  vjp (objective xs) (alphas, means, icf) 1
entry gradient_forward [n] [d] [k] [l] (xs: [n][d]f64) (alphas: [k]f64) (means: [k][d]f64) (icf: [k][l]f64) =
  let seed i =
    ( tabulate k (\a -> f64.bool (a == i)), tabulate_2d k d (\a b -> f64.bool (k + a * d + b == i))
    , tabulate_2d k l (\a b -> f64.bool (k + k * d + a * l + b == i)) )
  let all = jmp (objective xs) (alphas, means, icf) (tabulate (k + k * d + k * l) seed)
  in (take k all, unflatten (all[k:k + k * d] :> [k * d]f64), unflatten (all[k + k * d:] :> [k * l]f64))
