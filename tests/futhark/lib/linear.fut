-- | Vectors.
local import "gradient"

-- | The inner product.
def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
def gradient [n] (f: [n]f64 -> f64) (xs: [n]f64) : [n]f64 = grad f xs
