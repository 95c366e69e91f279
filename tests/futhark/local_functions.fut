-- ==
-- entry: scaled
-- input { 3.0 2.0 } output { 15.0 5.0 }
entry scaled (x: f64) (k: f64) =
  let f (y: f64) = (k + 3) * y
  let apply 'a (g: a -> a) (x: a) = g x
  in (apply f x, vjp f x 1)
