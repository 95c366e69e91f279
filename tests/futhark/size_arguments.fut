-- ==
-- entry: copies
-- input { 3i64 } output { 0i64 }
entry copies (n: i64) = vjp (\n -> i64.sum (replicate n 2)) n 1
