//! Handles of integers: their arithmetic, of every kind alike.
//!
//! Law: an operation on handles is the statement of the same operation, and an operation on constants its value where
//! it has one; what has none is left in the program, which has the error (tests/array/trace_values.rs).

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::scalars::scalar;
use super::scope::{Id, mistake};
use super::{As, Handle, I8, I16, I32, I64, ScalarHandle, U8, U16, U32, U64};
use crate::array::{Const, IntegerRow, ScalarOp};
use crate::error::Mistake;

macro_rules! operation {
    ($Kind:ident, $Op:ident $op:ident $OpAssign:ident $op_assign:ident) => {
        impl $Op<i64> for $Kind {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, other: i64) -> Self {
                $Op::$op(self, $Kind::literal(other))
            }
        }

        impl $Op<$Kind> for i64 {
            type Output = $Kind;
            #[inline]
            #[track_caller]
            fn $op(self, other: $Kind) -> $Kind {
                $Op::$op($Kind::literal(self), other)
            }
        }

        impl $OpAssign for $Kind {
            #[inline]
            #[track_caller]
            fn $op_assign(&mut self, other: Self) {
                *self = $Op::$op(*self, other);
            }
        }

        impl $OpAssign<i64> for $Kind {
            #[inline]
            #[track_caller]
            fn $op_assign(&mut self, other: i64) {
                *self = $Op::$op(*self, other);
            }
        }
    };
}

macro_rules! rows {
    ($Kind:ident: $($(#[doc = $doc:expr])+ $method:ident => $Row:ident;)+) => {
        impl $Kind {
            #[track_caller]
            fn row<const N: usize>(row: IntegerRow, x: [Self; N]) -> Self {
                let x = x.map(Handle::ids);
                let constants: Vec<Const> = x.iter().filter_map(|x| x.as_constant()).collect();
                // What has no value is left in the program, which has the error.
                match ScalarOp::Integer(row).value(&constants).filter(|_| constants.len() == N) {
                    Some(value) => $Kind::of(Id::constant(value)),
                    None => scalar(row, &x),
                }
            }

            /// The absolute value; that of the least integer is itself.
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn abs(self) -> Self {
                Self::row(IntegerRow::Abs, [self])
            }

            /// The sign: −1, 0 or 1.
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn signum(self) -> Self {
                Self::row(IntegerRow::Signum, [self])
            }

            $($(#[doc = $doc])+
            #[must_use]
            #[inline]
            #[track_caller]
            pub fn $method(self, other: impl As<Self>) -> Self {
                Self::row(IntegerRow::$Row, [self, other.handle()])
            })+
        }
    };
}

macro_rules! integers {
    ($($Kind:ident)+) => {$(
        rows! { $Kind:
            /// The smaller.
            min => Min;
            /// The larger.
            max => Max;
            /// The power; a negative exponent is an error of the program.
            pow => Pow;
            /// The quotient rounded towards 0; division by 0 is an error of the program.
            quot => Quot;
            /// The remainder of [`quot`](Self::quot), with the sign of this number.
            remainder => Rem;
        }
        operation! { $Kind, Add add AddAssign add_assign }
        operation! { $Kind, Sub sub SubAssign sub_assign }
        operation! { $Kind, Mul mul MulAssign mul_assign }
        operation! { $Kind, Div div DivAssign div_assign }
        operation! { $Kind, Rem rem RemAssign rem_assign }
        operation! { $Kind, BitAnd bitand BitAndAssign bitand_assign }
        operation! { $Kind, BitOr bitor BitOrAssign bitor_assign }
        operation! { $Kind, BitXor bitxor BitXorAssign bitxor_assign }
        operation! { $Kind, Shl shl ShlAssign shl_assign }
        operation! { $Kind, Shr shr ShrAssign shr_assign }
        infix! { $Kind, Sub sub => Sub }
        infix! { $Kind, Div div => Div }
        infix! { $Kind, Rem rem => Mod }
        infix! { $Kind, BitAnd bitand => And }
        infix! { $Kind, BitOr bitor => Or }
        infix! { $Kind, BitXor bitxor => Xor }
        infix! { $Kind, Shl shl => Shl }
        infix! { $Kind, Shr shr => Shr }

        impl $Kind {
            /// The constant; one that does not fit is a [`Mistake`] of the trace.
            #[must_use]
            #[track_caller]
            pub fn literal(value: i64) -> Self {
                match Const::wrapped(value.into(), Self::PRIM) {
                    constant if constant.integer() == Some(value.into()) => $Kind::of(Id::constant(constant)),
                    _ => {
                        let article = if Self::PRIM.is_signed() { "an" } else { "a" };
                        let reason = format!("{value} is not {article} `{}`", Self::PRIM);
                        $Kind::of(mistake(|at| Mistake::IllTyped { reason, at }))
                    }
                }
            }
        }

        impl Neg for $Kind {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn neg(self) -> Self {
                Self::row(IntegerRow::Neg, [self])
            }
        }

        impl Not for $Kind {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn not(self) -> Self {
                Self::row(IntegerRow::Complement, [self])
            }
        }
    )+};
}

macro_rules! infix {
    ($Kind:ident, $Op:ident $op:ident => $Row:ident) => {
        impl $Op for $Kind {
            type Output = Self;
            #[inline]
            #[track_caller]
            fn $op(self, other: Self) -> Self {
                Self::row(IntegerRow::$Row, [self, other])
            }
        }
    };
}

integers! { I64 I32 I16 I8 U64 U32 U16 U8 }
