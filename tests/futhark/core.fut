-- Curried application, lambdas, lets, tuples, literals, arithmetic, comparison.
-- ==
-- entry: area
-- input { 3.0 4.0 } output { 12.0 14.0 }
-- ==
-- entry: compare
-- input { 2 5 } output { true false true }
-- ==
-- entry: literal
-- input { } output { [1u8, 255u8] 2.5f32 7i64 }
def pair (x: f64) (y: f64) = (x * y, 2 * (x + y))
entry area (x: f64) (y: f64) = let (a, p) = pair x y in (a, p)
entry compare (x: i32) (y: i32) = (x < y, x == y, x != y && x + 3 >= y)
entry literal = ([1u8, 255], 2.5f32, 7i64)
