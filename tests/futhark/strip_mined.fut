-- A loop that is the identity, under a policy, in both modes.
-- ==
-- entry: prim rev fwd
-- input { 3i64 [1.0, 2.0] } output { [1.0, 2.0] }
entry prim (n: i64) (xs: [2]f64) = #[stripmine(3)] loop xs for _i < n do map2 (\x y -> (x + y) / 1 - y) xs (reverse xs)
entry rev n (xs: [2]f64) = vjp (prim n) xs xs
entry fwd n (xs: [2]f64) = jvp (prim n) xs xs
