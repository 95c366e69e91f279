-- The cost of k-means: for each point the square of its distance from the nearest centre.
def square_distance [d] (p: [d]f64) (c: [d]f64) = f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)

entry cost [n][k][d] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (square_distance p) centres)) points)
