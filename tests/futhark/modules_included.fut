-- A module type that includes another, and parametric modules written as lambdas.
module type numeric = { type t val add: t -> t -> t val one: t val lift: i32 -> t }
module mk = \(N: numeric) : { val count: i32 -> N.t } -> {
  def count (n: i32) = loop x = N.lift 0 for _i < n do N.add x N.one
}
module F = { type t = f64 def add (a: t) (b: t) = a + b def one : t = 1 def lift (x: i32) = f64.i32 x }
module CF = mk F
module CI = mk { type t = i32 def add (a: i32) b = a + b def one = 1i32 def lift (x: i32) = x }
module type both = { include numeric val two : t }
module G : (both with t = f64) = { open F def two : t = 2 }
-- ==
-- entry: main
-- input { 3 } output { 3.0 3 2.0 }
entry main (n: i32) = (CF.count n, CI.count n, G.two)
