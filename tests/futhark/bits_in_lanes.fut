-- Bits of reals in maps over many elements, where each lane has its own.
-- ==
-- entry: there_and_back
-- input { 1000i64 } output { true true true }
-- ==
-- entry: order
-- input { [3.0f32, -1.0f32, 0.0f32, -2.5f32] } output { [3225419776u32, 1082130431u32, 2147483648u32, 1071644671u32] }
-- ==
-- entry: felt
-- input { [1.0, 2.0] } output { [0.0, 0.0] [0.0, 0.0] }

entry there_and_back (n: i64) =
  let xs = map (\i -> f64.i64 (i - 500) / 8) (iota n)
  let ys = map f32.f64 xs
  in ( map (f64.to_bits >-> f64.from_bits) xs == xs, map (f32.to_bits >-> f32.from_bits) ys == ys
     , and (map (\x -> (f64.to_bits x >> 63 == 1) == (x < 0)) xs) )
-- Keys of a radix sort.
def key (x: f32): u32 =
  let bits = f32.to_bits x
  in if bits >> 31 == 1 then !bits else bits | 0x80000000
entry order [n] (xs: [n]f32) = map key xs
entry felt (xs: [2]f64) =
  (map (\x -> vjp (f64.to_bits >-> f64.from_bits) x 1) xs, map (\x -> vjp (\x -> f64.u64 (f64.to_bits x & 1)) x 1) xs)
