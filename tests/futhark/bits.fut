-- ==
-- entry: counts
-- input { 12 } output { 2 28 2 }
-- input { 0 } output { 0 32 32 }
-- input { -1 } output { 32 0 0 }
-- ==
-- entry: bytes
-- input { 129u8 } output { 2 0 0 40u8 }
-- ==
-- entry: upper
-- input { -3i64 18446744073709551615u64 } output { -1i64 18446744073709551614u64 }
-- ==
-- entry: special
-- input { 1.0 } output { false false }
-- input { f64.nan } output { true false }
-- input { f64.inf } output { false true }
-- ==
-- entry: still
-- input { 12 } output { 0 0 }
entry counts (x: i32) = (i32.popc x, i32.clz x, i32.ctz x)
entry bytes (x: u8) = (u8.popc x, u8.clz x, u8.ctz x, u8.mul_hi x 80)
entry upper (x: i64) (y: u64) = (i64.mul_hi x 5, u64.mul_hi y y)
entry special (x: f64) = (f64.isnan x, f64.isinf x)
entry still (x: i32) = (vjp i32.popc x 1, jvp i32.clz x 1)
