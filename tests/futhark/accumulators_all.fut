-- Accumulators: writes in any order add up; what is outside is left out.
-- ==
-- entry: histogram
-- input { [1i64, 0i64, 1i64, 7i64] [1.0, 2.0, 3.0, 4.0] } output { [2.0, 4.0, 0.0] [2.0, 1.0, 2.0, 0.0] }
-- ==
-- entry: tridiagonal
-- input { [1.0, 2.0, 3.0] } output { [4.0, 8.0, 8.0] [3.0, 4.0, 3.0] }
-- ==
-- entry: written
-- input { [5.0, 6.0, 7.0] [2i64, 0i64] [1.0, 2.0] } output { [4.0, 6.0, 1.0] [0.0, 2.0, 0.0] [6.0, 4.0] }
-- ==
-- entry: several
-- input { [2.0, 3.0] } output { [6.0, 11.0] [9.0, 9.0] }
-- ==
-- entry: through_module
-- input { [1i64, 0i64, 1i64] [1.0, 2.0, 3.0] } output { [2.0, 4.0] [2.0, 1.0, 2.0] }

entry histogram [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    reduce_by_index_stream (replicate 3 0) (+) 0 (\acc (i, x) -> write acc i x) (zip is xs)
  in vjp2 f xs [1, 2, 3]
entry tridiagonal [n] (xs: [n]f64) =
  let step (acc: *acc ([n]f64)) (i: i64, x: f64) : *acc ([n]f64) =
    let acc = write acc i (2 * x)
    let acc = write acc (i - 1) x
    in write acc (i + 1) x
  let f xs = reduce_by_index_stream (replicate n 0) (+) 0 step (zip (iota n) xs)
  in vjp2 f xs (replicate n 1)
entry written [n] [m] (xs: [n]f64) (is: [m]i64) (vs: [m]f64) =
  let f (xs: [n]f64, vs) = scatter_stream (copy xs) (\acc (i, v) -> write acc i (v * v)) (zip is vs)
  let (r, (dx, dv)) = vjp2 f (xs, vs) (map f64.i64 (1...n))
  in (r, dx, dv)
entry several [n] (xs: [n]f64) =
  let f xs =
    reduce_by_index_stream (replicate n 1) (+) 0
      (\acc x -> loop acc for i < n do write acc i (x * f64.i64 (i + 1))) xs
  in vjp2 f xs (map (** 2) (map f64.i64 (1...n)))
entry through_module [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 2 0) (+) 0 (\acc (i, x) -> intrinsics.acc_write acc i x) (zip is xs)
  in vjp2 f xs [1, 2]
