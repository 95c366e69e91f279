//! The types of array programs: five kinds of scalar, and regular arrays of them.
//!
//! Law: a value has one type; an array is rectangular, and its sizes belong to the value, not to the type.

use core::fmt;

/// The kinds of scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prim {
    /// Truth values.
    Bool,
    /// 32-bit integers, wrapping.
    I32,
    /// 64-bit integers, wrapping; sizes and indices are of this kind.
    I64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Prim {
    /// Every kind.
    pub const ALL: [Prim; 5] = [Prim::Bool, Prim::I32, Prim::I64, Prim::F32, Prim::F64];

    /// The name in the text form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Prim::Bool => "bool",
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::F32 => "f32",
            Prim::F64 => "f64",
        }
    }

    /// Whether this is `f32` or `f64`.
    #[must_use]
    pub fn is_real(self) -> bool {
        matches!(self, Prim::F32 | Prim::F64)
    }

    /// Whether this is `i32` or `i64`.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Prim::I32 | Prim::I64)
    }

    /// The zero of this kind: the neutral element of its addition, and the tangent of its constants.
    #[must_use]
    pub fn zero(self) -> Const {
        match self {
            Prim::Bool => Const::Bool(false),
            Prim::I32 => Const::I32(0),
            Prim::I64 => Const::I64(0),
            Prim::F32 => Const::F32(0.0),
            Prim::F64 => Const::F64(0.0),
        }
    }

    /// The one of this kind: the neutral element of its multiplication.
    #[must_use]
    pub fn one(self) -> Const {
        match self {
            Prim::Bool => Const::Bool(true),
            Prim::I32 => Const::I32(1),
            Prim::I64 => Const::I64(1),
            Prim::F32 => Const::F32(1.0),
            Prim::F64 => Const::F64(1.0),
        }
    }
}

/// A constant scalar.
#[derive(Debug, Clone, Copy)]
pub enum Const {
    /// A truth value.
    Bool(bool),
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// A single-precision number.
    F32(f32),
    /// A double-precision number.
    F64(f64),
}

impl Const {
    /// The kind of the constant.
    #[must_use]
    pub fn prim(self) -> Prim {
        match self {
            Const::Bool(_) => Prim::Bool,
            Const::I32(_) => Prim::I32,
            Const::I64(_) => Prim::I64,
            Const::F32(_) => Prim::F32,
            Const::F64(_) => Prim::F64,
        }
    }

    /// The constant as bits, so that constants can be compared and hashed: NaN is itself, and −0 is not 0.
    #[must_use]
    pub fn bits(self) -> u64 {
        match self {
            Const::Bool(b) => u64::from(b),
            Const::I32(n) => n as u32 as u64,
            Const::I64(n) => n as u64,
            Const::F32(x) => u64::from(x.to_bits()),
            Const::F64(x) => x.to_bits(),
        }
    }
}

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
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.accumulator {
            f.write_str("acc ")?;
        }
        write!(f, "{}{}", "[]".repeat(self.rank), self.prim)
    }
}
