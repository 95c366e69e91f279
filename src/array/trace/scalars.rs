//! Scalar handles: the numbers and truth values of a program while it is traced.
//!
//! `F64`, `F32` and `F16` are carriers of the scalar layer, so a function generic in its numbers works on them as on `f64`.
//! A comparison is a `Bool` of the program and never one of Rust: there is nothing to compare yet.
//!
//! Law: an operation on handles is the statement of the same operation, a user's [`Rule`] the statement of that rule, and an operation on
//! constants its value (tests/array/trace.rs, tests/array/foreign.rs).

use core::ops::{Add, BitAnd, BitOr, BitXor, Mul, Not};
use num_traits::{One, Zero};

use super::foreign::ruled;
use super::handles::converted;
use super::scope::{Id, emit_one};
use super::{As, Handle, IntoHandle};
use crate::array::{Const, Op, Prim, ScalarOp, Type};
use crate::primitives::{Elementary, Rule, f16};

/// A handle of one scalar: `F64`, `F32`, `F16`, a kind of integers, or `Bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of a traced program",
    note = "`F64 F32 F16 I64 I32 I16 I8 U64 U32 U16 U8 Bool` are; an array has the wrong rank here"
)]
pub trait ScalarHandle: Handle<Ids = Id> {
    /// The kind.
    const PRIM: Prim;
}

#[track_caller]
pub(super) fn scalar<H: ScalarHandle>(op: impl Into<ScalarOp>, operands: &[Id]) -> H {
    H::of(emit_one(operands, |x| Op::Scalar(op.into(), x.into())))
}

macro_rules! kinds {
    ($($(#[doc = $doc:expr])+ $Kind:ident($Number:ident);)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy)]
        pub struct $Kind(Id);

        impl IntoHandle for $Kind {
            type Handle = Self;
            #[track_caller]
            fn into_handle(self) -> Self {
                self
            }
        }

        impl Handle for $Kind {
            type Ids = Id;
            fn types(visit: &mut dyn FnMut(Type)) {
                visit(Type::scalar(Prim::$Kind));
            }
            fn ids(self) -> Id {
                self.0
            }
            fn of(id: Id) -> Self {
                $Kind(id)
            }
        }

        impl ScalarHandle for $Kind {
            const PRIM: Prim = Prim::$Kind;
        }

        /// The constant.
        impl From<$Number> for $Kind {
            fn from(value: $Number) -> Self {
                $Kind(Id::constant(Const::$Kind(value)))
            }
        }

        impl $Kind {
            /// The constant that this is, if it is one.
            #[must_use]
            pub fn as_constant(self) -> Option<$Number> {
                match self.0.as_constant() {
                    Some(Const::$Kind(value)) => Some(value),
                    _ => None,
                }
            }

            /// Whether the two are equal, in the program.
            #[must_use]
            #[track_caller]
            pub fn eq(self, other: impl As<Self>) -> Bool {
                scalar(ScalarOp::Equal, &[self.0, other.handle().0])
            }

            /// Whether the two differ.
            #[must_use]
            #[track_caller]
            pub fn ne(self, other: impl As<Self>) -> Bool {
                !self.eq(other)
            }

            /// Whether this is less; false is less than true.
            #[must_use]
            #[track_caller]
            pub fn lt(self, other: impl As<Self>) -> Bool {
                scalar(ScalarOp::Less, &[self.0, other.handle().0])
            }

            /// Whether this is less or equal.
            #[must_use]
            #[track_caller]
            pub fn le(self, other: impl As<Self>) -> Bool {
                scalar(ScalarOp::LessOrEqual, &[self.0, other.handle().0])
            }

            /// Whether this is greater.
            #[must_use]
            #[track_caller]
            pub fn gt(self, other: impl As<Self>) -> Bool {
                scalar(ScalarOp::Less, &[other.handle().0, self.0])
            }

            /// Whether this is greater or equal.
            #[must_use]
            #[track_caller]
            pub fn ge(self, other: impl As<Self>) -> Bool {
                scalar(ScalarOp::LessOrEqual, &[other.handle().0, self.0])
            }
        }
    )+};
}

kinds! {
    /// A double-precision number of a program: a [`Real`](crate::Real), like `f64` itself.
    ///
    /// ```
    /// use catadiff::{Real, array::{Program, trace::F64}};
    /// fn f<R: Real>(x: R, y: R) -> R { x.ln() + x * y - y.sin() }
    /// let program = Program::trace(|x: F64, y: F64| f(x, y))?;
    /// assert_eq!(program.function().body.stms.len(), 5);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    F64(f64);
    /// A single-precision number of a program. Literals are `f64`, rounded.
    F32(f32);
    /// A half-precision number of a program, as [`F32`] else.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::F16};
    /// use catadiff::primitives::f16;
    /// let third = Program::trace(|x: F16| x / 3.0)?;
    /// assert_eq!(third.at::<f16>(f16::from_f64(1.0))?, f16::from_f64(1.0 / 3.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    F16(f16);
    /// A 64-bit integer of a program: sizes and indices are of this kind. It wraps; `/` and `%` round towards −∞.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::I64};
    /// let midpoint = Program::trace(|low: I64, high: I64| low + (high - low) / 2)?;
    /// assert_eq!(midpoint.function().body.stms.len(), 3);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    I64(i64);
    /// A 32-bit integer of a program, as [`I64`] else. Literals are `i64`, which have to fit.
    I32(i32);
    /// A 16-bit integer of a program, as [`I32`] else.
    I16(i16);
    /// An 8-bit integer of a program, as [`I32`] else.
    I8(i8);
    /// A 64-bit integer without a sign of a program, as [`I32`] else.
    U64(u64);
    /// A 32-bit integer without a sign of a program, as [`I32`] else.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::U32};
    /// let hash = Program::trace(|x: U32| (x ^ (x >> 16)) * 0x45d9_f3b)?;
    /// assert_eq!(hash.at::<u32>(7_u32)?, 7 * 0x45d9_f3b);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    U32(u32);
    /// A 16-bit integer without a sign of a program, as [`I32`] else.
    U16(u16);
    /// An 8-bit integer without a sign of a program, as [`I32`] else.
    U8(u8);
    /// A truth value of a program, with `&`, `|`, `^` and `!`. Both operands are always evaluated.
    Bool(bool);
}

macro_rules! conversions {
    ($($Kind:ident)+) => {$(
        impl $Kind {
            conversions! { @from $Kind:
                /// As a double; truth values are 0 and 1.
                to_f64 F64;
                /// As a single, the nearest one; truth values are 0 and 1.
                to_f32 F32;
                /// As a half, the nearest one; truth values are 0 and 1.
                to_f16 F16;
                /// As a 64-bit integer: reals are rounded towards 0 and saturate, NaN is 0.
                to_i64 I64;
                /// As a 32-bit integer: reals are rounded towards 0 and saturate, NaN is 0; integers lose high bits.
                to_i32 I32;
                /// As a 16-bit integer, like [`to_i32`](Self::to_i32).
                to_i16 I16;
                /// As an 8-bit integer, like [`to_i32`](Self::to_i32).
                to_i8 I8;
                /// As a 64-bit integer without a sign, like [`to_i32`](Self::to_i32): integers wrap.
                to_u64 U64;
                /// As a 32-bit integer without a sign, like [`to_i32`](Self::to_i32): integers wrap.
                to_u32 U32;
                /// As a 16-bit integer without a sign, like [`to_i32`](Self::to_i32): integers wrap.
                to_u16 U16;
                /// As an 8-bit integer without a sign, like [`to_i32`](Self::to_i32): integers wrap.
                to_u8 U8;
                /// Whether the number is not 0.
                to_bool Bool;
            }
        }
    )+};
    (@from $Kind:ident: $($(#[doc = $doc:expr])+ $method:ident $To:ident;)+) => {$(
        $(#[doc = $doc])+
        #[must_use]
        #[track_caller]
        pub fn $method(self) -> $To {
            $To(converted(self.0, Prim::$Kind, Prim::$To))
        }
    )+};
}

conversions! { F64 F32 F16 I64 I32 I16 I8 U64 U32 U16 U8 Bool }

macro_rules! constants {
    ($($Number:ident => $Kind:ident;)+) => {$(
        impl IntoHandle for $Number {
            type Handle = $Kind;
            #[track_caller]
            fn into_handle(self) -> $Kind {
                $Kind::from(self)
            }
        }
    )+};
}

constants! {
    f64 => F64;
    i64 => I64;
    bool => Bool;
}

macro_rules! semirings {
    ($($Kind:ident: $x:ident, $y:ident => $sum:expr, $product:expr;)+) => {$(
        impl Add for $Kind {
            type Output = Self;
            #[track_caller]
            fn add(self, other: Self) -> Self {
                match (self.as_constant(), other.as_constant()) {
                    (Some($x), Some($y)) => $Kind::from($sum),
                    _ => scalar(ScalarOp::Add, &[self.0, other.0]),
                }
            }
        }

        impl Mul for $Kind {
            type Output = Self;
            #[track_caller]
            fn mul(self, other: Self) -> Self {
                match (self.as_constant(), other.as_constant()) {
                    (Some($x), Some($y)) => $Kind::from($product),
                    _ => scalar(ScalarOp::Mul, &[self.0, other.0]),
                }
            }
        }

        impl Zero for $Kind {
            fn zero() -> Self {
                $Kind(Id::constant(Prim::$Kind.zero()))
            }
            /// Whether this is the constant 0; what a variable is, is not known.
            fn is_zero(&self) -> bool {
                self.as_constant().is_some_and(|x| x.is_zero())
            }
        }

        impl One for $Kind {
            fn one() -> Self {
                $Kind(Id::constant(Prim::$Kind.one()))
            }
        }
    )+};
}

semirings! {
    F64: x, y => x + y, x * y;
    F32: x, y => x + y, x * y;
    F16: x, y => x + y, x * y;
    I64: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    I32: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    I16: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    I8: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    U64: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    U32: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    U16: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    U8: x, y => x.wrapping_add(y), x.wrapping_mul(y);
}

macro_rules! reals {
    ($($Kind:ident($Number:ident);)+) => {$(
        impl Elementary for $Kind {
            fn constant(value: f64) -> Self {
                $Kind::from(<$Number>::constant(value))
            }

            /// The constant, if it is one.
            fn primal(&self) -> Option<f64> {
                self.as_constant().map(f64::from)
            }

            #[track_caller]
            fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
                let constants: Vec<$Number> = x.iter().filter_map(|x| x.as_constant()).collect();
                if let Ok(constants) = <[$Number; N]>::try_from(constants) {
                    return $Kind::from(<$Number>::apply(rule, constants));
                }
                match rule.primitive() {
                    Some(row) => scalar(row, &x.map(|x| x.0)),
                    None => $Kind(ruled(rule, &x.map(|x| x.0), Prim::$Kind.zero())),
                }
            }
        }
    )+};
}

reals! {
    F64(f64);
    F32(f32);
    F16(f16);
}

// Its constants are there, as those of all kinds are.
crate::operators!(@operators [] F64, []);
crate::operators!([] F32, []);
crate::operators!([] F16, []);

macro_rules! truths {
    ($($Op:ident $op:ident: $x:ident, $y:ident => $value:expr;)+) => {$(
        impl $Op for Bool {
            type Output = Self;
            #[track_caller]
            fn $op(self, other: Self) -> Self {
                let ($x, $y) = (self, other);
                $value
            }
        }
    )+};
}

truths! {
    BitAnd bitand: x, y => scalar(ScalarOp::Mul, &[x.0, y.0]);
    BitOr bitor: x, y => scalar(ScalarOp::Add, &[x.0, y.0]);
    BitXor bitxor: x, y => x.ne(y);
}

impl Not for Bool {
    type Output = Self;
    #[track_caller]
    fn not(self) -> Self {
        scalar(ScalarOp::Not, &[self.0])
    }
}
