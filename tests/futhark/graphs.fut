-- Sparse matrices and graphs: indices are data, and their adjoints are 0.
-- ==
-- entry: spmv
-- input { [0i64, 0i64, 1i64, 2i64] [0i64, 2i64, 1i64, 0i64] [1.0, 2.0, 3.0, 4.0] [5.0, 6.0, 7.0] }
-- output { [19.0, 18.0, 20.0] [5.0, 7.0, 6.0, 5.0] [5.0, 3.0, 2.0] }
-- ==
-- entry: csr
-- input { [0i64, 2i64, 3i64, 4i64] [0i64, 2i64, 1i64, 0i64] [1.0, 2.0, 3.0, 4.0] [5.0, 6.0, 7.0] }
-- output { [19.0, 18.0, 20.0] [5.0, 7.0, 6.0, 5.0] [5.0, 3.0, 2.0] }
-- ==
-- entry: indices_too
-- input { [2i64, 0i64] [1.0, 2.0, 3.0] } output { 4.0 [0i64, 0i64] [1.0, 0.0, 1.0] }
-- ==
-- entry: shortest
-- input { [[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]] }
-- output { 3.0 [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]] }
-- ==
-- entry: rank
-- input { 0.5 } output { true }

entry spmv [k] [n] (is: [k]i64) (js: [k]i64) (vs: [k]f64) (x: [n]f64) =
  let f (vs: [k]f64, x: [n]f64) =
    reduce_by_index (replicate n 0) (+) 0 is (map2 (\v j -> v * x[j]) vs js)
  let (r, (dvs, dx)) = vjp2 f (vs, x) (replicate n 1)
  in (r, dvs, dx)
entry csr [k] [n] (ends: [n + 1]i64) (js: [k]i64) (vs: [k]f64) (x: [n]f64) =
  let f (vs: [k]f64, x: [n]f64) =
    tabulate n (\i -> loop s = 0 for k in ends[i]..<ends[i + 1] do s + vs[k] * x[js[k]])
  let (r, (dvs, dx)) = vjp2 f (vs, x) (replicate n 1)
  in (r, dvs, dx)
entry indices_too [n] [m] (is: [n]i64) (xs: [m]f64) =
  let f (is: [n]i64, xs) = f64.sum (map (\i -> xs[i]) is)
  let (v, (di, dx)) = vjp2 f (is, xs) 1
  in (v, di, dx)
-- Min-plus products: the derivative says which edges the shortest path takes.
def relax [n] (d: [n][n]f64) : [n][n]f64 =
  map (\r -> map (\c -> f64.minimum (map2 (+) r c)) (transpose d)) d
entry shortest (d: [3][3]f64) =
  let f (d: [3][3]f64) = (relax d)[0, 2]
  in vjp2 f d 1
entry rank (p: f64) =
  let links = [[0, 1], [1, 2], [2, 0], [0, 2]] : [][2]i64
  let step p (r: [3]f64) =
    let out = hist (+) 0 3 (map (\l -> l[0]) links) (map (\_ -> 1) links)
    in hist (+) ((1 - p) / 3 * 0) 3 (map (\l -> l[1]) links) (map (\l -> p * r[l[0]] / out[l[0]]) links)
       |> map (+ (1 - p) / 3)
  let f p = (loop r = replicate 3 (1 / 3) for _i < 20 do step p r) |> map2 (*) [1, 2, 3] |> f64.sum
  in f64.abs (jvp f p 1 - vjp f p 1) < 1e-13
