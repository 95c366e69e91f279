-- k-means: the cost, and a step of Newton with the diagonal of the Hessian by forward over reverse.
-- ==
-- entry: cost
-- input { [[-0.263, 2.668], [0.985, 1.209], [2.959, -1.292], [1.012, -0.23], [-2.297, 1.609], [-1.514, 2.229], [-0.305, 2.3]] [[2.184, -0.508], [2.305, -2.094], [-1.608, -0.09]] }
-- output { 32.480895000000004 }
-- ==
-- entry: newton
-- input { [[-0.263, 2.668], [0.985, 1.209], [2.959, -1.292], [1.012, -0.23], [-2.297, 1.609], [-1.514, 2.229], [-0.305, 2.3]] [[2.184, -0.508], [2.305, -2.094], [-1.608, -0.09]] }
-- output { [[4.742000000000001, -3.99], [-1.3079999999999998, -1.6039999999999996], [-4.106000000000001, -18.332]] [[4.0, 4.0], [2.0, 2.0], [8.0, 8.0]] [[1.1855000000000002, -0.9975], [-0.6539999999999999, -0.8019999999999998], [-0.5132500000000001, -2.2915]] }

def distance [d] (a: [d]f64) (b: [d]f64): f64 = f64.sum (map2 (\x y -> (x - y) ** 2) a b)
def cost_of [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64): f64 =
  f64.sum (map (\p -> f64.minimum (map (distance p) centres)) points)
entry cost [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) = cost_of points centres
-- The Hessian is diagonal, so its product with ones is the diagonal.
entry newton [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) =
  let gradient centres = vjp (cost_of points) centres 1
  let (g, h) = jvp2 gradient centres (replicate k (replicate d 1))
  in (g, h, map2 (map2 (\g h -> if h == 0 then 0 else g / h)) g h)
