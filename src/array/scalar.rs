//! The scalar operations of array programs: the table of primitives on reals, and a table of rows on integers.
//!
//! Law: an operation has one result type for its operand types, the same value in every executor, and wraps where
//! integers overflow. Derivatives of real operations are those of the table of primitives; integers are
//! differentiated by the same ring rules, with wrapping arithmetic, as Futhark does.

use super::types::Prim;
use crate::primitives::Primitive;

/// A scalar operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// The same number in another kind: reals round to the nearest or, into integers, towards 0 and saturate; NaN
    /// becomes 0; truth values become 0 and 1; numbers become "not 0".
    Convert(Prim),
    /// The bits of a real of this kind, as an `i64`; those of an `f32` are its lower 32. Tangents become bits as well, and
    /// adjoints reals.
    ToBits(Prim),
    /// The real of this kind that has the bits of an `i64`. Tangents become reals as well, and adjoints bits.
    FromBits(Prim),
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

macro_rules! integers {
    ($($(#[doc = $doc:expr])+ $Row:ident $text:literal ($x:ident $(, $y:ident)?) = $value:expr;)+) => {
        /// An operation on integers. Arithmetic wraps; what has no value is `None` and an error of the program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

            /// The value on 64-bit integers.
            #[must_use]
            pub fn value_i64(self, operands: &[i64]) -> Option<i64> {
                match self {
                    $(IntegerRow::$Row => { let [$x $(, $y)?] = *operands else { return None }; $value })+
                }
            }

            /// The value on integers of any kind of up to 64 bits, before it is wrapped into the kind.
            #[must_use]
            pub fn value_wide(self, operands: &[i128]) -> Option<i128> {
                match self {
                    $(IntegerRow::$Row => { let [$x $(, $y)?] = *operands else { return None }; $value })+
                }
            }

            /// The value on 32-bit integers.
            #[must_use]
            pub fn value_i32(self, operands: &[i32]) -> Option<i32> {
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
    Sub "sub" (x, y) = Some(x.wrapping_sub(y));
    /// The quotient rounded towards −∞; none by 0.
    Div "div" (x, y) = x.checked_rem(y).map_or_else(
        || (y != 0).then(|| x.wrapping_neg()),
        |r| Some(x.wrapping_div(y) - if r != 0 && (r < 0) != (y < 0) { 1 } else { 0 }),
    );
    /// The remainder of `div`, with the sign of the divisor; none by 0.
    Mod "mod" (x, y) = if y == 0 { None } else {
        let r = x.wrapping_rem(y);
        Some(if r != 0 && (r < 0) != (y < 0) { r.wrapping_add(y) } else { r })
    };
    /// The quotient rounded towards 0; none by 0.
    Quot "quot" (x, y) = (y != 0).then(|| x.wrapping_div(y));
    /// The remainder of `quot`, with the sign of the dividend; none by 0.
    Rem "rem" (x, y) = (y != 0).then(|| x.wrapping_rem(y));
    /// The smaller.
    Min "min" (x, y) = Some(x.min(y));
    /// The larger.
    Max "max" (x, y) = Some(x.max(y));
    /// The absolute value.
    Abs "abs" (x) = Some(x.wrapping_abs());
    /// The sign: −1, 0 or 1.
    Signum "signum" (x) = Some(x.signum());
    /// The power; none for negative exponents.
    Pow "pow" (x, y) = u64::try_from(y).ok().map(|y| match u32::try_from(y) {
        Ok(y) => x.wrapping_pow(y),
        Err(_) => x.wrapping_pow(1 << 31).wrapping_pow(2).wrapping_pow((y >> 32) as u32).wrapping_mul(x.wrapping_pow(y as u32)),
    });
    /// Bitwise "and".
    And "and" (x, y) = Some(x & y);
    /// Bitwise "or".
    Or "or" (x, y) = Some(x | y);
    /// Bitwise "exclusive or".
    Xor "xor" (x, y) = Some(x ^ y);
    /// The bits the other way.
    Complement "complement" (x) = Some(!x);
    /// The bits moved up; by as many as there are or more, 0.
    Shl "shl" (x, y) = Some(u32::try_from(y).ok().and_then(|y| x.checked_shl(y)).unwrap_or(0));
    /// The bits moved down, filled with the sign; by as many as there are or more, the sign.
    Shr "shr" (x, y) = Some(u32::try_from(y).ok().and_then(|y| x.checked_shr(y)).unwrap_or(if x < 0 { -1 } else { 0 }));
}

impl ScalarOp {
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
            ScalarOp::ToBits(of) => (of.is_real() && *first == of).then_some(Prim::I64),
            ScalarOp::FromBits(to) => (to.is_real() && *first == Prim::I64).then_some(to),
        }
    }
}
