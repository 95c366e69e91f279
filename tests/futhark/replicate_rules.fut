-- Copies add their adjoints up, in every shape; sizes have the derivatives of what is made of them.
-- ==
-- entry: scalar
-- input { 3.0 4i64 } output { [9.0, 9.0, 9.0, 9.0] 60.0 }
-- ==
-- entry: rows
-- input { [1.0, 2.0] } output { [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] [9.0, 12.0] }
-- ==
-- entry: planes
-- input { 2.0 } output { 24.0 12.0 }
-- ==
-- entry: none
-- input { 2.0 } output { empty([0]f64) 0.0 }
-- ==
-- entry: of_tuples
-- input { 2.0 3 } output { 6.0 3.0 }
-- ==
-- entry: iotas
-- input { 5i64 } output { [0.0, 1.0, 4.0, 9.0, 16.0] 10i64 }
-- ==
-- entry: counted
-- input { 3i64 } output { 6i64 0i64 }

entry scalar (x: f64) (n: i64) =
  let f x = replicate n (x * x)
  in (f x, vjp f x (map f64.i64 (1...n)))
entry rows [n] (xs: [n]f64) = vjp2 (replicate 3) xs ([[1, 2], [3, 4], [5, 6]] :> [3][n]f64) |> \(a, b) -> (a, b)
entry planes (x: f64) = vjp2 (replicate 2 >-> replicate 3 >-> replicate 2 >-> flatten_3d >-> f64.sum) x 1
entry none (x: f64) = vjp2 (replicate 0) x []
entry of_tuples (x: f64) (n: i32) =
  let f x = let (a, b) = unzip (replicate 3 (x, n)) in f64.sum a * f64.i32 (b[0] / 3)
  in (f x, vjp f x 1)
entry iotas (n: i64) = (map (\i -> f64.i64 (i * i)) (iota n), i64.sum (iota n))
entry counted (n: i64) = vjp2 (\n -> i64.sum (replicate n 2)) n 1
