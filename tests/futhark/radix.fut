-- Sorting floats by their bits, with the permutation as the residual.
-- ==
-- entry: sort
-- input { [3.0f32, -1.0f32, 2.0f32, -5.0f32] } output { [-5.0f32, -1.0f32, 2.0f32, 3.0f32] [4.0f32, 2.0f32, 3.0f32, 1.0f32] }
def key (x: f32): u32 =
  let b = f32.to_bits x
  in if b >> 31 == 1 then u32.not b else b | (1 << 31)
def pass [n] (is: [n]i64) (keys: [n]u32) (bit: u32): [n]i64 =
  let ones = map (\i -> i64.u32 ((keys[i] >> bit) & 1)) is
  let zeros = map (1 -) ones
  let before_ones = scan (+) 0 zeros
  let count = i64.sum zeros
  let among_ones = scan (+) 0 ones
  let places = map3 (\o z w -> if o == 0 then z - 1 else count + w - 1) ones before_ones among_ones
  in scatter (replicate n 0) places is
def order [n] (xs: [n]f32): [n]i64 =
  let keys = map key xs
  in loop is = iota n for b < 32i32 do pass is keys (u32.i32 b)
def sorted [n] (xs: [n]f32): [n]f32 =
  (with_vjp (\xs -> let p = order xs in (map (\i -> xs[i]) p, p)) (\(_, p) (ys, _) -> scatter (copy ys) p ys) xs).0
entry sort [n] (xs: [n]f32) = vjp2 sorted xs (map (\i -> f32.i64 (i + 1)) (iota n))
