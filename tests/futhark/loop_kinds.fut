-- Every kind of loop, with no iterations, one, and many; nested; with values that are not felt.
-- ==
-- entry: counted
-- input { 3.5 0.25 0i64 } output { 0.25 0.0 1.0 }
-- input { 3.5 0.25 1i64 } output { 0.65625 0.1875 1.75 }
-- input { 3.5 0.25 7i64 } output { 0.41320045597148336 -0.20191836977029382 -5.626329656573203 }
-- ==
-- entry: asked
-- input { 1.5 } output { 17.085937500000000 79.734375 79.734375 }
-- input { 200.0 } output { 200.0 1.0 1.0 }
-- ==
-- entry: over
-- input { [2.0, 3.0, 4.0] } output { 24.0 [12.0, 8.0, 6.0] [12.0, 8.0, 6.0] }
-- input { empty([0]f64) } output { 1.0 empty([0]f64) empty([0]f64) }
-- ==
-- entry: over_pairs
-- input { [2.0, 3.0] [5.0, 7.0] } output { 31.0 [5.0, 7.0] [2.0, 3.0] }
-- ==
-- entry: swapped
-- input { 1.5 2.0 5i64 } output { 108.0 216.0 270.0 }
-- ==
-- entry: doubly
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { 87.0 [[2.0, 8.0], [12.0, 32.0]] }
-- ==
-- entry: triangular
-- input { 2.0 4i64 } output { 64.0 192.0 192.0 }
-- ==
-- entry: whole
-- input { 2 5 } output { 32 80 }
-- ==
-- entry: arrays
-- input { [1.0, 2.0] 3i64 } output { [27.0, 54.0] [27.0, 27.0] [27.0, 54.0] }
-- ==
-- entry: counter_kinds
-- input { 2.0 3i8 4i16 5i32 } output { 4096.0 24576.0 }
-- ==
-- entry: with_record
-- input { 3.0 } output { 243.0 405.0 }
-- ==
-- entry: until_small
-- input { 10.0 } output { 0.625 0.0625 }

entry counted (r: f64) (x: f64) (n: i64) =
  let f (r, x) = loop x for _i < n do r * x * (1 - x)
  let (v, (dr, dx)) = vjp2 f (r, x) 1
  in (v, dr, dx)
entry asked (x: f64) =
  let f x = loop y = x while y < 16 do y * x
  in (f x, vjp f x 1, jvp f x 1)
entry over [n] (xs: [n]f64) =
  let f xs = loop p = 1 for x in xs do p * x
  in (f xs, vjp f xs 1, map (\i -> jvp f xs (replicate n 0 with [i] = 1)) (iota n))
entry over_pairs [n] (xs: [n]f64) (ys: [n]f64) =
  let f (xs, ys) = loop s = 0 for (x, y) in zip xs ys do s + x * y
  let (v, (a, b)) = vjp2 f (xs, ys: [n]f64) 1
  in (v, a, b)
entry swapped (x: f64) (y: f64) (n: i64) =
  let f (x, y) = let (x, _) = loop (x, y) for _i < n do (y, x * y) in x
  let (v, (a, b)) = vjp2 f (x, y) 1
  in (v, a, b)
entry doubly [n] [m] (xss: [n][m]f64) =
  let f (xss: [n][m]f64) =
    loop s = 0 for i < n do
      loop s for j < m do
        s + xss[i, j] * xss[i, j] * f64.i64 ((i + 1) * (j + 1))
  in vjp2 (\xss -> f xss - 4) xss 1
-- 1 + 2 + 3 + ... of them.
entry triangular (x: f64) (n: i64) =
  let f x = loop p = 1 for i < n do loop p for _j < i do p * x
  in (f x, vjp f x 1, jvp f x 1)
entry whole (x: i32) (n: i32) =
  let f x = loop p = 1 for _i < n do p * x
  in vjp2 f x 1
entry arrays [n] (xs: [n]f64) (k: i64) =
  let f (xs: [n]f64) = loop ys = xs for _i < k do map (* 3) ys
  in (f xs, vjp f xs (replicate n 1), jvp f xs xs)
entry counter_kinds (x: f64) (a: i8) (b: i16) (c: i32) =
  let f x =
    let p = loop p = 1 for _i < a do p * x
    let p = loop p for _i < b do p * x
    in loop p for _i < c do p * x
  in vjp2 f x 1
entry with_record (x: f64) =
  let f x =
    let r = loop r = {value = 1, count = 0i32} while r.count < 5 do
      {value = r.value * x, count = r.count + 1}
    in r.value
  in vjp2 f x 1
entry until_small (x: f64) = vjp2 (iterate_until (< 1) (/ 2)) x 1
