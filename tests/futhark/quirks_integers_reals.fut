-- What integer operations, shifts and bits have for derivatives.
-- ==
-- entry: quotients
-- input { 17 5 } output { 3 0 -0 3 0 -0 }
-- ==
-- entry: remainders
-- input { -17 5 } output { 3 1 4 -2 1 3 }
-- input { 17 -5 } output { -3 1 4 2 1 3 }
-- input { -7 2 } output { 1 1 4 -1 1 3 }
-- input { -7 -2 } output { -1 1 -3 -1 1 -3 }
-- ==
-- entry: counted
-- input { 40u32 } output { 2 0u32 26 0u32 3 0u32 }
-- ==
-- entry: extremes
-- input { 3 7 } output { 0 1 1 0 }
-- input { 4 4 } output { 1 0 1 0 }
-- ==
-- entry: signs
-- input { -6 } output { 6 -1 -1 0 }
-- ==
-- entry: complement
-- input { 5 } output { -6 -1 -1 }
-- ==
-- entry: wrapped
-- input { 2147483647 } output { -2147483648 1 }

entry quotients (x: i32) (y: i32) =
  let (a, b) = vjp (\(x, y) -> x / y) (x, y) 1
  let (c, d) = vjp (\(x, y) -> x // y) (x, y) 1
  in (x / y, a, b, x // y, c, d)
entry remainders (x: i32) (y: i32) =
  (x % y, vjp (% y) x 1, vjp (x %) y 1, x %% y, vjp (%% y) x 1, vjp (x %%) y 1)
entry counted (x: u32) =
  (u32.popc x, vjp u32.popc x 1, u32.clz x, vjp u32.clz x 1, u32.ctz x, vjp u32.ctz x 1)
entry extremes (x: i32) (y: i32) =
  let (a, b) = vjp (\(x, y) -> i32.max x y) (x, y) 1
  let (c, d) = vjp (\(x, y) -> i32.min x y) (x, y) 1
  in (a, b, c, d)
entry signs (x: i32) = (i32.abs x, vjp i32.abs x 1, i32.sgn x, vjp i32.sgn x 1)
entry complement (x: i32) = (i32.not x, jvp i32.not x 1, vjp (\x -> !x) x 1)
entry wrapped (x: i32) = vjp2 (+ 1) x 1
