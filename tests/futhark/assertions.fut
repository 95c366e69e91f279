-- ==
-- entry: root
-- input { 4.0 } output { 2.0 0.25 }
-- input { -4.0 } error: assert
-- ==
-- entry: all
-- input { [4.0, 9.0] } output { [2.0, 3.0] }
-- input { [4.0, -9.0] } error: assert
-- ==
-- entry: combined
-- input { [1, 2] } output { 3 }
-- input { [1, -2] } error: assert
-- ==
-- entry: looped
-- input { 3 } output { 0 }
-- input { -1 } output { -1 }
-- input { 20 } error: assert
def root_of (x: f64) = assert (x >= 0) (f64.sqrt x)
entry root (x: f64) = vjp2 root_of x 1
entry all [n] (xs: [n]f64) = map root_of xs
entry combined [n] (xs: [n]i32) = reduce (\x y -> assert (y > -2) (x + y)) 0 xs
entry looped (n: i32) = loop n while n > 0 do assert (n < 10) (n - 1)
