-- Values sorted by keys, two bits of the key at a time; the gradient is given: the permutation, back.
-- ==
-- entry: sort
-- input { [5i32, -3i32, 5i32, 0i32, -2147483648i32, 2147483647i32, -1i32] [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5] }
-- output { [-2147483648i32, -3i32, -1i32, 0i32, 5i32, 5i32, 2147483647i32] [4.5, 1.5, 6.5, 3.5, 0.5, 2.5, 5.5] }
-- ==
-- entry: gradient
-- input { [5i32, -3i32, 5i32, 0i32, -2147483648i32, 2147483647i32, -1i32] [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5] [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] }
-- output { 2431.75 [16.0, 6.0, 160.0, 56.0, 9.0, 704.0, 52.0] }
-- ==
-- entry: hessian
-- input { [5i32, -3i32, 5i32, 0i32, -2147483648i32, 2147483647i32, -1i32] [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5] [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] }
-- output { [48.0, 18.0, 480.0, 168.0, 27.0, 2112.0, 156.0] }

-- Two bits at a time: where each goes is counted by a scan of one-hot vectors.
def pass [n] (keys: [n]u32) (order: [n]i64) (shift: u32): [n]i64 =
  let digit i = i64.u32 ((keys[i] >> shift) & 3)
  let hot = map (\i -> tabulate 4 (\d -> i64.bool (digit i == d))) order
  let before = scan (map2 (+)) (replicate 4 0) hot
  let counts = reduce (map2 (+)) (replicate 4 0) hot
  let starts = map (\d -> i64.sum (take d counts)) (iota 4)
  let place = map2 (\i b -> starts[digit i] + b[digit i] - 1) order before
  in spread n 0 place order

def order_of [n] (keys: [n]i32): [n]i64 =
  let unsigned = map (\k -> u32.i32 k ^ (1 << 31)) keys
  in loop order = iota n for bit in 0..2..<32u32 do pass unsigned order bit

def sort_by [n] (keys: [n]i32) (xs: [n]f64): [n]f64 =
  with_vjp_tape (\xs -> let order = order_of keys in (order, map (\i -> xs[i]) order))
                (\(order, ys) -> scatter (replicate n 0) order ys)
                xs

entry sort [n] (keys: [n]i32) (xs: [n]f64) = (map (\i -> keys[i]) (order_of keys), sort_by keys xs)
entry gradient [n] (keys: [n]i32) (xs: [n]f64) (weights: [n]f64) =
  vjp2 (\xs -> f64.sum (map2 (\w x -> w * x * x) weights (sort_by keys xs))) xs 1
entry hessian [n] (keys: [n]i32) (xs: [n]f64) (weights: [n]f64) =
  jvp (\xs -> vjp (\xs -> f64.sum (map2 (\w x -> w * x * x * x) weights (sort_by keys xs))) xs 1) xs (map (const 1) xs)
