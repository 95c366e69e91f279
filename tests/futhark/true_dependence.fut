-- Attributes of loops change what is kept, and no derivative.
-- ==
-- entry: loops
-- input { 1.5 } output { 3.1666666666666665 2.0 3.1666666666666665 2.0 3.1666666666666665 2.0 437.8938903808594 4378.938903808594 }

entry loops (x: f64) =
  let plain (x: f64) = (loop (y, z) = (x, 0) for i < 3i64 do (y + 0.5 * f64.i64 (i % 2), z + y / 3)).1 + x
  let striped (x: f64) = (#[stripmine(2)] loop (y, z) = (x, 0) for i < 3i64 do (y + 0.5 * f64.i64 (i % 2), z + y / 3)).1 + x
  let kept (x: f64) = (#[unroll] loop (#[true_dep] y, z) = (x, 0) for i < 3i64 do (y + 0.5 * f64.i64 (i % 2), z + y / 3)).1 + x
  let bounded (x: f64) = #[bound(20)] loop y = x while y < 30 do y * y * x
  let (a, da) = vjp2 plain x 1
  let (b, db) = vjp2 striped x 1
  let (c, dc) = vjp2 kept x 1
  let (d, dd) = vjp2 bounded x 1
  in (a, da, b, db, c, dc, d, dd)
