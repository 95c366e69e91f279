-- ==
-- entry: looped
-- input { 1.01 } output { 2.7048138294215285 267.8033494476763 }
entry looped (x: f64) =
  let f (x: f64) = #[stripmine(2)] loop y = 1 for _i < 100i64 do y * x
  in vjp2 f x 1
