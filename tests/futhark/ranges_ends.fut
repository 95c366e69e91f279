-- Ranges that go the wrong way are mistakes, also where both ends are written.
-- ==
-- entry: up
-- input { 1 0 } error: range
-- input { 0 0 } output { [0] }
-- input { 0 -1 } error: range
entry up (a: i32) (b: i32) = a...b
-- ==
-- entry: step
-- input { 1 3 0 } error: range
-- input { 1 3 6 } output { [1,3,5] }
-- input { 5 3 0 } output { [5,3,1] }
-- input { 1 5 3 } output { [1] }
-- input { 1 1 3 } error: range
entry step (a: i32) (b: i32) (c: i32) = a..b...c
-- ==
-- entry: const
-- input { 1 } error: range
entry const (a: i32) = (1...0)[a]
-- ==
-- entry: far
-- input { 9223372036854775800i64 -9223372036854775807i64 } error: range
-- input { 9223372036854775801i64 9223372036854775807i64 }
-- output { [9223372036854775801i64, 9223372036854775804i64, 9223372036854775807i64] }
entry far (a: i64) (b: i64) = a..a + 3...b
