//! `num_traits::Float` for dual numbers, so that functions written for any float can be differentiated.
//!
//! Law: a method with a row in the table is that row; one without derivative (a test, a constant, a step) acts on the
//! value. Nothing here knows a rule of calculus ("Automatic Differentiation", *Takeaways*: operator overloading, so
//! that forward mode works for any function) (tests/scalar/float.rs).
//!
//! Every `Copy` dual number over a float is a [`Float`]: those of all strategies, and their nestings. Two things to
//! know. `NumCast::from(x)` and `x.to_f64()` see the value of `x` alone, so a function that takes its numbers through
//! them loses their derivatives. And where both [`Float`] and [`Elementary`] are imported, `x.sin()` is ambiguous:
//! import the one, or write `Float::sin(x)`.
//!
//! ```
//! use num_traits::Float;
//! fn softsign<F: Float>(x: F) -> F { x / (F::one() + x.abs()) } // from a crate that knows nothing of ours
//!
//! assert_eq!(catadiff::grad(|x| softsign(x[0]), &[-1.0])?, [0.25]);
//! # Ok::<(), catadiff::Error>(())
//! ```

use core::num::FpCategory;
use core::ops::{Rem, RemAssign};
use num_traits::{Float, FloatConst, FromPrimitive, Num, NumCast, Signed, ToPrimitive, Zero};

use crate::algebra::Module;
use crate::carriers::Dual;
use crate::primitives::{Elementary, Scalar};

/// The remainder of the division truncated towards zero; its derivative by the divisor is minus the whole quotient.
impl<S: Float + Scalar, M: Module<S>> Rem for Dual<S, M> {
    type Output = Self;

    fn rem(self, divisor: Self) -> Self {
        let value = self.value % divisor.value;
        // From the remainder, since the rounded quotient of the values may lie on the other side of an integer.
        let quotient = Float::round((self.value - value) / divisor.value);
        Dual { value, tangent: self.tangent.plus(divisor.tangent.scale(&-quotient)) }
    }
}

impl<S: Float + Scalar, M: Module<S> + Copy> RemAssign for Dual<S, M> {
    fn rem_assign(&mut self, divisor: Self) {
        *self = *self % divisor;
    }
}

impl<S: Float + Scalar, M: Module<S>> Num for Dual<S, M> {
    type FromStrRadixErr = S::FromStrRadixErr;

    /// The constant with this spelling.
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        S::from_str_radix(text, radix).map(Dual::lift)
    }
}

/// Sees the value alone.
macro_rules! to_primitive {
    ($($method:ident $Primitive:ident)+) => {
        impl<S: ToPrimitive, M> ToPrimitive for Dual<S, M> {
            $(fn $method(&self) -> Option<$Primitive> { self.value.$method() })+
        }
    };
}

to_primitive! {
    to_isize isize to_i8 i8 to_i16 i16 to_i32 i32 to_i64 i64 to_i128 i128
    to_usize usize to_u8 u8 to_u16 u16 to_u32 u32 to_u64 u64 to_u128 u128
    to_f32 f32 to_f64 f64
}

/// Makes constants.
macro_rules! from_primitive {
    ($($method:ident $Primitive:ident)+) => {
        impl<S: FromPrimitive + Float + Scalar, M: Module<S>> FromPrimitive for Dual<S, M> {
            $(fn $method(n: $Primitive) -> Option<Self> { S::$method(n).map(Dual::lift) })+
        }
    };
}

from_primitive! {
    from_isize isize from_i8 i8 from_i16 i16 from_i32 i32 from_i64 i64 from_i128 i128
    from_usize usize from_u8 u8 from_u16 u16 from_u32 u32 from_u64 u64 from_u128 u128
    from_f32 f32 from_f64 f64
}

impl<S: Float + Scalar, M: Module<S>> NumCast for Dual<S, M> {
    /// The constant with the value of `n`.
    fn from<T: ToPrimitive>(n: T) -> Option<Self> {
        <S as NumCast>::from(n).map(Dual::lift)
    }
}

macro_rules! rows {
    ($($method:ident($($x:ident),*);)+) => {$(
        #[inline]
        fn $method(self $(, $x: Self)*) -> Self {
            <Self as Elementary>::$method(self $(, $x)*)
        }
    )+};
}

macro_rules! constants {
    ($Trait:ident: $($name:ident)+) => {$(
        #[inline]
        fn $name() -> Self {
            Dual::lift(<S as $Trait>::$name())
        }
    )+};
}

macro_rules! of_the_value {
    ($Trait:ident: $($method:ident -> $Answer:ty;)+) => {$(
        #[inline]
        fn $method(self) -> $Answer {
            <S as $Trait>::$method(self.value)
        }
    )+};
}

impl<S: Float + Scalar, M: Module<S> + Copy> Float for Dual<S, M> {
    constants!(Float: nan infinity neg_infinity neg_zero min_value min_positive_value epsilon max_value);

    of_the_value! {
        Float:
        is_nan -> bool;
        is_infinite -> bool;
        is_finite -> bool;
        is_normal -> bool;
        is_subnormal -> bool;
        is_sign_positive -> bool;
        is_sign_negative -> bool;
        classify -> FpCategory;
        integer_decode -> (u64, i16, i8);
    }

    rows! {
        floor(); ceil(); round(); abs(); recip(); mul_add(a, b); powf(n);
        sqrt(); cbrt(); hypot(other); exp(); exp2(); exp_m1(); ln(); ln_1p(); log2(); log10();
        sin(); cos(); tan(); asin(); acos(); atan(); atan2(other);
        sinh(); cosh(); tanh(); asinh(); acosh(); atanh();
    }

    #[inline]
    fn powi(self, n: i32) -> Self {
        Elementary::powi(self, n)
    }

    #[inline]
    fn trunc(self) -> Self {
        if Float::is_sign_negative(self) { Elementary::ceil(self) } else { Elementary::floor(self) }
    }

    #[inline]
    fn fract(self) -> Self {
        self - Float::trunc(self)
    }

    /// The sign as `f64` has it: 1 or −1 also at the zeros, unlike the row of the table.
    #[inline]
    fn signum(self) -> Self {
        Dual::lift(Float::signum(self.value))
    }

    #[inline]
    fn log(self, base: Self) -> Self {
        Elementary::ln(self) / Elementary::ln(base)
    }

    #[inline]
    fn max(self, other: Self) -> Self {
        Elementary::max(self, other)
    }

    #[inline]
    fn min(self, other: Self) -> Self {
        Elementary::min(self, other)
    }

    /// The positive difference, `max(x − y, 0)`.
    #[inline]
    fn abs_sub(self, other: Self) -> Self {
        if self <= other { Self::zero() } else { self - other }
    }

    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        (Elementary::sin(self), Elementary::cos(self))
    }
}

impl<S: Float + Scalar, M: Module<S> + Copy> Signed for Dual<S, M> {
    fn abs(&self) -> Self {
        Elementary::abs(*self)
    }
    fn abs_sub(&self, other: &Self) -> Self {
        Float::abs_sub(*self, *other)
    }
    fn signum(&self) -> Self {
        Float::signum(*self)
    }
    fn is_positive(&self) -> bool {
        Float::is_sign_positive(*self)
    }
    fn is_negative(&self) -> bool {
        Float::is_sign_negative(*self)
    }
}

#[allow(non_snake_case, reason = "the names are those of the trait")]
impl<S: FloatConst + Float + Scalar, M: Module<S>> FloatConst for Dual<S, M> {
    constants! {
        FloatConst:
        E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
        LN_10 LN_2 LOG10_E LOG2_E PI SQRT_2 TAU LOG10_2 LOG2_10
    }
}
