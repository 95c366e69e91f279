//! Scalars without derivatives: the eleven kinds, and what operations do to them.
//!
//! Law: a number is within its kind: integers wrap, single precision rounds after every operation. What has no value is said
//! with the operands.

use crate::array::{Const, IntegerRow, ScalarOp};
use crate::futhark::core::{Constant, Prim};
use crate::futhark::meaning::{Bits, Operation};

/// A scalar without derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plain {
    Bool(bool),
    /// An integer of this kind; one of kind `u64` by its bits.
    Integer(Prim, i64),
    F32(f32),
    F64(f64),
}

/// The invariant that a checked program keeps.
pub(super) const CHECKED: &str = "operands are of the kinds that the checker has found";

impl Plain {
    pub(super) fn constant(constant: Constant, kind: Prim) -> Self {
        match constant {
            Constant::Bool(b) => Plain::Bool(b),
            Constant::Integer(n) => Plain::wide(n, kind),
            Constant::Real(x) => Plain::real(x, kind),
        }
    }

    /// An integer wrapped into a kind; of a real kind, the nearest.
    fn wide(n: i128, kind: Prim) -> Self {
        match kind {
            Prim::I8 => Plain::Integer(kind, (n as i8).into()),
            Prim::I16 => Plain::Integer(kind, (n as i16).into()),
            Prim::I32 => Plain::Integer(kind, (n as i32).into()),
            Prim::I64 | Prim::U64 => Plain::Integer(kind, n as i64),
            Prim::U8 => Plain::Integer(kind, (n as u8).into()),
            Prim::U16 => Plain::Integer(kind, (n as u16).into()),
            Prim::U32 => Plain::Integer(kind, (n as u32).into()),
            Prim::F32 => Plain::F32(n as f32),
            Prim::F64 => Plain::F64(n as f64),
            Prim::Bool => Plain::Bool(n != 0),
        }
    }

    /// A small number of any kind.
    pub(super) fn number(n: i64, kind: Prim) -> Self {
        Plain::wide(n.into(), kind)
    }

    pub(super) fn real(x: f64, kind: Prim) -> Self {
        if kind == Prim::F32 { Plain::F32(x as f32) } else { Plain::F64(x) }
    }

    pub(super) fn kind(self) -> Prim {
        match self {
            Plain::Bool(_) => Prim::Bool,
            Plain::Integer(kind, _) => kind,
            Plain::F32(_) => Prim::F32,
            Plain::F64(_) => Prim::F64,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        match self {
            Plain::Bool(b) => !b,
            Plain::Integer(_, n) => n == 0,
            Plain::F32(x) => x == 0.0,
            Plain::F64(x) => x == 0.0,
        }
    }

    pub(super) fn truth(self) -> bool {
        let Plain::Bool(b) = self else { panic!("{CHECKED}") };
        b
    }

    /// An integer by its value.
    pub(super) fn integer(self) -> i128 {
        match self {
            Plain::Integer(Prim::U64, n) => (n as u64).into(),
            Plain::Integer(_, n) => n.into(),
            Plain::Bool(_) | Plain::F32(_) | Plain::F64(_) => panic!("{CHECKED}"),
        }
    }

    /// The same scalar in another kind.
    pub(super) fn convert(self, to: Prim) -> Self {
        // Towards 0; what is out of range saturates, and NaN becomes 0.
        let truncated = |x: f64| match to {
            Prim::I8 => i128::from(x as i8),
            Prim::I16 => i128::from(x as i16),
            Prim::I32 => i128::from(x as i32),
            Prim::U8 => i128::from(x as u8),
            Prim::U16 => i128::from(x as u16),
            Prim::U32 => i128::from(x as u32),
            Prim::U64 => i128::from(x as u64),
            Prim::I64 | Prim::F32 | Prim::F64 | Prim::Bool => i128::from(x as i64),
        };
        match self {
            Plain::Bool(b) => Plain::number(b.into(), to),
            Plain::Integer(from, n) if from.is_signed() && to.is_integer() && !to.is_signed() => {
                // The bits it has, and zeros before them.
                let bits = n as u64 & (u64::MAX >> (64 - from.bits()));
                Plain::wide(bits.into(), to)
            }
            Plain::Integer(..) => Plain::wide(self.integer(), to),
            Plain::F32(x) if to == Prim::F64 => Plain::F64(x.into()),
            Plain::F32(x) if to == Prim::F32 => Plain::F32(x),
            Plain::F64(x) if to.is_real() => Plain::real(x, to),
            Plain::F32(_) | Plain::F64(_) if to == Prim::Bool => Plain::Bool(!self.is_zero()),
            Plain::F32(x) => Plain::wide(truncated(x.into()), to),
            Plain::F64(x) => Plain::wide(truncated(x), to),
        }
    }
}

impl Plain {
    /// A derivative in another kind. That of an integer may be negative, whatever kind it is of: it wraps.
    pub(super) fn convert_derivative(self, to: Prim) -> Self {
        match self {
            Plain::Integer(..) if to.is_integer() => Plain::wide(self.integer(), to),
            Plain::F32(x) if to.is_integer() => Plain::wide((x as i64).into(), to),
            Plain::F64(x) if to.is_integer() => Plain::wide((x as i64).into(), to),
            Plain::Bool(_) | Plain::Integer(..) | Plain::F32(_) | Plain::F64(_) => self.convert(to),
        }
    }
}

/// What the evaluator has other words for.
pub(super) const AS_SUCH: &str = "conversions, and what takes bits, are asked for as such";

/// The value of an operation on operands of one kind; `None` if it has none.
pub(super) fn apply(operation: Operation, kind: Prim, x: &[Plain]) -> Option<Plain> {
    match operation {
        Operation::Scalar(op) => scalar(op, kind, x),
        Operation::Bits(bits) => Some(on_bits(bits, kind, x)),
    }
}

fn scalar(op: ScalarOp, kind: Prim, x: &[Plain]) -> Option<Plain> {
    Some(match op {
        ScalarOp::Add => match (x[0], x[1]) {
            (Plain::F64(a), Plain::F64(b)) => Plain::F64(a + b),
            (Plain::F32(a), Plain::F32(b)) => Plain::F32(a + b),
            (Plain::Bool(a), Plain::Bool(b)) => Plain::Bool(a | b),
            (a, b) => Plain::wide(a.integer() + b.integer(), kind),
        },
        ScalarOp::Mul => match (x[0], x[1]) {
            (Plain::F64(a), Plain::F64(b)) => Plain::F64(a * b),
            (Plain::F32(a), Plain::F32(b)) => Plain::F32(a * b),
            (Plain::Bool(a), Plain::Bool(b)) => Plain::Bool(a & b),
            (a, b) => Plain::wide(a.integer().wrapping_mul(b.integer()), kind),
        },
        ScalarOp::Scale if x[0].is_zero() => x[0],
        ScalarOp::Scale => return scalar(ScalarOp::Mul, kind, x),
        ScalarOp::Row(row) => match kind {
            Prim::F32 => {
                Plain::F32(on_few(x, |x| if let Plain::F32(x) = x { x } else { panic!("{CHECKED}") }, |x| row.apply(x)))
            }
            _ => {
                Plain::F64(on_few(x, |x| if let Plain::F64(x) = x { x } else { panic!("{CHECKED}") }, |x| row.apply(x)))
            }
        },
        ScalarOp::Integer(row) => return integer(row, kind, x),
        ScalarOp::Equal => Plain::Bool(x[0] == x[1]),
        ScalarOp::Less => Plain::Bool(less(x[0], x[1])),
        ScalarOp::LessOrEqual => Plain::Bool(less(x[0], x[1]) || x[0] == x[1]),
        ScalarOp::Not => Plain::Bool(!x[0].truth()),
        ScalarOp::Convert(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => panic!("{AS_SUCH}"),
    })
}

/// Operations have at most three operands.
fn on_few<F: Copy + Default>(x: &[Plain], real: impl Fn(Plain) -> F, apply: impl Fn(&[F]) -> F) -> F {
    let mut reals = [F::default(); 3];
    reals.iter_mut().zip(x).for_each(|(to, x)| *to = real(*x));
    apply(&reals[..x.len()])
}

fn less(a: Plain, b: Plain) -> bool {
    match (a, b) {
        (Plain::F64(a), Plain::F64(b)) => a < b,
        (Plain::F32(a), Plain::F32(b)) => a < b,
        (Plain::Bool(a), Plain::Bool(b)) => !a & b,
        (a, b) => a.integer() < b.integer(),
    }
}

fn integer(row: IntegerRow, kind: Prim, x: &[Plain]) -> Option<Plain> {
    let mut constants = [Const::Bool(false); 2];
    constants.iter_mut().zip(x).for_each(|(to, x)| *to = Const::wrapped(x.integer(), kind));
    let value = ScalarOp::Integer(row).value(&constants[..x.len()]);
    value.and_then(Const::integer).map(|n| Plain::wide(n, kind))
}

fn on_bits(bits: Bits, kind: Prim, x: &[Plain]) -> Plain {
    let width = kind.bits();
    let pattern = |x: Plain| (x.integer() as u64) & (u64::MAX >> (64 - width.min(64)));
    let count = |n: u32| Plain::number(n.into(), Prim::I32);
    match (bits, x[0]) {
        (Bits::To, Plain::F32(x)) => Plain::Integer(Prim::U32, x.to_bits().into()),
        (Bits::To, Plain::F64(x)) => Plain::Integer(Prim::U64, x.to_bits() as i64),
        (Bits::From, x) if kind.bits() == 32 => Plain::F32(f32::from_bits(pattern(x) as u32)),
        (Bits::From, x) => Plain::F64(f64::from_bits(pattern(x))),
        (Bits::Ones, x) => count(pattern(x).count_ones()),
        (Bits::LeadingZeros, x) => count(pattern(x).leading_zeros() - (64 - width)),
        (Bits::TrailingZeros, x) => count(pattern(x).trailing_zeros().min(width)),
        (Bits::MultiplyHigh, first) if kind.is_signed() => {
            Plain::wide((first.integer() * x[1].integer()) >> width, kind)
        }
        (Bits::MultiplyHigh, first) => {
            let product = u128::from(pattern(first)) * u128::from(pattern(x[1]));
            Plain::wide((product >> width) as i128, kind)
        }
        (Bits::To, Plain::Bool(_) | Plain::Integer(..)) => panic!("{CHECKED}"),
    }
}

/// An operation and its operands, for messages.
pub(super) fn shown(operation: Operation, x: &[Plain]) -> String {
    let name = match operation {
        Operation::Scalar(ScalarOp::Integer(row)) => row.name(),
        Operation::Scalar(_) | Operation::Bits(_) => "the operation",
    };
    let operands: Vec<String> = x.iter().map(|x| x.integer().to_string()).collect();
    format!("{name}({})", operands.join(", "))
}
