-- Arrays read and written at places that are a sum of strides, by the intrinsics that are for it.
-- ==
-- entry: diagonals
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9] } output { [1, 5, 9] [[1, 4, 7], [2, 5, 8], [3, 6, 9]] [[[9, 8], [6, 5]], [[5, 4], [2, 1]]] }
-- input { [1, 2, 3] } error: out of bounds
-- ==
-- entry: written
-- input { [0, 0, 0, 0, 0, 0] [[1, 2], [3, 4]] } output { [1, 0, 2, 3, 0, 4] [0, 3, 1, 4, 2, 0] [3, 0, 0, 4, 0, 0] }
-- input { [0, 0, 0, 0] [[1, 2], [3, 4]] } error: assert
-- ==
-- entry: four
-- input { [1.0, 2.0, 3.0] [[[[5.0], [7.0]]]] } output { [[[[3.0], [2.0]]]] [1.0, 7.0, 5.0] [[[1.0, 3.0]]] }
-- ==
-- entry: adjoints
-- input { [1.0, 2.0, 3.0, 4.0] } output { [2.0, 8.0, 12.0, 8.0] [8.0, 0.0, 0.0, 68.0] [[20.0], [40.0]] }
-- ==
-- entry: streams
-- input { [1i64, 0i64, 7i64] [1.0, 2.0, 3.0] } output { [2.0, 1.0] [2.0, 1.0] [3.0, 3.0, 0.0] }

def flat_index_2d [n] 'a (as: [n]a) (offset: i64) (n1: i64) (s1: i64) (n2: i64) (s2: i64): [n1][n2]a =
  intrinsics.flat_index_2d as offset n1 s1 n2 s2 :> [n1][n2]a
def flat_update_2d [n] [k] [l] 'a (as: *[n]a) (offset: i64) (s1: i64) (s2: i64) (bs: [k][l]a): *[n]a =
  intrinsics.flat_update_2d as offset s1 s2 bs :> *[n]a

entry diagonals [n] (xs: [n]i32) =
  ( head (flat_index_2d xs 0 1 1 3 4), flat_index_2d xs 0 3 1 3 3
  , intrinsics.flat_index_3d xs 8 2 (-4) 2 (-3) 2 (-1) )
entry written [n] (xs: [n]i32) (ys: [2][2]i32) =
  ( flat_update_2d (copy xs) 0 3 2 ys, flat_update_2d (copy xs) 2 (-1) 2 ys
  , intrinsics.flat_update_1d (copy xs) 0 3 ys[1] )
entry four (xs: [3]f64) (ys: [1][1][2][1]f64) =
  ( intrinsics.flat_index_4d xs 2 1 5 1 5 2 (-1) 1 5, intrinsics.flat_update_4d (copy xs) 2 7 7 (-1) 7 ys
  , [intrinsics.flat_index_2d xs 0 1 7 2 2] )
-- Elements that are read twice have two parts of their adjoint; those that are written over have none.
entry adjoints [n] (xs: [n]f64) =
  let windows xs = flat_index_2d xs 0 3 1 2 1
  let squares xs = f64.sum (map (\w -> f64.sum (map (\x -> x * x) w)) (windows xs))
  let over (xs: [n]f64, ys) = flat_update_2d (copy xs) 1 1 0 ys
  let (dxs, dys) = vjp over (xs, [[1], [2]]) (map (\x -> 4 * x * x + 4) xs)
  in (vjp squares xs 1, dxs, dys)

type acc 'a = intrinsics.acc a
def write [n] 'a (to: *acc ([n]a)) (i: i64) (x: a): *acc ([n]a) = intrinsics.acc_write to i x
entry streams [n] (is: [n]i64) (xs: [n]f64) =
  let over (xs: [n]f64) = intrinsics.scatter_stream (replicate 2 0f64) (\(to: *acc ([2]f64)) (i, x) -> write to i x) (zip is xs)
  in ( intrinsics.hist_stream (replicate 2 0) (+) 0 (\to (i, x) -> intrinsics.acc_write to i x) (zip is xs)
     , intrinsics.map id (over xs), vjp (\xs -> f64.sum (over xs)) xs 3 )
