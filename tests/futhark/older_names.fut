-- Names that the language has had for long, and its own prelude as files.
-- ==
-- input { [1i64, 2i64, 3i64] 3 2.5 } output { [0i64, 1i64, 3i64] [1i64, 1i64, 2i64] 3f32 2 3f64 2 }
-- input { empty([0]i64) -3 -2.5 } output { empty([0]i64) empty([0]i64) -3f32 -2 -3f64 -2 }
-- ==
-- entry: adjoint
-- input { [1.0, 2.0, 4.0] } output { [49.0, 32.0, 0.0] [0.0, 3.0, 11.0] }
import "/prelude/math"
module soacs = import "/prelude/soacs"

entry main (xs: []i64) (n: i32) (x: f64) =
  (exscan (+) 0 xs, soacs.exscan (*) 1 xs, r32 n, t32 (f32.f64 x), r64 n, t64 x)
entry adjoint (xs: [3]f64) =
  let f (xs: [3]f64) = soacs.exscan (\x y -> x + y + x * y) 0 xs
  in (vjp f xs [100, 1, 16], jvp f xs [3, 1, 5])
