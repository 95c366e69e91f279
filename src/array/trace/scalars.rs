//! Scalar handles: the numbers and truth values of a program while it is traced.
//!
//! `F64` and `F32` are carriers of the scalar layer, so a function generic in its numbers works on them as on `f64`.
//! A comparison is a `Bool` of the program and never one of Rust: there is nothing to compare yet.
//!
//! Law: an operation on handles is the statement of the same operation, and an operation on constants its value. A
//! user's [`Rule`] is a Rust function on `f64` that no program can contain, so applying one is a
//! [`Mistake::Opaque`]; [`custom`](super::custom) is the form in which programs keep derivatives of one's own.

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};
use num_traits::{One, Zero};

use super::handles::converted;
use super::scope::{Id, emit_one, mistake};
use super::{As, Handle, IntoHandle};
use crate::array::{Const, IntegerRow, Op, Prim, ScalarOp, Type};
use crate::error::Mistake;
use crate::primitives::{Elementary, Rule};

/// A handle of one scalar: `F64`, `F32`, `I64`, `I32` or `Bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of a traced program",
    note = "`F64 F32 I64 I32 Bool` are; an array has the wrong rank here"
)]
pub trait ScalarHandle: Handle<Ids = Id> {
    /// The kind.
    const PRIM: Prim;
}

#[track_caller]
fn scalar<H: ScalarHandle>(op: impl Into<ScalarOp>, operands: &[Id]) -> H {
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

            /// As a double; truth values are 0 and 1.
            #[must_use]
            #[track_caller]
            pub fn to_f64(self) -> F64 {
                F64(converted(self.0, Prim::$Kind, Prim::F64))
            }

            /// As a single; truth values are 0 and 1. A run on a carrier of doubles, such as [`Program::at`], keeps the
            /// double: values are rounded to singles where the carrier is `f32`.
            ///
            /// [`Program::at`]: crate::array::Program::at
            #[must_use]
            #[track_caller]
            pub fn to_f32(self) -> F32 {
                F32(converted(self.0, Prim::$Kind, Prim::F32))
            }

            /// As a 64-bit integer: reals are rounded towards 0 and saturate, NaN is 0.
            #[must_use]
            #[track_caller]
            pub fn to_i64(self) -> I64 {
                I64(converted(self.0, Prim::$Kind, Prim::I64))
            }

            /// As a 32-bit integer: reals are rounded towards 0 and saturate, NaN is 0; 64-bit integers lose high bits.
            #[must_use]
            #[track_caller]
            pub fn to_i32(self) -> I32 {
                I32(converted(self.0, Prim::$Kind, Prim::I32))
            }

            /// Whether the number is not 0.
            #[must_use]
            #[track_caller]
            pub fn to_bool(self) -> Bool {
                Bool(converted(self.0, Prim::$Kind, Prim::Bool))
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
    /// assert_eq!(program.function.body.stms.len(), 5);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    F64(f64);
    /// A single-precision number of a program. Literals are `f64`, rounded.
    F32(f32);
    /// A 64-bit integer of a program: sizes and indices are of this kind. It wraps; `/` and `%` round towards −∞.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::I64};
    /// let midpoint = Program::trace(|low: I64, high: I64| low + (high - low) / 2)?;
    /// assert_eq!(midpoint.function.body.stms.len(), 3);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    I64(i64);
    /// A 32-bit integer of a program, as [`I64`] else. Literals are `i64`, which have to fit.
    I32(i32);
    /// A truth value of a program, with `&`, `|`, `^` and `!`. Both operands are always evaluated.
    Bool(bool);
}

impl IntoHandle for f64 {
    type Handle = F64;
    #[track_caller]
    fn into_handle(self) -> F64 {
        F64::from(self)
    }
}

impl IntoHandle for i64 {
    type Handle = I64;
    #[track_caller]
    fn into_handle(self) -> I64 {
        I64::from(self)
    }
}

impl IntoHandle for bool {
    type Handle = Bool;
    #[track_caller]
    fn into_handle(self) -> Bool {
        Bool::from(self)
    }
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
    I64: x, y => x.wrapping_add(y), x.wrapping_mul(y);
    I32: x, y => x.wrapping_add(y), x.wrapping_mul(y);
}

macro_rules! reals {
    ($($Kind:ident($Number:ident) by $value:ident;)+) => {$(
        impl Elementary for $Kind {
            fn constant(value: f64) -> Self {
                $Kind::from(value as $Number)
            }

            /// The constant, if it is one.
            fn primal(&self) -> Option<f64> {
                self.as_constant().map(f64::from)
            }

            #[track_caller]
            fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
                let constants: Vec<$Number> = x.iter().filter_map(|x| x.as_constant()).collect();
                if let Ok(constants) = <[$Number; N]>::try_from(constants) {
                    return $Kind::from(rule.$value(constants));
                }
                match rule.primitive() {
                    Some(row) => scalar(row, &x.map(|x| x.0)),
                    None => {
                        let rule = rule.name();
                        $Kind(mistake(|at| Mistake::Opaque { rule, at }))
                    }
                }
            }
        }
    )+};
}

reals! {
    F64(f64) by value;
    F32(f32) by value_f32;
}

crate::operators!([] F64, []);
crate::operators!([] F32, []);

macro_rules! operation {
    ($Kind:ident, $Op:ident $op:ident $OpAssign:ident $op_assign:ident) => {
        impl $Op<i64> for $Kind {
            type Output = Self;
            #[track_caller]
            fn $op(self, other: i64) -> Self {
                $Op::$op(self, $Kind::literal(other))
            }
        }

        impl $Op<$Kind> for i64 {
            type Output = $Kind;
            #[track_caller]
            fn $op(self, other: $Kind) -> $Kind {
                $Op::$op($Kind::literal(self), other)
            }
        }

        impl $OpAssign for $Kind {
            #[track_caller]
            fn $op_assign(&mut self, other: Self) {
                *self = $Op::$op(*self, other);
            }
        }

        impl $OpAssign<i64> for $Kind {
            #[track_caller]
            fn $op_assign(&mut self, other: i64) {
                *self = $Op::$op(*self, other);
            }
        }
    };
}

macro_rules! rows {
    ($Kind:ident, $value:ident: $($(#[doc = $doc:expr])+ $method:ident => $Row:ident;)+) => {
        impl $Kind {
            #[track_caller]
            fn row<const N: usize>(row: IntegerRow, x: [Self; N]) -> Self {
                let constants: Vec<_> = x.iter().filter_map(|x| x.as_constant()).collect();
                // What has no value is left in the program, which answers the error.
                match row.$value(&constants) {
                    Some(value) => $Kind::from(value),
                    None => scalar(ScalarOp::Integer(row), &x.map(|x| x.0)),
                }
            }

            /// The absolute value; that of the least integer is itself.
            #[must_use]
            #[track_caller]
            pub fn abs(self) -> Self {
                Self::row(IntegerRow::Abs, [self])
            }

            /// The sign: −1, 0 or 1.
            #[must_use]
            #[track_caller]
            pub fn signum(self) -> Self {
                Self::row(IntegerRow::Signum, [self])
            }

            $($(#[doc = $doc])+
            #[must_use]
            #[track_caller]
            pub fn $method(self, other: impl As<Self>) -> Self {
                Self::row(IntegerRow::$Row, [self, other.handle()])
            })+
        }
    };
}

macro_rules! integers {
    ($($Kind:ident by $value:ident;)+) => {$(
        rows! { $Kind, $value:
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

        impl Neg for $Kind {
            type Output = Self;
            #[track_caller]
            fn neg(self) -> Self {
                Self::row(IntegerRow::Neg, [self])
            }
        }

        impl Not for $Kind {
            type Output = Self;
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
            #[track_caller]
            fn $op(self, other: Self) -> Self {
                Self::row(IntegerRow::$Row, [self, other])
            }
        }
    };
}

integers! {
    I64 by value_i64;
    I32 by value_i32;
}

impl I64 {
    /// The constant.
    #[must_use]
    #[track_caller]
    pub fn literal(value: i64) -> Self {
        I64::from(value)
    }
}

impl I32 {
    /// The constant; one that does not fit is a [`Mistake`] of the trace.
    #[must_use]
    #[track_caller]
    pub fn literal(value: i64) -> Self {
        match i32::try_from(value) {
            Ok(value) => I32::from(value),
            Err(_) => I32(mistake(|at| Mistake::IllTyped { reason: format!("{value} is not an `i32`"), at })),
        }
    }
}

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
