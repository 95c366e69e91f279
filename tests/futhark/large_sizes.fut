-- ==
-- entry: big
-- input { 10000000000000i64 } error:
-- ==
-- entry: deep
-- input { 1i64 } auto output
entry big (n: i64) = (scan (+) 0 (map (\i -> i & 3) (iota n)))[5]
entry deep (n: i64) = loop x = n for i < 10i64 do loop x for j < i do if x % 2 == 0 then x / 2 else 3 * x + 1
