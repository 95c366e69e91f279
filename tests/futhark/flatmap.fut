-- ==
-- entry: repeated
-- input { [1i64, 0i64, 3i64] } output { [0i64, 0i64, 1i64, 2i64] }
entry repeated (ns: []i64) = flatmap iota ns
