-- Logistic regression: how well weights explain the labels of points, which are 0 and 1, and how large they are.
def softplus (x: f64) = if x > 0 then x + f64.log1p (f64.exp (-x)) else f64.log1p (f64.exp x)

entry loss [n][d] (points: [n][d]f64) (labels: [n]f64) (weights: [d]f64): f64 =
  let dot x = f64.sum (map2 (*) x weights)
  let costs = map2 (\x label -> let z = dot x in softplus z - label * z) points labels
  in f64.sum costs / f64.i64 n + 0.005 * f64.sum (map (\w -> w * w) weights)
