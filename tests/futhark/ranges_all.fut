-- Ranges in all their forms, summed under derivatives.
-- ==
-- entry: forms
-- input { 2 7 }
-- output { [2, 3, 4, 5, 6, 7] [2, 3, 4, 5, 6] [2, 4, 6] [7, 6, 5, 4, 3] [7, 5, 3] [2, 5] }
-- ==
-- entry: derivative
-- input { 2.0 5i64 } output { 62.0 129.0 }
-- ==
-- entry: of_kind
-- input { 3u8 } output { [0u8, 1u8, 2u8] }
-- ==
-- entry: wrong
-- input { 0i64 } error: from 1 to 10 by 0

entry forms (a: i32) (b: i32) = (a...b, a..<b, a..a + 2...b, b..>a, b..b - 2...a, a..a + 3..<b)
entry derivative (x: f64) (n: i64) =
  let f x = loop s = 0 for i in 1..<n + 1 do s + x ** f64.i64 i
  in (f x, vjp f x 1)
entry of_kind (n: u8) = 0u8..<n
entry wrong (n: i64) = 1..1 + n...10
