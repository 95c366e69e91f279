-- Loops in loops and in maps, differentiated in every mix.
-- ==
-- entry: nested particle grid
-- input { [0.5, 1.5, -0.25] } auto output
def step (x: f64) (k: f64) = x + 0.1 * f64.sin (k * x)
entry nested (xs: [3]f64) =
  let f (xs: [3]f64) =
    loop ys = xs for i < 4 do
      loop zs = ys for j < i + 1 do
        map2 (\y z -> step y (z + f64.i32 j)) ys zs
  in (vjp f xs [1, 2, 3], jvp f xs [1, 2, 3])
def energy (p: f64, v: f64) = p * p / 2 + v * v / 2 + f64.cos p
entry particle (xs: [3]f64) =
  let simulate (w: f64) =
    let (p, v, _) =
      loop (p, v, t) = (w, 1.0, 0i32) while p < 1.6 && t < 50 do
        let (dp, dv) = vjp energy (p, v) 1
        in (p + 0.05 * dv, v - 0.05 * dp, t + 1)
    in p + v
  in (map (\w -> vjp simulate w 1) xs, map (\w -> jvp simulate w 1) xs, map simulate xs)
entry grid (xs: [3]f64) =
  let f (xs: [3]f64) =
    let a = tabulate_2d 3 3 (\i j -> xs[i] * xs[j] + f64.i64 (i - j))
    in loop a for k < 3 do map (\row -> map2 (+) row (map (* row[k]) a[k])) a
  in (vjp f xs (replicate 3 (replicate 3 1)), jvp f xs [1, 0, 1])
