-- Integers and truth values are differentiated; conversions convert the derivative, to integers for results alone.
-- ==
-- entry: whole
-- input { 5 } output { 10 10 }
-- ==
-- entry: negated
-- input { true } output { true true }
-- ==
-- entry: both
-- input { true false } output { true true false }
-- input { false true } output { false true true }
-- ==
-- entry: rounded
-- input { 1.0 } output { 1 1.0 0.0 }
-- ==
-- entry: compared
-- input { 1.0 2.0 } output { false 0.0 }
-- ==
-- entry: narrow
-- input { 100u8 } output { 200u8 200u8 }
-- ==
-- entry: through
-- input { 2.5 } output { 0.0 0.0 }
entry whole (x: i32) = (vjp (\x -> x * x) x 1, jvp (\x -> x * x) x 1)
entry negated (x: bool) = (jvp (\x -> !x) x true, vjp (\x -> !x) x true)
entry both (x: bool) (y: bool) =
  (jvp (\y -> x && y) y true, vjp (\y -> x || y) y true, vjp (\x -> x && y) x true)
entry rounded (x: f64) = (jvp i32.f64 x 1, vjp i32.f64 x 1, jvp f64.ceil x 1)
entry compared (x: f64) (y: f64) = (jvp (\x -> x < y) x 1, vjp (\x -> x < y) x true)
entry narrow (x: u8) = (vjp (\x -> x * x) x 1, jvp (\x -> x * x) x 1)
entry through (x: f64) = (jvp (\x -> f64.i32 (i32.f64 x)) x 1, vjp (\x -> f64.i32 (i32.f64 x)) x 1)
