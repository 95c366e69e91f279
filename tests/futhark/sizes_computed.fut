-- Sizes that are written and no terms are what arrays have, or the run ends.
-- ==
-- entry: result
-- input { 6i64 0i64 } output { [0i64, 1i64, 2i64] }
-- input { 6i64 1i64 } output { [0i64, 1i64, 2i64] }
-- input { 6i64 2i64 } error: size
-- ==
-- entry: argument
-- input { 6i64 6i64 } output { 3i64 }
-- input { 6i64 8i64 } error: assert
-- ==
-- entry: function
-- input { 5i64 4i64 } output { 2i64 }
-- input { 5i64 6i64 } error: assert
-- ==
-- entry: outside
-- input { 2 [1, 2] } output { 3 }
-- input { 3 [1, 2] } error: assert
-- ==
-- entry: coerced
-- input { [1, 2, 3] true } error: size
-- input { [1, 2, 3] false } output { [0, 0, 0, 0] }
def half (n: i64) = n / 2
def f (n: i64) (k: i64): [half n]i64 = iota (half (n + k))
entry result (n: i64) (k: i64) = f n k
def g (n: i64) (xs: [half n]i64) = length xs
entry argument (n: i64) (m: i64) = g n (iota (half m))
entry function (n: i64) (m: i64) = (\(xs: [half n]i64) -> length xs) (iota (half m))
entry outside (n: i32) (xs: [i64.i32 n]i32) = i32.sum xs
entry coerced (xs: [3]i32) (c: bool): [4]i32 = if c then xs :> [4]i32 else replicate 4 0
