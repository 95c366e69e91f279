-- Every function of the module of reals, with its derivatives in both modes.
-- ==
-- entry: of_one of_two of_three others
-- input { [0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 3.0] } auto output
-- input { [-0.25, -0.5, -1.0, -1.5, -2.5, 0.0] } auto output
def slopes [n] (f: f64 -> f64) (xs: [n]f64) = map (\x -> (f x, vjp f x 1, jvp f x 1)) xs
entry of_one [n] (xs: [n]f64) = (slopes f64.sqrt xs, slopes f64.rsqrt xs, slopes f64.cbrt xs, slopes f64.exp xs, slopes f64.exp2 xs, slopes f64.expm1 xs, slopes f64.log xs, slopes f64.log2 xs, slopes f64.log10 xs, slopes f64.log1p xs, slopes f64.sin xs, slopes f64.cos xs, slopes f64.tan xs, slopes f64.sinpi xs, slopes f64.cospi xs, slopes f64.tanpi xs, slopes f64.asin xs, slopes f64.acos xs, slopes f64.atan xs, slopes f64.asinpi xs, slopes f64.acospi xs, slopes f64.atanpi xs, slopes f64.sinh xs, slopes f64.cosh xs, slopes f64.tanh xs, slopes f64.asinh xs, slopes f64.acosh xs, slopes f64.atanh xs, slopes f64.gamma xs, slopes f64.lgamma xs, slopes f64.erf xs, slopes f64.erfc xs, slopes f64.floor xs, slopes f64.ceil xs, slopes f64.trunc xs, slopes f64.round xs, slopes f64.abs xs, slopes f64.sgn xs, slopes f64.neg xs, slopes f64.recip xs)
def both [n] (f: (f64, f64) -> f64) (xs: [n]f64) = map2 (\x y -> (f (x, y), vjp f (x, y) 1, jvp f (x, y) (1, 2))) xs (rotate 1 xs)
entry of_two [n] (xs: [n]f64) = (both (\(x, y) -> x + y) xs, both (\(x, y) -> x - y) xs, both (\(x, y) -> x * y) xs, both (\(x, y) -> x / y) xs, both (\(x, y) -> x % y) xs, both (\(x, y) -> x ** y) xs, both (\(x, y) -> f64.atan2 x y) xs, both (\(x, y) -> f64.atan2pi x y) xs, both (\(x, y) -> f64.hypot x y) xs, both (\(x, y) -> f64.copysign x y) xs, both (\(x, y) -> f64.min x y) xs, both (\(x, y) -> f64.max x y) xs)
def three [n] (f: (f64, f64, f64) -> f64) (xs: [n]f64) = map3 (\x y z -> (f (x, y, z), vjp f (x, y, z) 1, jvp f (x, y, z) (1, 2, 3))) xs (rotate 1 xs) (rotate 2 xs)
entry of_three [n] (xs: [n]f64) = (three (\(x, y, z) -> f64.fma x y z) xs, three (\(x, y, z) -> f64.mad x y z) xs, three (\(x, y, z) -> f64.lerp x y z) xs)
entry others [n] (xs: [n]f64) = map (\x -> (f64.ldexp x 3, vjp (\x -> f64.ldexp x 3) x 1, f64.isnan x, f64.isinf (1 / x), f64.from_fraction 1 3, f64.get_bit 63 x, f64.set_bit 63 x 1, i32.f64 (f64.round (x * 10)), f64.bool (x > 1), bool.f64 x)) xs
