-- ==
-- entry: equality
-- input { [1, 2] [1, 2] } output { true true false }
-- input { [1, 2] [1, 3] } output { false false true }
-- input { [1, 2] [1] } output { false false true }
entry equality (xs: []i32) (ys: []i32) =
  (sized 2 (take 2 (xs ++ [7, 7])) == sized 2 (take 2 (ys ++ [8, 8])), (1, xs[0], length xs) == (1, ys[0], length ys) && last xs == last ys, last xs != last ys)
