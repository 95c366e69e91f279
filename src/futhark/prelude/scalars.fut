-- Operations on scalars. The name of a type parameter says its kinds: `number` is any but bool, `bits` any but f16, f32 and f64.

module type scalars = {
  val add 'number : number -> number -> number
  val sub 'number : number -> number -> number
  val mul 'number : number -> number -> number
  val div 'number : number -> number -> number
  val mod 'number : number -> number -> number
  val quot 'number : number -> number -> number
  val rem 'integer : integer -> integer -> integer
  val pow 'number : number -> number -> number
  val neg 'number : number -> number

  val and 'bits : bits -> bits -> bits
  val or 'bits : bits -> bits -> bits
  val xor 'bits : bits -> bits -> bits
  val not 'bits : bits -> bits
  val shl 'integer : integer -> integer -> integer
  val shr 'integer : integer -> integer -> integer
  val shift_zeros 'integer : integer -> integer -> integer
  val both : bool -> bool -> bool
  val either : bool -> bool -> bool

  val lt 'scalar : scalar -> scalar -> bool
  val le 'scalar : scalar -> scalar -> bool
  val gt 'scalar : scalar -> scalar -> bool
  val ge 'scalar : scalar -> scalar -> bool
  val equal 'a : a -> a -> bool
  val unequal 'a : a -> a -> bool
  val min 'scalar : scalar -> scalar -> scalar
  val max 'scalar : scalar -> scalar -> scalar

  val abs 'number : number -> number
  val sgn 'number : number -> number
  val convert 'scalar 'to : scalar -> to

  val sqrt 'real : real -> real
  val cbrt 'real : real -> real
  val exp 'real : real -> real
  val exp2 'real : real -> real
  val expm1 'real : real -> real
  val log 'real : real -> real
  val log2 'real : real -> real
  val log10 'real : real -> real
  val log1p 'real : real -> real
  val sin 'real : real -> real
  val cos 'real : real -> real
  val tan 'real : real -> real
  val asin 'real : real -> real
  val acos 'real : real -> real
  val atan 'real : real -> real
  val sinh 'real : real -> real
  val cosh 'real : real -> real
  val tanh 'real : real -> real
  val asinh 'real : real -> real
  val acosh 'real : real -> real
  val atanh 'real : real -> real
  val atan2 'real : real -> real -> real
  val hypot 'real : real -> real -> real
  val gamma 'real : real -> real
  val lgamma 'real : real -> real
  val erf 'real : real -> real
  val erfc 'real : real -> real
  val floor 'real : real -> real
  val ceil 'real : real -> real
  val trunc 'real : real -> real
  val round 'real : real -> real
  val isnan 'real : real -> bool
  val isinf 'real : real -> bool
  val copysign 'real : real -> real -> real
  val fma 'real : real -> real -> real -> real

  val to_bits 'real 'integer : real -> integer
  val from_bits 'integer 'real : integer -> real
  val popc 'integer : integer -> i32
  val clz 'integer : integer -> i32
  val ctz 'integer : integer -> i32
  val mul_hi 'integer : integer -> integer -> integer
}
