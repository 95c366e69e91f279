-- Holes: there is a warning, and the program runs until one is reached.
-- ==
-- warning: a hole of type i32
-- warning: a hole of type \[n\]i64
-- warning: a hole of type a
-- entry: main
-- input { 1 } output { 1 }
-- input { -1 } error: hole
-- ==
-- entry: elements
-- input { [1, 2] } output { [1, 2] }
-- input { [1, -2] } error: hole
-- input { empty([0]i32) } output { empty([0]i32) }
-- ==
-- entry: states
-- input { 1.0 } output { 1.0 }
-- input { -5.0 } error: hole
-- ==
-- entry: beside
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- ==
-- entry: derivative
-- input { 2.0 } output { 4.0 4.0 }
-- input { -2.0 } error: hole
-- ==
-- entry: asserted
-- input { 1 } output { 1 }
-- input { -1 } error: does not hold
def unused (n: i64) : [n]i64 = ???
def anything 'a : a = ???
entry main (x: i32) : i32 = if x > 0 then x else ???
entry elements (xs: []i32) = map (\x -> if x < 0 then ??? else x) xs
entry states (x: f64) = let r = loop (a, b) = (x, 0) while a < 0 do (a + 1, ???) in r.0
entry beside (n: i64) = let later = \(x: f32) : i32 -> ??? in iota n
entry derivative (x: f64) =
  let f x = if x > 0 then x * x else ???
  in (vjp f x 1, jvp f x 1)
-- As a hole, what never holds is a mistake only where it is reached.
entry asserted (x: i32) = if x > 0 then x else assert false x
