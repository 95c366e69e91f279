-- Whole exponents: the base may be 0 or negative, and its derivative is that of the product.
-- ==
-- entry: square
-- input { 0.0 } output { 0.0 0.0 2.0 }
-- input { -3.0 } output { 9.0 -6.0 2.0 }
-- input { 2.0 } output { 4.0 4.0 2.0 }
-- ==
-- entry: cube
-- input { 0.0 } output { 0.0 0.0 0.0 6.0 }
-- input { -2.0 } output { -8.0 12.0 -12.0 6.0 }
-- ==
-- entry: inverse
-- input { -2.0 } output { 0.25 0.25 0.375 }
-- ==
-- entry: none
-- input { 0.0 } output { 1.0 0.0 0.0 }
-- input { -2.0 } output { 1.0 0.0 0.0 }
-- ==
-- entry: variable
-- input { -2.0 2.0 } output { -4.0 0.0 }
-- input { -2.0 3.0 } output { 12.0 0.0 }
-- input { 0.0 2.0 } output { 0.0 0.0 }
-- input { 0.0 1.0 } output { 1.0 0.0 }
-- ==
-- entry: norm
-- input { [3.0, 0.0, -4.0] } output { 25.0 [6.0, 0.0, -8.0] [6.0, 0.0, -8.0] }
-- ==
-- entry: integers
-- input { -3 2 } output { 9 -6 }
-- input { 2 10 } output { 1024 5120 }
-- input { 0 2 } output { 0 0 }

def thrice (f: f64 -> f64) (x: f64) =
  let d = \x -> vjp f x 1
  let dd = \x -> jvp d x 1
  in (f x, d x, dd x)

entry square = thrice (** 2)
entry cube (x: f64) =
  let (a, b, c) = thrice (** 3) x
  in (a, b, c, jvp (\x -> jvp (\x -> jvp (** 3) x 1) x 1) x 1)
entry inverse = thrice (** (-2))
entry none = thrice (** 0)
entry variable (x: f64) (y: f64) = vjp (\(x, y) -> x ** y) (x, y) 1
entry norm [n] (xs: [n]f64) =
  let f = map (** 2) >-> f64.sum
  in (f xs, vjp f xs 1, map (\i -> jvp f xs (replicate n 0 with [i] = 1)) (indices xs))
entry integers (x: i32) (y: i32) = (x ** y, vjp (** y) x 1)
