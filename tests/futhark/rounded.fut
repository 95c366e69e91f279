-- What is rounded to an integer and goes on as a real is constant between two integers, in both modes, at any depth and whatever
-- it goes through; an integer that is a result takes its tangent with it.
-- ==
-- warning: a real that was rounded to an integer has the derivative 0
-- entry: interpolated
-- input { [1.0, 2.0, 4.0, 8.0] 1.5 } output { 3.0 [0.0, 0.5, 0.5, 0.0] 2.0 2.0 1.0 }
-- ==
-- entry: scaled
-- input { 7.05 } output { 70.0 70.0 35.0 }
-- ==
-- entry: fraction
-- input { 2.75 } output { 1.0 0.5 -3.0 1.0 }
-- ==
-- entry: second
-- input { 2.75 } output { 4.0 4.0 4.0 4.0 }
-- ==
-- entry: narrow
-- input { 2.75 } output { 4.0 4.0 4.0 4.0 4.0 4.0 4.0 4.0 7.5 }
-- ==
-- entry: in_a_loop
-- input { 2.75 } output { 8.0 8.0 }
-- ==
-- entry: in_arrays
-- input { [0.5, 1.5, 2.5] } output { [0.0, 1.0, 2.0] [0.0, 1.0, 2.0] }
-- ==
-- entry: results
-- input { 2.75 } output { 3i64 3i64 1.0 255u8 }
-- ==
-- entry: beside_integers
-- input { 2.75 5i64 } output { 7.0 2i64 7.0 }
-- ==
-- entry: own_derivative
-- input { 2.75 } output { 2.0 2.0 }

def at [n] (t: [n]f64) (x: f64) =
  let i = i64.f64 x
  let w = x - f64.i64 i
  in t[i] * (1 - w) + t[i + 1] * w
entry interpolated (t: [4]f64) (x: f64) =
  let (v, (dt, dx)) = vjp2 (\(t, x) -> at t x) (t, x) 1
  in (v, dt, dx, jvp (at t) x 1, jvp (at t) x 0.5)
entry scaled (x: f64) =
  let f s = f64.i32 (i32.f64 (s * 10)) * s
  in (vjp f x 1, jvp f x 1, jvp f x 0.5)
entry fraction (x: f64) =
  let f x = x - f64.i64 (i64.f64 x)
  in (jvp f x 1, jvp f x 0.5, jvp f x (-3), vjp f x 1)
entry second (x: f64) =
  let f x = f64.i64 (i64.f64 x) * x * x
  in (jvp (\x -> jvp f x 1) x 1, jvp (\x -> vjp f x 1) x 1, vjp (\x -> jvp f x 1) x 1, vjp (\x -> vjp f x 1) x 1)
entry narrow (x: f64) =
  let d (f: f64 -> f64) = vjp (\x -> x * (f x + x) - x * x + 2 * x) x 1
  in ( d (i8.f64 >-> f64.i8), d (i16.f64 >-> f64.i16), d (i32.f64 >-> f64.i32), d (u8.f64 >-> f64.u8), d (u16.f64 >-> f64.u16)
     , d (u32.f64 >-> f64.u32), d (u64.f64 >-> f64.u64), d (i8.f64 >-> i64.i8 >-> (+ 0) >-> f64.i64)
     , d (\x -> x + f64.bool (bool.f64 (x - x))) )
entry in_a_loop (x: f64) =
  let f x = loop y = x for i < 3 do if i == 0 then f64.i64 (i64.f64 y) * x else 2 * y
  in (jvp f x 1, vjp f x 1)
entry in_arrays (x: [3]f64) =
  let f (x: [3]f64) = f64.sum (map2 (*) (map f64.i64 (map i64.f64 x)) x)
  in (vjp f x 1, map (\i -> jvp f x (replicate 3 0 with [i] = 1)) (iota 3))
-- A negative derivative wraps, and beyond the ends of a kind it is converted as within.
entry results (x: f64) =
  (jvp (\x -> i64.f64 x + 1) x 3.5, jvp (\x -> 2 * i64.f64 x - i64.f64 x) x 3.5, vjp (\x -> i32.f64 x) x 1, jvp (\x -> u8.f64 (-x)) x 1)
-- An integer that is differentiated by goes on to reals, and what is rounded does not.
entry beside_integers (x: f64) (n: i64) =
  let f (x, n) = f64.i64 (i64.f64 x + n) * x
  let (dx, dn) = vjp f (x, n) 1
  in (dx, dn, jvp f (x, n) (1, 0))
entry own_derivative (x: f64) =
  let half (n: i64) = with_vjp (\n -> f64.i64 n / 2) (\_ y -> i64.f64 y) n
  let f x = half (i64.f64 x) * x + x
  in (vjp f x 1, jvp f x 1)
