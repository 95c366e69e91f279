//! The types of array programs: twelve kinds of scalar, and regular arrays of them.
//!
//! Law: a value has one type; an array is rectangular, and its sizes belong to the value, not to the type
//! (tests/array/interpret.rs, tests/array/messages.rs).

use core::fmt;

use crate::primitives::{Primitive, f16};

macro_rules! kinds {
    ($($(#[doc = $doc:expr])+ $Kind:ident($Number:ident) $bits:literal $(, bits in $Bits:ident)? $(, rounded by $Row:ident)?;)+) => {
        /// The kinds of scalar.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Prim { $($(#[doc = $doc])+ $Kind,)+ }

        impl Prim {
            /// Every kind.
            pub const ALL: [Prim; 12] = [$(Prim::$Kind),+];

            /// The name in the text form.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Prim::$Kind => stringify!($Number),)+ }
            }

            /// How many bits a number of this kind has; a truth value has 1.
            #[must_use]
            pub fn bits(self) -> u32 {
                match self { $(Prim::$Kind => $bits,)+ }
            }

            /// The kind of integers that the bits of reals of this kind are.
            #[must_use]
            pub fn of_bits(self) -> Option<Prim> {
                match self { $(Prim::$Kind => kinds!(@option $(Prim::$Bits)?),)+ }
            }

            /// The row of the table by which every operation on reals of this kind is rounded, if they have fewer digits than
            /// those of which it is computed.
            #[must_use]
            pub fn rounding(self) -> Option<Primitive> {
                match self { $(Prim::$Kind => kinds!(@option $(Primitive::$Row)?),)+ }
            }
        }

        /// A constant scalar.
        // A tag as wide as what it tags: both are copied whole.
        #[derive(Debug, Clone, Copy)]
        #[repr(u64)]
        #[non_exhaustive]
        pub enum Const { $($(#[doc = $doc])+ $Kind($Number),)+ }

        impl Const {
            /// The kind of the constant.
            #[must_use]
            pub fn prim(self) -> Prim {
                match self { $(Const::$Kind(_) => Prim::$Kind,)+ }
            }
        }

        $(impl From<$Number> for Const {
            fn from(value: $Number) -> Self {
                Const::$Kind(value)
            }
        })+
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
}

kinds! {
    /// Truth values.
    Bool(bool) 1;
    /// 8-bit integers with a sign.
    I8(i8) 8;
    /// 16-bit integers with a sign.
    I16(i16) 16;
    /// 32-bit integers with a sign.
    I32(i32) 32;
    /// 64-bit integers with a sign; sizes and indices are of this kind.
    I64(i64) 64;
    /// 8-bit integers without a sign.
    U8(u8) 8;
    /// 16-bit integers without a sign.
    U16(u16) 16;
    /// 32-bit integers without a sign.
    U32(u32) 32;
    /// 64-bit integers without a sign.
    U64(u64) 64;
    /// Half precision.
    F16(f16) 16, bits in U16, rounded by Half;
    /// Single precision.
    F32(f32) 32, bits in U32, rounded by Single;
    /// Double precision.
    F64(f64) 64, bits in U64;
}

/// Calls the macro that is given with every kind of integer and its type in Rust, after what else is given.
macro_rules! for_integers {
    ($macro:ident!($($before:tt)*) $($after:tt)*) => {
        $macro! { $($before)* I8(i8) I16(i16) I32(i32) I64(i64) U8(u8) U16(u16) U32(u32) U64(u64) $($after)* }
    };
}
pub(crate) use for_integers;

/// The same, and after a semicolon with every kind of reals.
macro_rules! for_numbers {
    ($macro:ident!($($before:tt)*)) => {
        $crate::array::for_integers! { $macro!($($before)*) ; F16(f16) F32(f32) F64(f64) }
    };
}
pub(crate) use for_numbers;

impl Prim {
    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Prim> {
        Prim::ALL.into_iter().find(|prim| prim.name() == name)
    }

    /// Whether this is `f16`, `f32` or `f64`.
    #[must_use]
    pub fn is_real(self) -> bool {
        self.of_bits().is_some()
    }

    /// Whether this is a kind of integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        self != Prim::Bool && !self.is_real()
    }

    /// Whether this is a kind of integers with a sign.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64)
    }

    /// The least and the greatest integer of a kind of them.
    #[must_use]
    pub fn bounds(self) -> (i128, i128) {
        let values = 1_i128 << self.bits();
        if self.is_signed() { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
    }

    /// The zero of this kind: the neutral element of its addition, and the tangent of its constants.
    #[must_use]
    pub fn zero(self) -> Const {
        Const::wrapped(0, self)
    }

    /// The one of this kind: the neutral element of its multiplication.
    #[must_use]
    pub fn one(self) -> Const {
        Const::wrapped(1, self)
    }
}

/// A number as a constant of a kind, as Rust's `as` has it.
macro_rules! number_in {
    ($prim:ident, $x:ident, $zero:literal => $($Kind:ident($Number:ident))+) => {
        match $prim {
            Prim::Bool => Const::Bool($x != $zero),
            $(Prim::$Kind => Const::$Kind($x as $Number),)+
            // A double has all integers that are no infinite halves.
            Prim::F16 => Const::F16(f16::from_f64($x as f64)),
            Prim::F32 => Const::F32($x as f32),
            Prim::F64 => Const::F64($x as f64),
        }
    };
}

impl Const {
    /// An integer in a kind: wrapped into integers, the nearest real, "not 0".
    #[must_use]
    pub fn wrapped(n: i128, prim: Prim) -> Self {
        for_integers!(number_in!(prim, n, 0 =>))
    }

    /// A real in a kind, as Rust's `as` has it: the nearest real, or an integer by rounding towards 0, which saturates, and
    /// NaN is 0; or "not 0".
    #[must_use]
    pub fn rounded(x: f64, prim: Prim) -> Self {
        for_integers!(number_in!(prim, x, 0.0 =>))
    }
}

/// What constants of the kinds are made of.
macro_rules! parts {
    ($($Integer:ident($Int:ident))+; $($Real:ident($Float:ident))+) => {
        impl Const {
            /// The real that this is, if it is one.
            #[must_use]
            pub fn real(self) -> Option<f64> {
                match self {
                    $(Const::$Real(x) => Some(x.into()),)+
                    _ => None,
                }
            }

            /// The integer that this is, if it is one; truth values are 0 and 1.
            #[must_use]
            pub fn integer(self) -> Option<i128> {
                match self {
                    Const::Bool(b) => Some(b.into()),
                    $(Const::$Integer(n) => Some(n.into()),)+
                    $(Const::$Real(_) => None,)+
                }
            }

            /// The constant as bits, so that constants can be compared and hashed: NaN is itself, and −0 is not 0. Integers of
            /// fewer than 64 bits have zeros before them.
            #[must_use]
            pub fn bits(self) -> u64 {
                match self {
                    Const::Bool(b) => b.into(),
                    $(Const::$Integer(n) => n as u64 & (u64::MAX >> (64 - $Int::BITS)),)+
                    $(Const::$Real(x) => x.to_bits().into(),)+
                }
            }

            /// The constant of a kind that has these [bits](Self::bits).
            #[must_use]
            pub fn from_bits(bits: u64, prim: Prim) -> Self {
                match prim {
                    $(Prim::$Real => Const::$Real($Float::from_bits(bits as _)),)+
                    exact => Const::wrapped(bits.into(), exact),
                }
            }

            /// The finite number of a kind that is written so.
            pub(super) fn parse(digits: &str, prim: Prim) -> Option<Self> {
                let constant = match prim {
                    Prim::Bool => None,
                    $(Prim::$Integer => digits.parse().ok().map(Const::$Integer),)+
                    $(Prim::$Real => digits.parse().ok().map(Const::$Real),)+
                };
                // Past the largest number lies infinity, which no digits mean.
                constant.filter(|x| x.real().is_none_or(f64::is_finite))
            }

            /// Writes a finite number in the fewest digits that are read as it in its kind, a truth value by its name.
            pub(super) fn write_digits(self, to: &mut impl fmt::Write) -> fmt::Result {
                match self {
                    Const::Bool(b) => write!(to, "{b}"),
                    $(Const::$Integer(n) => write!(to, "{n}"),)+
                    $(Const::$Real(x) => write!(to, "{x:?}"),)+
                }
            }
        }
    };
}
for_numbers!(parts!());

/// Bitwise: constants are syntax.
impl PartialEq for Const {
    fn eq(&self, other: &Self) -> bool {
        self.prim() == other.prim() && self.bits() == other.bits()
    }
}

impl Eq for Const {}

impl core::hash::Hash for Const {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        (self.prim(), self.bits()).hash(state);
    }
}

/// The type of a value: its kind of scalar, its rank, and whether it is an accumulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// The kind of the elements.
    pub prim: Prim,
    /// The number of dimensions; 0 for a scalar.
    pub rank: usize,
    /// Whether the value can only be added to: an array on its way through a parallel region.
    pub accumulator: bool,
}

impl Type {
    /// A scalar.
    #[must_use]
    pub const fn scalar(prim: Prim) -> Self {
        Type { prim, rank: 0, accumulator: false }
    }

    /// An array.
    #[must_use]
    pub const fn array(prim: Prim, rank: usize) -> Self {
        Type { prim, rank, accumulator: false }
    }

    /// The type of the elements of the outermost dimension.
    ///
    /// # Panics
    /// If this is a scalar.
    #[must_use]
    pub fn element(self) -> Self {
        Type { rank: self.rank.checked_sub(1).expect("only arrays have elements"), ..self }
    }

    /// The type of an array of these.
    #[must_use]
    pub fn arrayed(self) -> Self {
        Type { rank: self.rank + 1, ..self }
    }

    /// The type in the text form, with its sizes in brackets.
    pub(crate) fn with_sizes(self, sizes: &str) -> String {
        format!("{}{sizes}{}", if self.accumulator { "acc " } else { "" }, self.prim)
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_sizes(&"[]".repeat(self.rank)))
    }
}
