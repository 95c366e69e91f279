-- Powers by whole numbers that are written, where x is 0 and elsewhere.
-- ==
-- entry: main
-- input { 0.0 } output { 0.0 0.0 2.0 1.0 0.0 0.0 }
-- input { 3.0 } output { 9.0 6.0 2.0 1.0 27.0 0.0 }
-- input { -2.0 } output { 4.0 -4.0 2.0 1.0 12.0 0.0 }
entry main (x: f64) =
  (x ** 2, vjp (** 2) x 1, jvp (vjp (\x -> x ** 2) `flip` 1) x 1, vjp (** 1) x 1, jvp (** 3) x 1, vjp (\x -> x ** 0) x 1)
