-- Module types with modules in them: types of these after `with`, and parametric modules.
-- ==
-- entry: main
-- input { 1 } output { 2 3 }
-- ==
-- entry: applied
-- input { 3 } output { 7 }
module type numbers = {
  module int : { type t val f : t -> t }
  val g : int.t -> int.t
}
module numbers : numbers with int.t = i32 = {
  module int = { type t = i32 def f (x: t) = x + 1 }
  def g (x: i32) = int.f (int.f x)
}
entry main (x: i32) = (numbers.int.f x, numbers.g x)

module type makers = { module double (X: { val x : i32 }) : { val y : i32 } }
module makers : makers = { module double (X: { val x : i32 }) = { def y = 2 * X.x } }
module six = makers.double { def x = 3i32 }
entry applied (x: i32) = six.y + x - 2
