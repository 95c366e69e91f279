-- Attributes before expressions, definitions, parameters and loops change no value.
-- ==
-- entry: main
-- input { [1.0, 2.0, 3.0, 4.0] } output { 30.0 [2.0, 4.0, 6.0, 8.0] }
-- ==
-- entry: loops
-- input { 1.5 6i64 } output { 11.390625 45.5625 }
-- ==
-- entry: until
-- input { 3.0 } output { 192.0 64.0 }
-- ==
-- entry: carried
-- input { 2.0 3i64 } output { 256.0 1024.0 }

#[noinline]
def square (x: f64) = #[inline] x * x

entry main [n] (xs: [n]f64) =
  let f (xs: [n]f64) = #[sequential_inner] #[incremental_flattening(only_inner)] reduce (+) 0 (#[sequential] map square xs)
  in #[unsafe] (f xs, #[unroll] vjp f xs 1)

entry loops (x: f64) (n: i64) =
  let power x = #[stripmine(3)] loop acc = 1 for _i < n do acc * x
  in vjp2 power x 1

entry until (x: f64) =
  let grow x = #[bound(10)] loop x = x while x < 100 do 2 * x
  in (grow x, vjp grow x 1)

entry carried (x: f64) (n: i64) =
  let f x = loop (#[true_dep] acc) = x for _i < n do acc * acc
  in vjp2 f x 1
