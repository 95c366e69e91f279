-- ==
-- entry: bare
-- input { [1, 2, 3] 1 } output { 7 }
entry bare [n] (xs: [n]i32) (y: i32) = loop y for x in xs do y + x
