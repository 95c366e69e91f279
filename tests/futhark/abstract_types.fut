-- Types that modules keep abstract: their values go through branches, loops, arrays and derivatives as others do.
module type complex = {
  type t
  type matrix [n] 'a
  val mk : f64 -> f64 -> t
  val re : t -> f64
  val + : t -> t -> t
  val * : t -> t -> t
  val matrix [n] 'a : [n][n]a -> matrix [n] a
  val diagonal [n] 'a : matrix [n] a -> [n]a
}

module cartesian: complex = {
  type t = (f64, f64)
  type matrix [n] 'a = [n][n]a
  def mk (a: f64) (b: f64) = (a, b)
  def re ((a, _): t) = a
  def (+) ((a, b): t) ((c, d): t) = (a f64.+ c, b f64.+ d)
  def (*) ((a, b): t) ((c, d): t) = (a f64.* c f64.- b f64.* d, a f64.* d f64.+ b f64.* c)
  def matrix [n] 'a (xs: [n][n]a) = xs
  def diagonal [n] 'a (xs: [n][n]a) = map (\i -> xs[i, i]) (iota n)
}

-- The same numbers, kept another way.
module swapped: complex = {
  type t = {re: f64, im: f64}
  type matrix [n] 'a = [n]([n]a, ())
  def mk (a: f64) (b: f64) = {re = a, im = b}
  def re (x: t) = x.re
  def (+) (x: t) (y: t) = {re = x.re f64.+ y.re, im = x.im f64.+ y.im}
  def (*) (x: t) (y: t) = {re = x.re f64.* y.re f64.- x.im f64.* y.im, im = x.re f64.* y.im f64.+ x.im f64.* y.re}
  def matrix [n] 'a (xs: [n][n]a) = map (\x -> (x, ())) xs
  def diagonal [n] 'a (xs: [n]([n]a, ())) = map2 (\i (x, _) -> x[i]) (iota n) xs
}

module powers (c: complex) = {
  def power (n: i32) (x: c.t) = loop y = c.mk 1 0 for _i < n do y c.* x
  def real (n: i32) (a: f64) (b: f64) = c.re (power n (c.mk a b))
  def trace [n] (xs: [n][n]f64) =
    c.diagonal (c.matrix (map (map (\x -> c.mk x 1)) xs)) |> map (\x -> if c.re x > 0 then x c.* x else x) |> map c.re |> f64.sum
}

module of_pairs = powers cartesian
module of_records = powers swapped

-- ==
-- entry: cubes
-- input { 2.0 1.0 } output { 2.0 2.0 9.0 -12.0 }
entry cubes (a: f64) (b: f64) =
  let (da, db) = vjp (\(a, b) -> of_records.real 3 a b) (a, b) 1
  in (of_pairs.real 3 a b, of_records.real 3 a b, da, db)

-- ==
-- entry: traces
-- input { [[2.0, 5.0], [5.0, -3.0]] } output { 0.0 0.0 [[4.0, 0.0], [0.0, 1.0]] }
entry traces [n] (xs: [n][n]f64) = (of_pairs.trace xs, of_records.trace xs, vjp of_pairs.trace xs 1)

-- ==
-- entry: compared
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 [3.0, 4.0] }
-- input { [1.0, 2.0] [3.0] } error: size
entry compared [n] [m] (xs: [n]f64) (ys: [m]f64) =
  let dot (xs: [n]f64) = f64.sum (map2 (*) xs (ys :> [n]f64))
  in (dot xs, vjp dot xs 1)
