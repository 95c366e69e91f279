-- What modules of scalars have, to be the parameters of others.

module type from_prim = {
  type t
  val i8 : i8 -> t val i16 : i16 -> t val i32 : i32 -> t val i64 : i64 -> t val u8 : u8 -> t val u16 : u16 -> t
  val u32 : u32 -> t val u64 : u64 -> t val f16 : f16 -> t val f32 : f32 -> t val f64 : f64 -> t val bool : bool -> t
}
module type numeric = {
  include from_prim
  val (+) : t -> t -> t val (-) : t -> t -> t val (*) : t -> t -> t val (/) : t -> t -> t val (%) : t -> t -> t
  val (**) : t -> t -> t val min : t -> t -> t val max : t -> t -> t
  val (==) : t -> t -> bool val (!=) : t -> t -> bool val (<) : t -> t -> bool val (<=) : t -> t -> bool
  val (>) : t -> t -> bool val (>=) : t -> t -> bool
  val neg : t -> t val abs : t -> t val sgn : t -> t
  val lowest : t val highest : t
  val to_i64 : t -> i64
  val sum [n] : [n]t -> t
  val product [n] : [n]t -> t
  val minimum [n] : [n]t -> t
  val maximum [n] : [n]t -> t
}
module type integral = {
  include numeric
  val num_bits : i32
  val (//) : t -> t -> t val (%%) : t -> t -> t val (&) : t -> t -> t val (|) : t -> t -> t val (^) : t -> t -> t
  val (<<) : t -> t -> t val (>>) : t -> t -> t val (>>>) : t -> t -> t val mul_hi : t -> t -> t
  val mad_hi : t -> t -> t -> t
  val not : t -> t
  val popc : t -> i32 val clz : t -> i32 val ctz : t -> i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
}
module type real = {
  include numeric
  val from_fraction : i64 -> i64 -> t
  val to_f64 : t -> f64
  val inf : t val nan : t val pi : t val e : t
  val recip : t -> t val sqrt : t -> t val rsqrt : t -> t val cbrt : t -> t val exp : t -> t val exp2 : t -> t
  val exp10 : t -> t val expm1 : t -> t val log : t -> t val log2 : t -> t val log10 : t -> t val log1p : t -> t
  val sin : t -> t val cos : t -> t val tan : t -> t val asin : t -> t val acos : t -> t val atan : t -> t
  val sinh : t -> t val cosh : t -> t val tanh : t -> t val asinh : t -> t val acosh : t -> t val atanh : t -> t
  val sinpi : t -> t val cospi : t -> t val tanpi : t -> t val asinpi : t -> t val acospi : t -> t val atanpi : t -> t
  val gamma : t -> t val lgamma : t -> t val erf : t -> t val erfc : t -> t val floor : t -> t val ceil : t -> t
  val trunc : t -> t val round : t -> t
  val atan2 : t -> t -> t val atan2pi : t -> t -> t val hypot : t -> t -> t val copysign : t -> t -> t
  val fma : t -> t -> t -> t val mad : t -> t -> t -> t val lerp : t -> t -> t -> t
  val isnan : t -> bool val isinf : t -> bool
}
module type float = {
  include real
  type int_t
  val to_bits : t -> int_t
  val from_bits : int_t -> t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val epsilon : t val largest : t val smallest : t
  val nextafter : t -> t -> t
  val ldexp : t -> i32 -> t
}

-- The modules of the kinds of scalar: one text for each family, made anew for each kind.

local module numbers (T: { type t }) = {
  type t = T.t
  def (+) (x: t) (y: t): t = scalar.add x y
  def (-) (x: t) (y: t): t = scalar.sub x y
  def (*) (x: t) (y: t): t = scalar.mul x y
  def (/) (x: t) (y: t): t = scalar.div x y
  def (%) (x: t) (y: t): t = scalar.mod x y
  def (**) (x: t) (y: t): t = scalar.pow x y
  def (==) (x: t) (y: t): bool = scalar.equal x y
  def (!=) (x: t) (y: t): bool = scalar.unequal x y
  def (<) (x: t) (y: t): bool = scalar.lt x y
  def (<=) (x: t) (y: t): bool = scalar.le x y
  def (>) (x: t) (y: t): bool = scalar.gt x y
  def (>=) (x: t) (y: t): bool = scalar.ge x y
  def neg (x: t): t = scalar.neg x
  def abs (x: t): t = scalar.abs x
  def sgn (x: t): t = scalar.sgn x
  def min (x: t) (y: t): t = scalar.min x y
  def max (x: t) (y: t): t = scalar.max x y

  def i8 (x: i8): t = scalar.convert x
  def i16 (x: i16): t = scalar.convert x
  def i32 (x: i32): t = scalar.convert x
  def i64 (x: i64): t = scalar.convert x
  def u8 (x: u8): t = scalar.convert x
  def u16 (x: u16): t = scalar.convert x
  def u32 (x: u32): t = scalar.convert x
  def u64 (x: u64): t = scalar.convert x
  def f16 (x: f16): t = scalar.convert x
  def f32 (x: f32): t = scalar.convert x
  def f64 (x: f64): t = scalar.convert x
  def bool (x: bool): t = scalar.convert x
  def to_i64 (x: t): i64 = scalar.convert x

  def sum [n] (xs: [n]t): t = reduce_comm scalar.add 0 xs
  def product [n] (xs: [n]t): t = reduce_comm scalar.mul 1 xs
}

local module integers (T: { type t val num_bits: i32 val lowest: t val highest: t }) = {
  open numbers T
  def num_bits: i32 = T.num_bits
  def lowest: t = T.lowest
  def highest: t = T.highest
  def (//) (x: t) (y: t): t = scalar.quot x y
  def (%%) (x: t) (y: t): t = scalar.rem x y
  def (&) (x: t) (y: t): t = scalar.and x y
  def (|) (x: t) (y: t): t = scalar.or x y
  def (^) (x: t) (y: t): t = scalar.xor x y
  def (<<) (x: t) (y: t): t = scalar.shl x y
  def (>>) (x: t) (y: t): t = scalar.shr x y
  def (>>>) (x: t) (y: t): t = scalar.shift_zeros x y
  def not (x: t): t = scalar.not x
  def popc (x: t): i32 = scalar.popc x
  def clz (x: t): i32 = scalar.clz x
  def ctz (x: t): i32 = scalar.ctz x
  def mul_hi (x: t) (y: t): t = scalar.mul_hi x y
  def mad_hi (x: t) (y: t) (z: t): t = scalar.mul_hi x y + z
  def get_bit (i: i32) (x: t): i32 = scalar.convert (scalar.and (scalar.shr x (scalar.convert i)) 1)
  def set_bit (i: i32) (x: t) (b: i32): t =
    let place: t = scalar.convert i
    in scalar.or (scalar.and x (scalar.not (scalar.shl 1 place))) (scalar.shl (scalar.convert b) place)
  def maximum [n] (xs: [n]t): t = reduce_comm scalar.max lowest xs
  def minimum [n] (xs: [n]t): t = reduce_comm scalar.min highest xs
}

local module reals (T: { type t type bits val num_bits: i32 val epsilon: t val largest: t val smallest: t }) = {
  open numbers T
  type int_t = T.bits
  def to_f64 (x: t): f64 = scalar.convert x
  def num_bits: i32 = T.num_bits
  def epsilon: t = T.epsilon
  def largest: t = T.largest
  def smallest: t = T.smallest
  def inf: t = 1.0 / 0.0
  def nan: t = 0.0 / 0.0
  def highest: t = inf
  def lowest: t = -inf
  def pi: t = 3.14159265358979323846264338327950288
  def e: t = 2.71828182845904523536028747135266250
  def from_fraction (x: i64) (y: i64): t = i64 x / i64 y
  def recip (x: t): t = 1.0 / x
  def sqrt (x: t): t = scalar.sqrt x
  def rsqrt (x: t): t = 1.0 / scalar.sqrt x
  def cbrt (x: t): t = scalar.cbrt x
  def exp (x: t): t = scalar.exp x
  def exp2 (x: t): t = scalar.exp2 x
  def exp10 (x: t): t = scalar.pow 10.0 x
  def expm1 (x: t): t = scalar.expm1 x
  def log (x: t): t = scalar.log x
  def log2 (x: t): t = scalar.log2 x
  def log10 (x: t): t = scalar.log10 x
  def log1p (x: t): t = scalar.log1p x
  def sin (x: t): t = scalar.sin x
  def cos (x: t): t = scalar.cos x
  def tan (x: t): t = scalar.tan x
  def sinpi (x: t): t = scalar.sin (pi * x)
  def cospi (x: t): t = scalar.cos (pi * x)
  def tanpi (x: t): t = scalar.tan (pi * x)
  def asin (x: t): t = scalar.asin x
  def acos (x: t): t = scalar.acos x
  def atan (x: t): t = scalar.atan x
  def asinpi (x: t): t = scalar.asin x / pi
  def acospi (x: t): t = scalar.acos x / pi
  def atanpi (x: t): t = scalar.atan x / pi
  def sinh (x: t): t = scalar.sinh x
  def cosh (x: t): t = scalar.cosh x
  def tanh (x: t): t = scalar.tanh x
  def asinh (x: t): t = scalar.asinh x
  def acosh (x: t): t = scalar.acosh x
  def atanh (x: t): t = scalar.atanh x
  def atan2 (y: t) (x: t): t = scalar.atan2 y x
  def atan2pi (y: t) (x: t): t = scalar.atan2 y x / pi
  def hypot (x: t) (y: t): t = scalar.hypot x y
  def gamma (x: t): t = scalar.gamma x
  def lgamma (x: t): t = scalar.lgamma x
  def erf (x: t): t = scalar.erf x
  def erfc (x: t): t = scalar.erfc x
  def fma (x: t) (y: t) (z: t): t = scalar.fma x y z
  def mad (x: t) (y: t) (z: t): t = x * y + z
  def lerp (x: t) (y: t) (s: t): t = x + (y - x) * scalar.max 0.0 (scalar.min 1.0 s)
  def ldexp (x: t) (n: i32): t = x * scalar.exp2 (i32 n)
  def copysign (x: t) (y: t): t = scalar.copysign x y
  -- The next number has the derivative of the number itself.
  def nextafter (x: t) (y: t): t =
    let held (x: t): T.bits = scalar.and (scalar.to_bits x) (scalar.not 0)
    let still: t = scalar.from_bits (held x)
    let one: T.bits = 1
    let step: T.bits = if scalar.equal (x < y) (x > 0.0) then one else scalar.neg one
    let next: t =
      if x == 0.0 then scalar.copysign (scalar.from_bits one) y
      else scalar.from_bits (scalar.add (held x) step)
    in if scalar.isnan x || scalar.isnan y then x + y
       else if x == y then y + (x - still)
       else if scalar.isinf x then next
       else next + (x - still)
  def floor (x: t): t = scalar.floor x
  def ceil (x: t): t = scalar.ceil x
  def trunc (x: t): t = scalar.trunc x
  def round (x: t): t = scalar.round x
  def isnan (x: t): bool = scalar.isnan x
  def isinf (x: t): bool = scalar.isinf x
  def to_bits (x: t): T.bits = scalar.to_bits x
  def from_bits (x: T.bits): t = scalar.from_bits x
  def get_bit (i: i32) (x: t): i32 =
    scalar.convert (scalar.and (scalar.shr (to_bits x) (scalar.convert i)) 1)
  def set_bit (i: i32) (x: t) (b: i32): t =
    let place: T.bits = scalar.convert i
    let kept = scalar.and (to_bits x) (scalar.not (scalar.shl 1 place))
    in from_bits (scalar.or kept (scalar.shl (scalar.convert b) place))
  def maximum [n] (xs: [n]t): t = reduce_comm scalar.max lowest xs
  def minimum [n] (xs: [n]t): t = reduce_comm scalar.min highest xs
}

module i8 = integers { type t = i8 def num_bits: i32 = 8 def lowest: t = -128 def highest: t = 127 }
module i16 = integers { type t = i16 def num_bits: i32 = 16 def lowest: t = -32768 def highest: t = 32767 }
module i32 =
  integers { type t = i32 def num_bits: i32 = 32 def lowest: t = -2147483648 def highest: t = 2147483647 }
module i64 = integers {
  type t = i64
  def num_bits: i32 = 64
  def lowest: t = -9223372036854775808
  def highest: t = 9223372036854775807
}
module u8 = integers { type t = u8 def num_bits: i32 = 8 def lowest: t = 0 def highest: t = 255 }
module u16 = integers { type t = u16 def num_bits: i32 = 16 def lowest: t = 0 def highest: t = 65535 }
module u32 = integers { type t = u32 def num_bits: i32 = 32 def lowest: t = 0 def highest: t = 4294967295 }
module u64 = integers { type t = u64 def num_bits: i32 = 64 def lowest: t = 0 def highest: t = 18446744073709551615 }

module f16 = reals {
  type t = f16
  type bits = u16
  def num_bits: i32 = 16
  def epsilon: t = 0.0009765625
  def largest: t = 65504
  def smallest: t = 6.103515625e-5
}
module f32 = reals {
  type t = f32
  type bits = u32
  def num_bits: i32 = 32
  def epsilon: t = 1.1920929e-7
  def largest: t = 3.4028235e38
  def smallest: t = 1.1754944e-38
}
module f64 = reals {
  type t = f64
  type bits = u64
  def num_bits: i32 = 64
  def epsilon: t = 2.220446049250313e-16
  def largest: t = 1.7976931348623157e308
  def smallest: t = 2.2250738585072014e-308
}

module bool = {
  type t = bool
  def i8 (x: i8): bool = scalar.convert x
  def i16 (x: i16): bool = scalar.convert x
  def i32 (x: i32): bool = scalar.convert x
  def i64 (x: i64): bool = scalar.convert x
  def u8 (x: u8): bool = scalar.convert x
  def u16 (x: u16): bool = scalar.convert x
  def u32 (x: u32): bool = scalar.convert x
  def u64 (x: u64): bool = scalar.convert x
  def f16 (x: f16): bool = scalar.convert x
  def f32 (x: f32): bool = scalar.convert x
  def f64 (x: f64): bool = scalar.convert x
  def bool (x: bool): bool = x
  def (==) (x: bool) (y: bool): bool = scalar.equal x y
  def (!=) (x: bool) (y: bool): bool = scalar.unequal x y
  def (<) (x: bool) (y: bool): bool = scalar.lt x y
  def (<=) (x: bool) (y: bool): bool = scalar.le x y
  def (>) (x: bool) (y: bool): bool = scalar.gt x y
  def (>=) (x: bool) (y: bool): bool = scalar.ge x y
  def (&&) (x: bool) (y: bool): bool = x && y
  def (||) (x: bool) (y: bool): bool = x || y
  def neg (x: bool): bool = !x
  def min (x: bool) (y: bool): bool = x && y
  def max (x: bool) (y: bool): bool = x || y
  def lowest: bool = false
  def highest: bool = true
}

-- Conversions between reals and i32 by older names.
def r32 (x: i32): f32 = f32.i32 x
def t32 (x: f32): i32 = i32.f32 x
def r64 (x: i32): f64 = f64.i32 x
def t64 (x: f64): i32 = i32.f64 x
