//! Arithmetic of whole arrays: operators element by element, sums and extrema, products of vectors and matrices.
//!
//! Law: an operator on nested arrays is the nest of maps of the operator on scalars. Arrays meet arrays of their own
//! rank, and each element of arrays of one rank more; scalars and numbers meet arrays of any rank; anything else does not compile
//! (tests/array/trace_values.rs).

use core::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};
use num_traits::{One, Zero};

use super::handles::nothing;
use super::scalars::scalar;
use super::scope::{Here, mistake};
use super::{
    Arr, As, Bool, F16, F32, F64, Handle, I8, I16, I32, I64, ScalarHandle, U8, U16, U32, U64, if_, iota, replicate,
};
use crate::array::ScalarOp;
use crate::error::Mistake;
use crate::primitives::{Elementary, f16};

/// A scalar of a program that is a number: `F64`, `F32`, `F16`, or a kind of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of a traced program",
    note = "`F64 F32 F16 I64 I32 I16 I8 U64 U32 U16 U8` are; an array has the wrong rank here"
)]
pub trait Number:
    ScalarHandle + Zero + One + Sub<Output = Self> + Div<Output = Self> + Neg<Output = Self> + Nested<Leaf = Self>
{
    /// −∞, or the least integer.
    fn least() -> Self;
    /// ∞, or the greatest integer.
    fn greatest() -> Self;
    /// The smaller of two; a number wins over NaN.
    #[must_use]
    #[track_caller]
    fn smaller(self, other: Self) -> Self;
    /// The larger of two; a number wins over NaN.
    #[must_use]
    #[track_caller]
    fn larger(self, other: Self) -> Self;
    /// Whether this is less, in the program.
    #[must_use]
    #[track_caller]
    fn less(self, other: Self) -> Bool {
        scalar(ScalarOp::Less, &[self.ids(), other.ids()])
    }
    /// Whether the two are equal, in the program.
    #[must_use]
    #[track_caller]
    fn equal(self, other: Self) -> Bool {
        scalar(ScalarOp::Equal, &[self.ids(), other.ids()])
    }
}

macro_rules! numbers {
    ($($Kind:ident: $least:expr, $greatest:expr, $min:path, $max:path;)+) => {$(
        impl Number for $Kind {
            fn least() -> Self {
                $Kind::from($least)
            }
            fn greatest() -> Self {
                $Kind::from($greatest)
            }
            #[track_caller]
            fn smaller(self, other: Self) -> Self {
                $min(self, other)
            }
            #[track_caller]
            fn larger(self, other: Self) -> Self {
                $max(self, other)
            }
        }
    )+};
}

numbers! {
    F64: f64::NEG_INFINITY, f64::INFINITY, Elementary::min, Elementary::max;
    F32: f32::NEG_INFINITY, f32::INFINITY, Elementary::min, Elementary::max;
    F16: f16::NEG_INFINITY, f16::INFINITY, Elementary::min, Elementary::max;
    I64: i64::MIN, i64::MAX, I64::min, I64::max;
    I32: i32::MIN, i32::MAX, I32::min, I32::max;
    I16: i16::MIN, i16::MAX, I16::min, I16::max;
    I8: i8::MIN, i8::MAX, I8::min, I8::max;
    U64: u64::MIN, u64::MAX, U64::min, U64::max;
    U32: u32::MIN, u32::MAX, U32::min, U32::max;
    U16: u16::MIN, u16::MAX, U16::min, U16::max;
    U8: u8::MIN, u8::MAX, U8::min, U8::max;
}

/// A scalar, or an array of one kind of scalar, of any rank.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar or nested array of one kind of scalar",
    note = "of an array of tuples, `unzip` makes arrays"
)]
pub trait Nested: Handle {
    /// The scalars.
    type Leaf: ScalarHandle + Nested<Leaf = Self::Leaf>;

    /// The number of dimensions.
    const RANK: usize;

    /// The array of as many dimensions of another kind of scalar.
    type Of<S: ScalarHandle>: Nested<Leaf = S>;

    /// `f` of each scalar.
    #[must_use]
    #[track_caller]
    fn each(self, f: &dyn Fn(Self::Leaf) -> Self::Leaf) -> Self;

    /// `f` of the scalars of two arrays of the same sizes.
    #[must_use]
    #[track_caller]
    fn each2(self, other: Self, f: &dyn Fn(Self::Leaf, Self::Leaf) -> Self::Leaf) -> Self;

    /// `f` of the scalars of three arrays of the same sizes, two of them of another kind, which that of the result is.
    #[must_use]
    #[track_caller]
    fn each3<S: ScalarHandle>(
        self,
        second: Self::Of<S>,
        third: Self::Of<S>,
        f: &dyn Fn(Self::Leaf, S, S) -> S,
    ) -> Self::Of<S>;

    /// The array of these sizes, as many as it has dimensions, whose every scalar is this value.
    #[must_use]
    #[track_caller]
    fn filled(sizes: &[I64], value: Self::Leaf) -> Self;
}

impl<S: ScalarHandle> Nested for S {
    type Leaf = S;
    const RANK: usize = 0;
    type Of<R: ScalarHandle> = R;
    #[track_caller]
    fn each(self, f: &dyn Fn(S) -> S) -> S {
        f(self)
    }
    #[track_caller]
    fn each2(self, other: S, f: &dyn Fn(S, S) -> S) -> S {
        f(self, other)
    }
    #[track_caller]
    fn each3<R: ScalarHandle>(self, second: R, third: R, f: &dyn Fn(S, R, R) -> R) -> R {
        f(self, second, third)
    }
    #[track_caller]
    fn filled(_: &[I64], value: S) -> S {
        value
    }
}

impl<T: Nested> Nested for Arr<T> {
    type Leaf = T::Leaf;
    const RANK: usize = T::RANK + 1;
    type Of<S: ScalarHandle> = Arr<T::Of<S>>;
    #[track_caller]
    fn each(self, f: &dyn Fn(T::Leaf) -> T::Leaf) -> Self {
        self.map(|x| x.each(f))
    }
    #[track_caller]
    fn each2(self, other: Self, f: &dyn Fn(T::Leaf, T::Leaf) -> T::Leaf) -> Self {
        self.map2(other, |x, y| x.each2(y, f))
    }
    #[track_caller]
    fn each3<S: ScalarHandle>(
        self,
        second: Arr<T::Of<S>>,
        third: Arr<T::Of<S>>,
        f: &dyn Fn(T::Leaf, S, S) -> S,
    ) -> Arr<T::Of<S>> {
        self.map3(second, third, |x, y, z| x.each3(y, z, f))
    }
    #[track_caller]
    fn filled(sizes: &[I64], value: T::Leaf) -> Self {
        match sizes {
            [] => {
                let reason = "an array is filled to fewer sizes than it has dimensions".to_owned();
                mistake(|at| Mistake::IllTyped { reason, at });
                nothing()
            }
            [n, inner @ ..] => replicate(*n, T::filled(inner, value)),
        }
    }
}

macro_rules! elementwise {
    ($($Op:ident $op:ident $OpAssign:ident $op_assign:ident;)+) => {$(
        elementwise!(@arrays $Op $op);
        elementwise!(@numbers $Op $op: i64 I64 I32 I16 I8 U64 U32 U16 U8);

        impl<T: Nested, X> $OpAssign<X> for Arr<T>
        where
            Arr<T>: $Op<X, Output = Arr<T>>,
        {
            #[track_caller]
            fn $op_assign(&mut self, other: X) {
                *self = $Op::$op(*self, other);
            }
        }
    )+};
    (@arrays $Op:ident $op:ident) => {
        impl<T: Nested> $Op for Arr<T>
        where
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Self;
            #[track_caller]
            fn $op(self, other: Self) -> Self {
                self.each2(other, &|x, y| $Op::$op(x, y))
            }
        }

        /// Each element meets the array, as each row of a matrix does a row.
        impl<T: Nested> $Op<Arr<T>> for Arr<Arr<T>>
        where
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Self;
            #[track_caller]
            fn $op(self, other: Arr<T>) -> Self {
                let _here = Here::new();
                self.map(|row| $Op::$op(row, other))
            }
        }

        /// The array meets each element, as a row does each row of a matrix.
        impl<T: Nested> $Op<Arr<Arr<T>>> for Arr<T>
        where
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Arr<Arr<T>>;
            #[track_caller]
            fn $op(self, other: Arr<Arr<T>>) -> Arr<Arr<T>> {
                let _here = Here::new();
                other.map(|row| $Op::$op(self, row))
            }
        }
    };
    (@numbers $Op:ident $op:ident: $($Number:ident)+) => {$(
        impl<T: Nested> $Op<$Number> for Arr<T>
        where
            $Number: As<T::Leaf>,
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Self;
            #[track_caller]
            fn $op(self, other: $Number) -> Self {
                let other = other.handle();
                self.each(&|x| $Op::$op(x, other))
            }
        }

        impl<T: Nested> $Op<Arr<T>> for $Number
        where
            $Number: As<T::Leaf>,
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Arr<T>;
            #[track_caller]
            fn $op(self, other: Arr<T>) -> Arr<T> {
                let own = self.handle();
                other.each(&|x| $Op::$op(own, x))
            }
        }
    )+};
}

elementwise! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}
elementwise!(@numbers Add add: f64 F64 F32 F16);
elementwise!(@numbers Sub sub: f64 F64 F32 F16);
elementwise!(@numbers Mul mul: f64 F64 F32 F16);
elementwise!(@numbers Div div: f64 F64 F32 F16);
elementwise!(@arrays BitAnd bitand);
elementwise!(@arrays BitOr bitor);
elementwise!(@arrays BitXor bitxor);

macro_rules! unary {
    ($($Op:ident $op:ident;)+) => {$(
        impl<T: Nested> $Op for Arr<T>
        where
            T::Leaf: $Op<Output = T::Leaf>,
        {
            type Output = Self;
            #[track_caller]
            fn $op(self) -> Self {
                self.each(&|x| $Op::$op(x))
            }
        }
    )+};
}

unary! {
    Neg neg;
    Not not;
}

impl<T: Nested<Leaf: Number>> Arr<T> {
    /// The elements combined by an operator on their scalars, with its neutral element.
    #[track_caller]
    fn combined(self, neutral: T::Leaf, operator: impl Fn(T::Leaf, T::Leaf) -> T::Leaf) -> T {
        let _here = Here::new();
        self.reduce_commutative(self.element_of(neutral), |x, y| x.each2(y, &operator))
    }

    /// The sum of the elements; of rows, the row of sums. Of an empty array, 0.
    #[must_use]
    #[track_caller]
    pub fn sum(self) -> T {
        self.combined(T::Leaf::zero(), |x, y| x + y)
    }

    /// The product of the elements; of rows, the row of products. Of an empty array, 1.
    #[must_use]
    #[track_caller]
    pub fn product(self) -> T {
        self.combined(T::Leaf::one(), |x, y| x * y)
    }

    /// The least element; of rows, the row of the least. Numbers win over NaN; of an empty array, or of NaN alone, ∞, of no
    /// integers the greatest.
    #[must_use]
    #[track_caller]
    pub fn min(self) -> T {
        self.combined(T::Leaf::greatest(), Number::smaller)
    }

    /// The greatest element; of rows, the row of the greatest. Numbers win over NaN; of an empty array, or of NaN alone, −∞,
    /// of no integers the least.
    #[must_use]
    #[track_caller]
    pub fn max(self) -> T {
        self.combined(T::Leaf::least(), Number::larger)
    }
}

/// Whether the second of two comes before the first, for an order in which NaN is last and ties go to the lower index.
#[track_caller]
fn precedes<S: Number>((x, i): (S, I64), (y, j): (S, I64), before: fn(S, S) -> Bool) -> Bool {
    let (wins, ties) = (before(y, x), y.equal(x));
    if !S::PRIM.is_real() {
        return wins | (ties & j.lt(i));
    }
    let (x_is, y_is) = (x.equal(x), y.equal(y));
    wins | (y_is & !x_is) | ((ties | !(x_is | y_is)) & j.lt(i))
}

impl<S: Number> Arr<S> {
    #[track_caller]
    fn extreme(self, neutral: S, before: fn(S, S) -> Bool) -> I64 {
        let pairs = self.zip(iota(self.len()));
        let (_, at) = pairs.reduce_commutative((neutral, i64::MAX), |x, y| if_(precedes(x, y, before), || y, || x));
        at
    }

    /// The index of the least element, the lowest at a tie. Of an empty array, or of NaN alone, the greatest integer.
    #[must_use]
    #[track_caller]
    pub fn argmin(self) -> I64 {
        self.extreme(S::greatest(), |x, y| x.less(y))
    }

    /// The index of the greatest element, the lowest at a tie. Of an empty array, or of NaN alone, the greatest integer.
    #[must_use]
    #[track_caller]
    pub fn argmax(self) -> I64 {
        self.extreme(S::least(), |x, y| y.less(x))
    }

    /// The sum of the products of two arrays of one length.
    #[must_use]
    #[track_caller]
    pub fn dot(self, other: Arr<S>) -> S {
        (self * other).sum()
    }
}

impl<S: Number> Arr<Arr<S>> {
    /// The product of matrices, given by their rows.
    #[must_use]
    #[track_caller]
    pub fn matmul(self, other: Arr<Arr<S>>) -> Self {
        let columns = other.transpose();
        self.map(|row| columns.map(|column| row.dot(column)))
    }

    /// The product of a matrix, given by its rows, and a vector.
    #[must_use]
    #[track_caller]
    pub fn matvec(self, vector: Arr<S>) -> Arr<S> {
        self.map(|row| row.dot(vector))
    }
}
