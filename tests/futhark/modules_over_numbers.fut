-- Modules over any kind of number, by the module types of the prelude.
-- ==
-- entry: lengths
-- input { [3.0, 4.0] } output { 5.0 [0.6, 0.8] 5.0f32 }
-- ==
-- entry: powers
-- input { 3 } output { 81 27i64 }
-- ==
-- entry: halves
-- input { 5.0 } output { 2.5 0.5 4617315517961601024u64 }
module mk_lengths (R: real) = {
  def norm [n] (xs: [n]R.t): R.t = R.(sqrt (sum (map (\x -> x * x) xs)))
}
module lengths_f64 = mk_lengths f64
module lengths_f32 = mk_lengths f32
entry lengths (xs: []f64) =
  (lengths_f64.norm xs, vjp lengths_f64.norm xs 1, lengths_f32.norm (map f32.f64 xs))

module mk_powers (N: numeric) = {
  def power (x: N.t) (n: i64): N.t = loop y = N.i64 1 for _i < n do y N.* x
}
module powers_i32 = mk_powers i32
module powers_i64: { val power : i64 -> i64 -> i64 } = mk_powers i64
entry powers (x: i32) = (powers_i32.power x 4, powers_i64.power (i64.i32 x) 3)

module mk_halves (F: float) = { def half (x: F.t): F.t = F.(x / i32 2) def bits (x: F.t): F.int_t = F.to_bits x }
module halves_f64 = mk_halves f64
entry halves (x: f64) = (halves_f64.half x, vjp halves_f64.half x 1, halves_f64.bits x)
