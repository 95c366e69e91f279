//! The scalar operations of array programs: the table of primitives on reals, and a table of rows on integers.
//!
//! Law: an operation has one result type for its operand types, the same value in every executor, and wraps where
//! integers overflow; a row of integers is written once for all kinds of them. Derivatives of real operations are those
//! of the table of primitives; integers are differentiated by the same ring rules, with wrapping arithmetic, as Futhark
//! does (laws: kinds).

use core::cmp::Ordering;

use num_traits::{CheckedRem, PrimInt, WrappingAdd, WrappingMul, WrappingNeg, WrappingSub};

use super::types::{Const, Prim, for_integers};
use crate::primitives::Primitive;

/// A scalar operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarOp {
    /// `x + y` of numbers; of truth values, "or".
    Add,
    /// `x × y` of numbers; of truth values, "and".
    Mul,
    /// `x` scaled by `y`: `x × y`, but 0 where `x` is 0, even if `y` is infinite or NaN. It multiplies a derivative by a
    /// partial derivative that may be so, as [`Module::scale`](crate::Module::scale) does.
    Scale,
    /// A row of the table of primitives, on reals of one kind.
    Row(Primitive),
    /// A row of the table of integers, on integers of one kind.
    Integer(IntegerRow),
    /// `x = y`, of any kind.
    Equal,
    /// `x < y`, of any kind; false is less than true.
    Less,
    /// `x ≤ y`, of any kind.
    LessOrEqual,
    /// "not" of a truth value.
    Not,
    /// The same number in another kind, as Rust's `as` has it: integers wrap; reals round to the nearest or, into integers,
    /// towards 0 and saturate; NaN becomes 0; truth values become 0 and 1; numbers become "not 0".
    Convert(Prim),
    /// The bits of a real of this kind, as an integer without a sign. Tangents become bits as well, and adjoints reals.
    ToBits(Prim),
    /// The real of this kind that has the bits of an integer without a sign. Tangents become reals as well, and adjoints bits.
    FromBits(Prim),
}

impl ScalarOp {
    /// Whether it costs no more than to load its result would.
    pub(crate) fn is_cheap(self) -> bool {
        match self {
            ScalarOp::Row(row) => matches!(
                row,
                Primitive::Neg
                    | Primitive::Sub
                    | Primitive::Div
                    | Primitive::Recip
                    | Primitive::Min
                    | Primitive::Max
                    | Primitive::Abs
                    | Primitive::Select
                    | Primitive::StopGradient
            ),
            ScalarOp::Integer(row) => row != IntegerRow::Pow,
            _ => true,
        }
    }

    /// Whether it is associative, up to rounding, and commutes, up to which of two equal numbers it gives.
    pub(crate) fn commutes(self) -> bool {
        use IntegerRow::{And, Max, Min, Or, Xor};
        match self {
            ScalarOp::Add | ScalarOp::Mul => true,
            ScalarOp::Row(row) => matches!(row, Primitive::Min | Primitive::Max),
            ScalarOp::Integer(row) => matches!(row, Min | Max | And | Or | Xor),
            _ => false,
        }
    }
}

impl From<Primitive> for ScalarOp {
    fn from(row: Primitive) -> Self {
        ScalarOp::Row(row)
    }
}

impl From<IntegerRow> for ScalarOp {
    fn from(row: IntegerRow) -> Self {
        ScalarOp::Integer(row)
    }
}

/// A type of Rust for a kind of integers. What [`IntegerRow`] has of them is written once for all.
pub trait Integer: PrimInt + CheckedRem + WrappingAdd + WrappingSub + WrappingMul + WrappingNeg + Into<Const> {
    /// The kind.
    const PRIM: Prim;

    /// The constant of this kind.
    fn of(constant: Const) -> Option<Self>;

    /// The upper half of the product.
    #[must_use]
    fn upper_product(self, other: Self) -> Self;

    /// The number whose bits are the lower ones.
    #[must_use]
    fn low(bits: i64) -> Self;

    /// The bits, with those before them that keep the value; of 64 bits the bits themselves.
    #[must_use]
    fn extended(self) -> i64;

    /// The quotient rounded towards 0, which wraps; none by 0.
    fn quotient(self, other: Self) -> Option<Self> {
        // Only the least number by −1 has none of its kind.
        (!other.is_zero()).then(|| self.checked_div(&other).unwrap_or(self))
    }

    /// The remainder of the quotient; none by 0.
    fn remainder(self, other: Self) -> Option<Self> {
        (!other.is_zero()).then(|| self.checked_rem(&other).unwrap_or(Self::zero()))
    }

    /// How far bits are moved, if some stay.
    fn distance(self) -> Option<usize> {
        self.to_usize().filter(|n| *n < Self::PRIM.bits() as usize)
    }
}

macro_rules! integer_types {
    ($($Kind:ident($Number:ident in $Wide:ident))+) => {$(
        impl Integer for $Number {
            const PRIM: Prim = Prim::$Kind;
            #[inline(always)]
            fn of(constant: Const) -> Option<Self> {
                if let Const::$Kind(n) = constant { Some(n) } else { None }
            }
            #[inline(always)]
            fn upper_product(self, other: Self) -> Self {
                ($Wide::from(self) * $Wide::from(other) >> Self::BITS) as $Number
            }
            #[inline(always)]
            fn low(bits: i64) -> Self {
                bits as $Number
            }
            #[inline(always)]
            fn extended(self) -> i64 {
                self as i64
            }
        }
    )+};
}

integer_types! {
    I8(i8 in i16) I16(i16 in i32) I32(i32 in i64) I64(i64 in i128)
    U8(u8 in u16) U16(u16 in u32) U32(u32 in u64) U64(u64 in u128)
}

macro_rules! integers {
    ($($(#[doc = $doc:expr])+ $Row:ident $text:literal ($x:ident $(, $y:ident)?) = $value:expr;)+) => {
        /// An operation on integers. Arithmetic wraps; what has no value is `None` and an error of the program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum IntegerRow { $($(#[doc = $doc])+ $Row,)+ }

        impl IntegerRow {
            /// Every row.
            pub const ALL: &'static [IntegerRow] = &[$(IntegerRow::$Row),+];

            /// The text name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(IntegerRow::$Row => $text,)+ }
            }

            /// The number of operands.
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(IntegerRow::$Row => [stringify!($x) $(, stringify!($y))?].len(),)+ }
            }

            /// The value on integers of one kind.
            #[inline]
            #[must_use]
            pub fn value<N: Integer>(self, operands: &[N]) -> Option<N> {
                match self {
                    $(IntegerRow::$Row => { let [$x $(, $y)?] = *operands else { return None }; $value })+
                }
            }
        }
    };
}

integers! {
    /// The negative.
    Neg "neg" (x) = Some(x.wrapping_neg());
    /// The difference.
    Sub "sub" (x, y) = Some(x.wrapping_sub(&y));
    /// The quotient rounded towards −∞; none by 0.
    Div "div" (x, y) = x.quotient(y).map(|q| if crosses(x, y) { q - N::one() } else { q });
    /// The remainder of `div`, with the sign of the divisor; none by 0.
    Mod "mod" (x, y) = x.remainder(y).map(|r| if crosses(x, y) { r.wrapping_add(&y) } else { r });
    /// The quotient rounded towards 0; none by 0.
    Quot "quot" (x, y) = x.quotient(y);
    /// The remainder of `quot`, with the sign of the dividend; none by 0.
    Rem "rem" (x, y) = x.remainder(y);
    /// The smaller.
    Min "min" (x, y) = Some(x.min(y));
    /// The larger.
    Max "max" (x, y) = Some(x.max(y));
    /// The absolute value.
    Abs "abs" (x) = Some(if x < N::zero() { x.wrapping_neg() } else { x });
    /// The sign: −1, 0 or 1.
    Signum "signum" (x) = Some(match x.cmp(&N::zero()) {
        Ordering::Less => N::zero() - N::one(),
        Ordering::Equal => N::zero(),
        Ordering::Greater => N::one(),
    });
    /// The power; none for negative exponents.
    Pow "pow" (x, y) = y.to_u64().map(|y| power(x, y));
    /// Bitwise "and".
    And "and" (x, y) = Some(x & y);
    /// Bitwise "or".
    Or "or" (x, y) = Some(x | y);
    /// Bitwise "exclusive or".
    Xor "xor" (x, y) = Some(x ^ y);
    /// The bits the other way.
    Complement "complement" (x) = Some(!x);
    /// The bits moved up; by as many as there are or more, or by less than none, 0.
    Shl "shl" (x, y) = Some(y.distance().map_or(N::zero(), |y| x << y));
    /// The bits moved down, filled with the sign; by as many as there are or more, or by less than none, the sign.
    Shr "shr" (x, y) = Some(y.distance().map_or(if x < N::zero() { !N::zero() } else { N::zero() }, |y| x >> y));
    /// How many bits are 1.
    Ones "ones" (x) = N::from(x.count_ones());
    /// How many bits are 0 before the first 1.
    LeadingZeros "leading_zeros" (x) = N::from(x.leading_zeros());
    /// How many bits are 0 after the last 1.
    TrailingZeros "trailing_zeros" (x) = N::from(x.trailing_zeros());
    /// The upper half of the product, which has twice as many bits.
    MulHigh "mul_high" (x, y) = Some(x.upper_product(y));
}

/// Whether a quotient is no integer, and less than 0.
fn crosses<N: Integer>(x: N, y: N) -> bool {
    (x < N::zero()) != (y < N::zero()) && x.remainder(y).is_some_and(|r| !r.is_zero())
}

fn power<N: Integer>(mut base: N, mut exponent: u64) -> N {
    let mut result = N::one();
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(&base);
        }
        base = base.wrapping_mul(&base);
        exponent >>= 1;
    }
    result
}

impl ScalarOp {
    /// The value on integers and truth values, which are exact; `None` if it has none, and on reals.
    ///
    /// ```
    /// use catadiff::array::{Const, IntegerRow, Prim, ScalarOp};
    /// let [x, y] = [Const::U8(200), Const::U8(100)];
    /// assert_eq!(ScalarOp::Add.value(&[x, y]), Some(Const::U8(44)));
    /// assert_eq!(ScalarOp::Less.value(&[y, x]), Some(Const::Bool(true)));
    /// assert_eq!(ScalarOp::from(IntegerRow::Div).value(&[x, Const::U8(0)]), None);
    /// assert_eq!(ScalarOp::Convert(Prim::I8).value(&[x]), Some(Const::I8(-56)));
    /// ```
    #[must_use]
    pub fn value(self, x: &[Const]) -> Option<Const> {
        macro_rules! by_kind {
            ($($Kind:ident($Number:ident))+) => {
                match *x {
                    [Const::Bool(a), Const::Bool(b)] => match self {
                        ScalarOp::Add => Some(Const::Bool(a | b)),
                        ScalarOp::Mul | ScalarOp::Scale => Some(Const::Bool(a & b)),
                        _ => self.compared(&a, &b),
                    },
                    $([Const::$Kind(a), Const::$Kind(b)] => self.on_two(a, b),)+
                    $([Const::$Kind(a)] => self.on_one(a),)+
                    [Const::Bool(a)] => match self {
                        ScalarOp::Not => Some(Const::Bool(!a)),
                        ScalarOp::Convert(to) => Some(Const::wrapped(a.into(), to)),
                        _ => None,
                    },
                    _ => None,
                }
            };
        }
        for_integers!(by_kind!())
    }

    #[inline(always)]
    fn on_two<N: Integer>(self, a: N, b: N) -> Option<Const> {
        match self {
            ScalarOp::Add => Some(a.wrapping_add(&b).into()),
            ScalarOp::Mul | ScalarOp::Scale => Some(a.wrapping_mul(&b).into()),
            ScalarOp::Integer(row) => row.value(&[a, b]).map(Into::into),
            _ => self.compared(&a, &b),
        }
    }

    fn on_one<N: Integer>(self, a: N) -> Option<Const> {
        match self {
            ScalarOp::Integer(row) => row.value(&[a]).map(Into::into),
            ScalarOp::Convert(to) => a.into().integer().map(|n| Const::wrapped(n, to)),
            ScalarOp::FromBits(to) if to.of_bits() == Some(N::PRIM) => Some(Const::from_bits(a.into().bits(), to)),
            _ => None,
        }
    }

    /// The truth value of a comparison.
    pub(crate) fn compared<T: PartialOrd>(self, a: &T, b: &T) -> Option<Const> {
        match self {
            ScalarOp::Equal => Some(Const::Bool(a == b)),
            ScalarOp::Less => Some(Const::Bool(a < b)),
            ScalarOp::LessOrEqual => Some(Const::Bool(a <= b)),
            _ => None,
        }
    }

    /// The number of operands.
    #[must_use]
    pub fn arity(self) -> usize {
        match self {
            ScalarOp::Add
            | ScalarOp::Mul
            | ScalarOp::Scale
            | ScalarOp::Equal
            | ScalarOp::Less
            | ScalarOp::LessOrEqual => 2,
            ScalarOp::Row(row) => row.arity(),
            ScalarOp::Integer(row) => row.arity(),
            ScalarOp::Not | ScalarOp::Convert(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => 1,
        }
    }

    /// The kind of the result for operands of these kinds; `None` if the operation does not take them.
    #[must_use]
    pub fn result(self, operands: &[Prim]) -> Option<Prim> {
        let (first, rest) = operands.split_first()?;
        if operands.len() != self.arity() || rest.iter().any(|prim| prim != first) {
            return None;
        }
        match self {
            ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale => Some(*first),
            ScalarOp::Row(_) => first.is_real().then_some(*first),
            ScalarOp::Integer(_) => first.is_integer().then_some(*first),
            ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => Some(Prim::Bool),
            ScalarOp::Not => (*first == Prim::Bool).then_some(Prim::Bool),
            ScalarOp::Convert(to) => Some(to),
            ScalarOp::ToBits(of) => of.of_bits().filter(|_| *first == of),
            ScalarOp::FromBits(to) => (to.of_bits() == Some(*first)).then_some(to),
        }
    }
}
