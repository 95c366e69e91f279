-- Whole Jacobians by every means: by rows, by columns, by many at once, and by one seed of ones.
-- ==
-- entry: rows columns rows_at_once columns_at_once by_maps by_loop
-- input { [0.5, 2.0, -1.0] }
-- output { [[2.0, 0.5, 0.0], [0.8775825618903728, 0.0, 1.0], [-0.5413411329464508, -0.2706705664732254, 0.5413411329464508], [1.0, 4.0, -2.0]] }
-- ==
-- entry: values
-- input { [0.5, 2.0, -1.0] }
-- output { [1.0, -0.520574461395797, 0.2706705664732254, 5.25] [3.336241428943922, 4.229329433526774, -0.45865886705354925] [2.5, 1.8775825618903728, -0.2706705664732254, 3.0] }

def F (v: [3]f64) : [4]f64 =
  [v[0] * v[1], f64.sin v[0] + v[2], f64.exp (v[1] * v[2]) / v[0], f64.sum (map (\x -> x * x) v)]
def onehot n i : [n]f64 = tabulate n (\j -> if i == j then 1 else 0)

entry rows (v: [3]f64) = tabulate 4 (\i -> vjp F v (onehot 4 i))
entry columns (v: [3]f64) = transpose (tabulate 3 (\i -> jvp F v (onehot 3 i)))
entry rows_at_once (v: [3]f64) = mjp F v (map (onehot 4) (iota 4))
entry columns_at_once (v: [3]f64) = jmp F v (map (onehot 3) (iota 3)) |> transpose
entry by_maps (v: [3]f64) = iota 4 |> map (\i -> iota 3 |> map (\j -> (jvp F v (onehot 3 j))[i]))
entry by_loop (v: [3]f64) =
  loop J = replicate 4 (replicate 3 0) for i < 4 do
    let row = vjp F v (onehot 4 i)
    in J with [i] = row
entry values (v: [3]f64) =
  let (a, b) = vjp2 F v (replicate 4 1)
  in (a, b, jvp F v (replicate 3 1))
