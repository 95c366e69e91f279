-- Functions of three reals, and those with an integer.
-- ==
-- entry: fma mad
-- input { 2.0 3.0 4.0 } output { 10.0 3.0 2.0 1.0 }
-- ==
-- entry: lerp
-- input { 2.0 6.0 0.25 } output { 3.0 0.75 0.25 4.0 }
-- input { 2.0 6.0 1.5 } output { 6.0 0.0 1.0 0.0 }
-- input { 2.0 6.0 -0.5 } output { 2.0 1.0 0.0 0.0 }
-- ==
-- entry: ldexp
-- input { 1.5 4 } output { 24.0 16.0 16.0 }
-- input { 1.5 -1 } output { 0.75 0.5 0.5 }
-- ==
-- entry: select
-- input { 2.0 3.0 } output { 6.0 3.0 2.0 }
-- input { 3.0 2.0 } output { 9.0 6.0 0.0 }

def full f (x: f64) (y: f64) (z: f64) =
  let (v, (a, b, c)) = vjp2 (\(x, y, z) -> f x y z) (x, y, z) 1f64
  in (v, a, b, c)
entry fma = full f64.fma
entry mad = full f64.mad
entry lerp = full f64.lerp
entry ldexp (x: f64) (n: i32) = (f64.ldexp x n, jvp (\x -> f64.ldexp x n) x 1, vjp (\x -> f64.ldexp x n) x 1)
entry select (x: f64) (y: f64) =
  let f (x: f64, y: f64) = if x < y then x * y else x * x
  let (a, b) = vjp f (x, y) 1
  in (f (x, y), a, b)
