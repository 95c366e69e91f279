-- Charges on a line repel each other: the sum of a potential over all pairs.
entry energy [n] (x: [n]f64): f64 =
  f64.sum (map (\a -> f64.sum (map (\b -> f64.exp (-((a - b) ** 2))) x)) x)
