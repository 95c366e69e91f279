-- ==
-- entry: scanned
-- input { [1, 2, 3] } output { [1, 3, 6] }
-- input { [1, 2, 30] } error: assert
-- ==
-- entry: binned
-- input { [0i64, 1i64] [1, 2] } output { [1, 2] }
-- input { [0i64, 0i64] [1, -2] } error: assert
-- ==
-- entry: branched
-- input { true 3 } output { 3 }
-- input { true -3 } error: assert
-- input { false -3 } output { 3 }
-- ==
-- entry: differentiated
-- input { [1.0, 4.0] } output { [1.0, 1.0] [0.5, 0.25] [[0.5, 0.0], [0.0, 0.25]] }
-- input { [1.0, -4.0] } error: assert
-- ==
-- entry: written
-- input { [0i64, 1i64] [1.0, 2.0] } output { [1.0, 2.0] }
-- input { [0i64, 1i64] [1.0, -2.0] } error: assert
-- ==
-- entry: own
-- input { 4.0 } output { 2.0 0.25 }
-- input { -4.0 } error: assert
entry scanned [n] (xs: [n]i32) = scan (\x y -> assert (x + y < 10) (x + y)) 0 xs
entry binned [n] (is: [n]i64) (xs: [n]i32) = hist (\x y -> assert (y >= 0 && x >= 0) (x + y)) 0 2 is xs
entry branched (c: bool) (x: i32) = if c then assert (x > 0) x else -x
def root (x: f64) = assert (x > 0) (f64.sqrt x)
entry differentiated (xs: [2]f64) =
  let f = map root
  in (vjp f xs [2, 4], jvp f xs [1, 1], mjp f xs [[1, 0], [0, 1]])
entry written [n] (is: [n]i64) (xs: [n]f64) =
  reduce_by_index_stream [0, 0] (+) 0 (\acc (i, x) -> write acc i (assert (x > 0) x)) (zip is xs)
entry own (x: f64) = vjp2 (\x -> with_vjp root (\r y -> y / (2 * r)) x) x 1
