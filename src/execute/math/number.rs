//! What the elementary functions ask of a number: they are written once, and run on doubles or recorded as a listing.
//!
//! Law: on [`Real`] every operation is one of `f64`, and a choice is an expression that the compiler makes a choice of lanes
//! (tests/scalar/vector_math.rs).

use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// A double, or what stands for one: arithmetic with its like and with constants, comparisons, and its bits.
///
/// Methods and operators have the meaning that IEEE 754 gives them, NaN included; only the sign and payload of NaN are
/// anyone's choice.
pub(crate) trait Number:
    Copy
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// The 64 bits of a number.
    type Bits: Bits<Truth = Self::Truth>;
    /// Whether something holds.
    type Truth: Truth;
    /// Whether [`madd`](Self::madd) rounds once.
    const FMA: bool;

    /// `self·factor + term`: in one rounding where the machine has it, and in two where one would be a call.
    fn madd(self, factor: Self, term: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The modulus.
    fn abs(self) -> Self;
    /// Whether it is less.
    fn lt(self, other: impl Into<Self>) -> Self::Truth;
    /// Whether it is less or equal.
    fn le(self, other: impl Into<Self>) -> Self::Truth;
    /// Whether it is equal.
    fn eq(self, other: impl Into<Self>) -> Self::Truth;
    /// The first where it holds and the second elsewhere; both are computed.
    fn select(when: Self::Truth, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self;
    /// Its bits.
    fn to_bits(self) -> Self::Bits;
    /// The number of these bits.
    fn from_bits(bits: Self::Bits) -> Self;

    /// [`select`](Self::select), of pairs.
    #[inline(always)]
    fn select_pair(
        when: Self::Truth,
        then: (impl Into<Self>, impl Into<Self>),
        otherwise: (impl Into<Self>, impl Into<Self>),
    ) -> (Self, Self) {
        (Self::select(when, then.0, otherwise.0), Self::select(when, then.1, otherwise.1))
    }

    /// Whether it is greater.
    #[inline(always)]
    fn gt(self, other: impl Into<Self>) -> Self::Truth {
        other.into().lt(self)
    }

    /// Whether it is no number.
    #[inline(always)]
    fn is_nan(self) -> Self::Truth {
        !self.eq(self)
    }

    /// Whether its sign bit is set.
    #[inline(always)]
    fn is_sign_negative(self) -> Self::Truth {
        !(self.to_bits() & SIGN).is_zero()
    }
}

/// The bit of the sign.
pub(super) const SIGN: u64 = 1 << 63;

/// 64 bits: logic, shifts and arithmetic mod 2⁶⁴.
pub(crate) trait Bits:
    Copy
    + Add<u64, Output = Self>
    + Sub<Output = Self>
    + BitAnd<u64, Output = Self>
    + BitOr<Output = Self>
    + BitOr<u64, Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Whether something holds.
    type Truth;
    /// Whether no bit is set.
    fn is_zero(self) -> Self::Truth;
}

/// Whether something holds.
pub(crate) trait Truth:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl<T> Truth for T where
    T: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

/// A double, on a machine that has the fused multiply-add or on one without.
#[derive(Clone, Copy)]
pub(super) struct Real<const FMA: bool>(pub(super) f64);

/// The bits of a [`Real`].
#[derive(Clone, Copy)]
pub(super) struct Word(u64);

impl<const FMA: bool> From<f64> for Real<FMA> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl<const FMA: bool> Neg for Real<FMA> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! of_reals {
    ($($Operator:ident $operator:ident $sign:tt;)+) => {$(
        impl<const FMA: bool> $Operator for Real<FMA> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Self(self.0 $sign other.0)
            }
        }

        impl<const FMA: bool> $Operator<f64> for Real<FMA> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: f64) -> Self {
                Self(self.0 $sign other)
            }
        }
    )+};
}

of_reals! {
    Add add +;
    Sub sub -;
    Mul mul *;
    Div div /;
}

impl<const FMA: bool> Number for Real<FMA> {
    type Bits = Word;
    type Truth = bool;
    const FMA: bool = FMA;

    #[inline(always)]
    fn madd(self, factor: Self, term: Self) -> Self {
        Self(if FMA { self.0.mul_add(factor.0, term.0) } else { self.0 * factor.0 + term.0 })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    #[inline(always)]
    fn lt(self, other: impl Into<Self>) -> bool {
        self.0 < other.into().0
    }

    #[inline(always)]
    fn le(self, other: impl Into<Self>) -> bool {
        self.0 <= other.into().0
    }

    #[inline(always)]
    fn eq(self, other: impl Into<Self>) -> bool {
        self.0 == other.into().0
    }

    #[inline(always)]
    fn select(when: bool, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self {
        let (then, otherwise) = (then.into(), otherwise.into());
        if when { then } else { otherwise }
    }

    #[inline(always)]
    fn to_bits(self) -> Word {
        Word(self.0.to_bits())
    }

    #[inline(always)]
    fn from_bits(bits: Word) -> Self {
        Self(f64::from_bits(bits.0))
    }
}

macro_rules! of_words {
    ($($Operator:ident<$Other:ident> $operator:ident($a:ident, $b:ident): $value:expr;)+) => {$(
        impl $Operator<$Other> for Word {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, $b: $Other) -> Self {
                let $a = self.0;
                Self($value)
            }
        }
    )+};
}

of_words! {
    Add<u64> add(a, b): a.wrapping_add(b);
    Sub<Word> sub(a, b): a.wrapping_sub(b.0);
    BitAnd<u64> bitand(a, b): a & b;
    BitOr<Word> bitor(a, b): a | b.0;
    BitOr<u64> bitor(a, b): a | b;
    BitXor<Word> bitxor(a, b): a ^ b.0;
    Shl<u32> shl(a, n): a << n;
    Shr<u32> shr(a, n): a >> n;
}

impl Bits for Word {
    type Truth = bool;
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == 0
    }
}
