-- ==
-- entry: jacobian
-- input { [1.0, 2.0, 3.0] }
-- output { [[2.0, 1.0, 0.0], [3.0, 0.0, 1.0]] }
-- ==
-- entry: columns
-- input { [1.0, 2.0, 3.0] }
-- output { [2.0, 3.0] [[2.0, 3.0], [1.0, 0.0], [0.0, 1.0]] }
-- ==
-- entry: none
-- input { [1.0, 2.0, 3.0] empty([0][2]f64) } output { empty([0][3]f64) }
def f (x: [3]f64): [2]f64 = [x[0] * x[1], x[0] * x[2]]
def unit (n: i64) (i: i64) = map (\j -> f64.bool (i == j)) (iota n)
entry jacobian (x: [3]f64) = mjp f x (map (unit 2) (iota 2))
entry columns (x: [3]f64) = jmp2 f x (map (unit 3) (iota 3))
entry none [k] (x: [3]f64) (ys: [k][2]f64) = mjp f x ys
