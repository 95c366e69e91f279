-- The next number towards another.
-- ==
-- entry: main
-- input { 1.0 2.0 } output { 2.220446049250313e-16 1.0 0.0 1.0 true true true }
entry main (x: f64) (y: f64) =
  let (dx, dy) = vjp (\(x, y) -> f64.nextafter x y) (x, y) 1
  in (f64.nextafter x y - x, dx, dy, jvp (\x -> f64.nextafter x 0) x 1, f64.nextafter x 0 == 1 - 1.1102230246251565e-16,
      f64.nextafter 0 (-1) < 0 && f64.nextafter 0 1 == f64.from_bits 1 && f64.nextafter (-1) 0 > -1, f32.nextafter 1 2 - 1 == 1.1920929e-7f32)
