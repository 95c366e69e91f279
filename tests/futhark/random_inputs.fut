-- Inputs drawn at random; forward and reverse have to agree.
-- ==
-- tags { random }
-- entry: agree
-- random input { [10]f64 [10][4]f64 } output { true }
-- compiled random input { [100]f64 [100][3]f64 } output { true }
-- nobench random input { [1]f64 [1][1]f64 } output { true }
-- random input { [0]f64 [0][2]f64 } output { true }
-- ==
-- entry: integers
-- random input { [20]i32 } output { true }
-- ==
-- entry: in_bounds
-- "large" random input { [200]i64 [50]f32 } output { true }
-- structure gpu { SegMap 1 }
-- ==
-- entry: kinds
-- random input { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool } output { true }
def close (x: f64) (y: f64) = f64.abs (x - y) <= 1e-10 * f64.max 1 (f64.abs x)
entry agree [n] [m] (xs: [n]f64) (yss: [n][m]f64) =
  let f (xs: [n]f64, yss: [n][m]f64) = map2 (\x ys -> f64.sum (map (\y -> f64.sin (x * y) + x) ys)) xs yss
  let seeds = map (+ 1) xs
  -- <w, J v> = <J' w, v>
  let tangents = jvp f (xs, yss) (seeds, map (map (* 2)) yss)
  let (dxs, dyss) = vjp f (xs, yss) seeds
  let left = f64.sum (map2 (*) tangents seeds)
  let right = f64.sum (map2 (*) dxs seeds) + f64.sum (flatten (map2 (map2 (*)) dyss (map (map (* 2)) yss)))
  in close left right
entry integers [n] (xs: [n]i32) =
  let f xs = i32.sum (map (\x -> x * x) xs)
  in vjp f xs 1 == map (2 *) xs
entry in_bounds [n] [k] (is: [n]i64) (xs: [k]f32) =
  let js = map (\i -> i64.abs (i % k)) is
  let count = reduce_by_index (replicate k 0f32) (+) 0 js (replicate n 1)
  in vjp (\xs -> f32.sum (map (\j -> xs[j]) js)) xs 1 == count
entry kinds (a: i8) (b: i16) (c: i32) (d: i64) (e: u8) (f: u16) (g: u32) (h: u64) (x: f32) (y: f64) (_: bool) =
  a - a == 0 && b - b == 0 && c - c == 0 && d - d == 0 && e - e == 0 && f - f == 0 && g - g == 0 && h - h == 0
  && 0 <= x && x < 1 && 0 <= y && y < 1
