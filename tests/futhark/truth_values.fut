-- Truth values: negation passes a tangent on; what decides, as the left operand of `&&` does, has none.
-- ==
-- entry: inverted
-- input { true } output { true true }
-- input { false } output { true true }
-- ==
-- entry: conjunction
-- input { true true } output { false true }
-- input { true false } output { false true }
-- input { false false } output { false false }
-- ==
-- entry: compared
-- input { 1.0 2.0 } output { false false false false false }
-- ==
-- entry: branching
-- input { true 3.0 } output { false 5.0 }
-- input { false 3.0 } output { false 7.0 }
-- ==
-- entry: chosen
-- input { [true, false] [1.0, 2.0] } output { [1.0, 0.0] [1.0, 0.0] }

entry inverted (x: bool) = (jvp (!) x true, vjp (\x -> !x) x true)
entry conjunction (x: bool) (y: bool) = vjp (\(x, y) -> x && y) (x, y) true
entry compared (x: f64) (y: f64) =
  ( jvp (\(x, y) -> x < y) (x, y) (1, 1), jvp (\(x, y) -> x <= y) (x, y) (1, 1)
  , jvp (\(x, y) -> x > y) (x, y) (1, 1), jvp (\(x, y) -> x == y) (x, y) (1, 1)
  , jvp (\(x, y) -> x != y) (x, y) (1, 1) )
entry branching (b: bool) (x: f64) = vjp (\(b, x) -> if b then 5 * x else 7 * x) (b, x) 1
entry chosen [n] (bs: [n]bool) (xs: [n]f64) =
  let f xs = f64.sum (map2 (\b x -> if b then x else 0) bs xs)
  in (vjp f xs 1, map (\i -> jvp f xs (replicate n 0 with [i] = 1)) (iota n))
