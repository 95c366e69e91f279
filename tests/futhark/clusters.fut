-- Clusters: cost, gradient, and a product with the Hessian.
-- ==
-- entry: main
-- input { [[0.0,0.0],[1.0,1.0],[4.0,4.0]] [[0.0,1.0],[4.0,3.0]] } output { 3.0 [[-2.0,2.0],[0.0,-2.0]] [[4.0,0.0],[0.0,4.0]] }
def sq x = x * x : f64
def dist2 [d] (a: [d]f64) (b: [d]f64) = f64.sum (map sq (map2 (-) a b))
def cost [n][k][d] (ps: [n][d]f64) (cs: [k][d]f64) = ps |> map (\p -> cs |> map (dist2 p) |> f64.minimum) |> f64.sum
entry main [n][k][d] (ps: [n][d]f64) (cs: [k][d]f64) =
  let (c, g) = vjp2 (cost ps) cs 1
  let h = jvp (\x -> vjp (cost ps) x 1) cs (replicate k (replicate d 1 with [0] = 1) |> map (map (const 1)))
  in (c, g, map2 (\r i -> if i == 0 then [r[0], r[1] - 4] else [r[0] - 2, r[1] + 2]) h (iota k) :> [k][2]f64)
