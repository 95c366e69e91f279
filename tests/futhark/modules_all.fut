-- Modules, module types, parametric modules, opened and local ones.
-- ==
-- entry: through_functor
-- input { [3.0, 4.0] } output { 5.0 [0.6, 0.8] }
-- ==
-- entry: single
-- input { [3f32, 4f32] } output { 5f32 [0.6f32, 0.8f32] }
-- ==
-- entry: opened_locally
-- input { 2.0 } output { 2.25 1.25 }
-- ==
-- entry: sealed
-- input { 5.0 } output { 10.0 2.0 }
-- ==
-- entry: qualified
-- input { 2.0 3.0 } output { 8.0 5.0 true }
-- ==
-- entry: duals
-- input { 3.0 } output { 33.0 23.0 }

module type real = {
  type t
  val + : t -> t -> t
  val * : t -> t -> t
  val sqrt : t -> t
  val sum [n] : [n]t -> t
  val f64 : f64 -> t
}

module type norm = { type t val norm [n] : [n]t -> t val gradient [n] : [n]t -> [n]t }

module mk_norm (R: real) : (norm with t = R.t) = {
  type t = R.t
  local def square (x: t) = x R.* x
  def norm [n] (xs: [n]t) = R.sqrt (R.sum (map square xs))
  def gradient [n] (xs: [n]t) = vjp norm xs (R.f64 1)
}
module norm_f64 = mk_norm f64
module norm_f32 = mk_norm f32
entry through_functor (xs: [2]f64) = (norm_f64.norm xs, norm_f64.gradient xs)
entry single (xs: [2]f32) = (norm_f32.norm xs, norm_f32.gradient xs)

module constants = { def quarter = 0.25f64 local def hidden = 4f64 def four = hidden }
local open constants
entry opened_locally (x: f64) =
  let f x = constants.(quarter * x * x) + x / four * 1 + 0.75
  in (f x, vjp f x 1)

module counter : { type t val start : f64 -> t val twice : t -> t val value : t -> f64 } = {
  type t = {value: f64}
  def start value : t = {value}
  def twice (c: t) = c with value = 2 * c.value
  def value (c: t) = c.value
}
entry sealed (x: f64) =
  let f = counter.start >-> counter.twice >-> counter.value
  in (f x, jvp f x 1)

entry qualified (x: f64) (y: f64) = (f64.(x ** y), x f64.+ y, i64.(i64 1 < 2))

-- Dual numbers of one's own agree with those built in.
module dual = {
  type t = (f64, f64)
  def (+) ((x, dx): t) ((y, dy): t) : t = f64.((x + y, dx + dy))
  def (*) ((x, dx): t) ((y, dy): t) : t = f64.((x * y, x * dy + y * dx))
  def f64 (x: f64) : t = (x, 0)
}
module mk_poly (N: { type t val + : t -> t -> t val * : t -> t -> t val f64 : f64 -> t }) = {
  def p (x: N.t) : N.t = N.(x * (x * x) + f64 2 * x) N.* N.f64 1
}
module poly_duals = mk_poly dual
module poly_plain = mk_poly f64
entry duals (x: f64) =
  let (v, d) = poly_duals.p (x, 1)
  in (v, if d == vjp poly_plain.p x 1 then d - 6 else f64.nan)
