-- Integers of every kind: the rules of reals, wrapping.
-- ==
-- entry: i8s
-- input { 100i8 3i8 } output { 3i8 100i8 44i8 }
-- ==
-- entry: i16s
-- input { 300i16 300i16 } output { 300i16 300i16 24464i16 }
-- ==
-- entry: i64s
-- input { -4i64 7i64 } output { 7i64 -4i64 -28i64 }
-- ==
-- entry: u8s
-- input { 200u8 2u8 } output { 2u8 200u8 144u8 }
-- ==
-- entry: u16s
-- input { 65535u16 65535u16 } output { 65535u16 65535u16 1u16 }
-- ==
-- entry: u32s
-- input { 4000000000u32 2u32 } output { 2u32 4000000000u32 3705032704u32 }
-- ==
-- entry: u64s
-- input { 18446744073709551615u64 3u64 } output { 3u64 18446744073709551615u64 18446744073709551613u64 }
-- ==
-- entry: negated
-- input { 5 } output { -1 -1 }
-- ==
-- entry: polynomial
-- input { 3 } output { 34 29 18 }

def product 't (f: t -> t -> t) (one: t) (x: t) (y: t) =
  let (v, (a, b)) = vjp2 (\(x, y) -> f x y) (x, y) one
  in (a, b, v)
entry i8s = product (i8.*) 1
entry i16s = product (i16.*) 1
entry i64s = product (i64.*) 1
entry u8s = product (u8.*) 1
entry u16s = product (u16.*) 1
entry u32s = product (u32.*) 1
entry u64s = product (u64.*) 1
entry negated (x: i32) = (jvp i32.neg x 1, vjp (\x -> -x) x 1)
entry polynomial (x: i32) =
  let f x = x * x * x + 2 * x + 1
  in (f x, vjp f x 1, jvp (\x -> vjp f x 1) x 1)
