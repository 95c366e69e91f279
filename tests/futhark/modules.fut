-- ==
-- entry: vectors
-- input { 1.0 2.0 } output { 5.0 2.0 }
module type number = { type t val zero: t val (+): t -> t -> t val (*): t -> t -> t }
module plane (T: number) = {
  def dot (a: T.t, b: T.t) (c: T.t, d: T.t) = (a T.* c) T.+ (b T.* d)
}
module reals = { type t = f64 def zero: t = 0 def (+) (x: t) (y: t): t = x f64.+ y def (*) (x: t) (y: t): t = x f64.* y }
module p = plane reals
entry vectors (x: f64) (y: f64) = (p.dot (x, y) (x, y), vjp (\x -> p.dot (x, y) (x, y)) x 1)
