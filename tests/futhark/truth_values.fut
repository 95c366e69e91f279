-- Truth values: negation passes a tangent on; `&&` is the product and `||` the sum of truth values, and differentiated as
-- these; an operand that has to be worked out and is not, because the left one decides, says nothing.
-- ==
-- entry: inverted
-- input { true } output { true true }
-- input { false } output { true true }
-- ==
-- entry: conjunction
-- input { true true } output { true true }
-- input { true false } output { false true }
-- input { false true } output { true false }
-- input { false false } output { false false }
-- ==
-- entry: only_if_asked
-- input { true 2i64 } output { true true }
-- input { false 2i64 } output { false false }
-- input { false 0i64 } output { false false }
-- ==
-- entry: disjunction
-- input { true true } output { true true }
-- input { true false } output { true true }
-- ==
-- entry: all
-- input { [true, true, true] [false, true, false] } output { [true, true, true] true }
-- input { [true, true, false] [true, true, true] } output { [false, false, true] true }
-- input { [true, false, true] [true, true, true] } output { [false, true, false] true }
-- ==
-- entry: any
-- input { [false, false, false] [false, true, false] } output { [true, true, true] true }
-- input { [false, true, false] [true, false, false] } output { [true, true, true] true }
-- input { [true, false, true] [false, false, false] } output { [true, true, true] false }
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
entry only_if_asked (x: bool) (n: i64) = vjp (\(x, y) -> x && (if 4 / n == 2 then y else false)) (x, true) true
entry disjunction (x: bool) (y: bool) = vjp (\(x, y) -> x || y) (x, y) true
entry all [n] (xs: [n]bool) (by: [n]bool) = let f = reduce (&&) true in (vjp f xs true, jvp f xs by)
entry any [n] (xs: [n]bool) (by: [n]bool) = let f = reduce (||) false in (vjp f xs true, jvp f xs by)
entry compared (x: f64) (y: f64) =
  ( jvp (\(x, y) -> x < y) (x, y) (1, 1), jvp (\(x, y) -> x <= y) (x, y) (1, 1)
  , jvp (\(x, y) -> x > y) (x, y) (1, 1), jvp (\(x, y) -> x == y) (x, y) (1, 1)
  , jvp (\(x, y) -> x != y) (x, y) (1, 1) )
entry branching (b: bool) (x: f64) = vjp (\(b, x) -> if b then 5 * x else 7 * x) (b, x) 1
entry chosen [n] (bs: [n]bool) (xs: [n]f64) =
  let f xs = f64.sum (map2 (\b x -> if b then x else 0) bs xs)
  in (vjp f xs 1, map (\i -> jvp f xs (replicate n 0 with [i] = 1)) (iota n))
