-- Functions of single precision, in both modes.
-- ==
-- entry: main
-- input { 0.5f32 } output { true }
def near (a: f32) (b: f32) = f32.abs (a - b) < 1e-5
entry main (x: f32) =
  let ok (f: f32 -> f32) (d: f32) = near (jvp f x 1) d && near (vjp f x 1) d
  in ok f32.sin (f32.cos x) && ok f32.exp (f32.exp x) && ok f32.tanh (1 - f32.tanh x ** 2) && ok f32.sqrt (0.5 / f32.sqrt x) && ok (f32.i32 <-< i32.f32) 0
