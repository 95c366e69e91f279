-- ==
-- entry: ranges
-- input { 4i64 } output { [0i64, 1i64, 2i64, 3i64] [0i64, 1i64, 2i64, 3i64, 4i64] [4i64, 3i64, 2i64, 1i64] [0i64, 2i64, 4i64] }
-- input { 0i64 } output { empty([0]i64) [0i64] empty([0]i64) [0i64] }
-- ==
-- entry: narrow
-- input { 3u8 } output { [0u8, 1u8, 2u8] [10u8, 7u8, 4u8] }
-- ==
-- entry: wrong
-- input { 3i64 } error: range
entry ranges (n: i64) = (0..<n, 0...n, n..>0, 0..2...n)
entry narrow (n: u8) = (0..<n, 10u8..7...n)
entry wrong (n: i64) = n..<0
