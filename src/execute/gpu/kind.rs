//! Kinds of numbers in WGSL: the type that values have in a thread, the type that they are stored in, and constants.
//!
//! Law: a constant is read as the number that it is, bit by bit, also where WGSL has no literal for it: NaN, infinities and −0
//! (tests/gpu/kernels.rs).

use crate::array::{Const, Prim, ScalarOp};
use crate::kernel::code::Op;

/// A type of WGSL that values have in a thread. Integers of fewer than 32 bits are in those of 32, wrapped after each operation; half
/// precision is in single precision, rounded after each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Word {
    Bool,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    /// Of 32 bits in a thread and of 64 elsewhere, where the first and the last of 32 stand for those of 64.
    Narrow,
}

/// How many bits a kernel has for integers of 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Wide,
    /// 32, which hold them: that is proved before it starts.
    Narrow,
}

impl Width {
    /// The type for a kind.
    pub(super) fn word(self, prim: Prim) -> Word {
        if self == Width::Narrow && prim == Prim::I64 { Word::Narrow } else { Word::of(prim) }
    }

    /// The kind that a thread computes one in.
    pub(super) fn kind(self, prim: Prim) -> Prim {
        if self == Width::Narrow && prim == Prim::I64 { Prim::I32 } else { prim }
    }

    /// The operation on the kinds that a thread computes in.
    pub(super) fn operation(self, op: Op) -> Op {
        match op {
            Op::Scalar(ScalarOp::Convert(to)) => Op::Scalar(ScalarOp::Convert(self.kind(to))),
            op => op,
        }
    }

    /// A constant as a thread has it.
    pub(super) fn constant(self, constant: Const) -> Const {
        match constant {
            Const::I64(n) if self == Width::Narrow => Const::I32(n.clamp(i32::MIN.into(), i32::MAX.into()) as i32),
            constant => constant,
        }
    }
}

impl Word {
    /// The type for a kind.
    pub(super) fn of(prim: Prim) -> Self {
        match prim {
            Prim::Bool => Word::Bool,
            Prim::I8 | Prim::I16 | Prim::I32 => Word::I32,
            Prim::U8 | Prim::U16 | Prim::U32 => Word::U32,
            Prim::I64 => Word::I64,
            Prim::U64 => Word::U64,
            Prim::F16 | Prim::F32 => Word::F32,
            Prim::F64 => Word::F64,
        }
    }

    /// The name in WGSL.
    pub(super) fn name(self) -> &'static str {
        match self {
            Word::Bool => "bool",
            Word::I32 | Word::Narrow => "i32",
            Word::U32 => "u32",
            Word::I64 => "i64",
            Word::U64 => "u64",
            Word::F32 => "f32",
            Word::F64 => "f64",
        }
    }

    /// The type that buffers hold: truth values are not for them.
    pub(super) fn stored(self) -> Word {
        if self == Word::Bool { Word::U32 } else { self }
    }

    /// The name of the type in buffers.
    pub(super) fn stored_name(self) -> &'static str {
        if self == Word::Narrow { "vec2<i32>" } else { self.stored().name() }
    }

    /// How many bytes one takes in a buffer.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Word::Bool | Word::I32 | Word::U32 | Word::F32 => 4,
            Word::I64 | Word::U64 | Word::F64 | Word::Narrow => 8,
        }
    }

    /// How many words of 32 bits one is.
    pub(super) fn words(self) -> u32 {
        (self.bytes() / 4) as u32
    }

    /// What is 0.
    pub(super) fn zero(self) -> &'static str {
        match self {
            Word::Bool => "false",
            Word::I32 | Word::Narrow => "0i",
            Word::U32 => "0u",
            Word::I64 => "0li",
            Word::U64 => "0lu",
            Word::F32 => "0.0f",
            Word::F64 => "0.0lf",
        }
    }

    /// A value as it is stored.
    pub(super) fn as_stored(self, value: &str) -> String {
        match self {
            Word::Bool => format!("select(0u, 1u, {value})"),
            Word::Narrow => format!("widened({value})"),
            _ => value.to_owned(),
        }
    }

    /// The value that is stored so.
    pub(super) fn of_stored(self, stored: &str) -> String {
        match self {
            Word::Bool => format!("({stored} != 0u)"),
            Word::Narrow => format!("narrowed({stored})"),
            _ => stored.to_owned(),
        }
    }

    /// A value of this type from the word `k` and, if it has two, the one behind.
    pub(super) fn of_words(self, word: fn(usize) -> String, k: usize) -> String {
        let (low, high) = (word(k), word(k + 1));
        let both = || format!("(u64({low}) | (u64({high}) << 32u))");
        match self {
            Word::Bool => format!("({low} != 0u)"),
            Word::U32 => low,
            Word::I32 | Word::F32 => format!("bitcast<{}>({low})", self.name()),
            Word::U64 => both(),
            Word::Narrow => format!("narrowed(bitcast<vec2<i32>>(vec2<u32>({low}, {high})))"),
            Word::I64 | Word::F64 => format!("bitcast<{}>({})", self.name(), both()),
        }
    }

    /// The words that a value is made of.
    pub(super) fn as_words(self, value: &str) -> Vec<String> {
        let both = |bits: &str| vec![format!("u32({bits} & 0xfffffffflu)"), format!("u32({bits} >> 32u)")];
        match self {
            Word::Bool => vec![self.as_stored(value)],
            Word::U32 => vec![value.to_owned()],
            Word::I32 | Word::F32 => vec![format!("bitcast<u32>({value})")],
            Word::U64 => both(value),
            Word::Narrow => ["x", "y"].map(|part| format!("bitcast<u32>(widened({value}).{part})")).to_vec(),
            Word::I64 | Word::F64 => both(&format!("bitcast<u64>({value})")),
        }
    }
}

/// A constant in WGSL.
pub(super) fn constant(constant: Const) -> String {
    match (constant, constant.integer(), constant.real()) {
        (Const::Bool(b), ..) => b.to_string(),
        (_, Some(n), _) => integer(n, Word::of(constant.prim())),
        (_, None, Some(x)) => real(x, constant.prim()),
        (_, None, None) => unreachable!("a constant is an integer or a real"),
    }
}

fn integer(n: i128, word: Word) -> String {
    let suffix = match word {
        Word::I64 => "li",
        Word::U64 => "lu",
        Word::U32 => "u",
        Word::Bool | Word::I32 | Word::F32 | Word::F64 | Word::Narrow => "i",
    };
    match n {
        0.. => format!("{n}{suffix}"),
        // The least number is the negative of none.
        ..0 => format!("(-{}{suffix} - 1{suffix})", -(n + 1)),
    }
}

fn real(x: f64, prim: Prim) -> String {
    // Other numbers have no literal, or one that compilers round to 0.
    let has_literal = (x.is_normal() && (prim == Prim::F64 || (x as f32).is_normal())) || x.to_bits() == 0;
    match (Word::of(prim), has_literal) {
        (Word::F64, true) => format!("({x:?}lf)"),
        (_, true) => format!("({:?}f)", x as f32),
        (_, false) => of_bits(x, prim),
    }
}

/// A real from its bits, which compilers of shaders do not compute with: they refuse constants that come to infinity or NaN.
pub(super) fn of_bits(x: f64, prim: Prim) -> String {
    match Word::of(prim) {
        Word::F64 => format!("f64_of_bits({}lu)", x.to_bits()),
        _ => format!("f32_of_bits({}u)", (x as f32).to_bits()),
    }
}

/// What a kind has room for, of a value that an operation has made in its type of WGSL.
pub(super) fn wrapped(prim: Prim, value: String) -> String {
    let spare = 32_u32.saturating_sub(prim.bits());
    match prim {
        Prim::I8 | Prim::I16 => format!("(({value} << {spare}u) >> {spare}u)"),
        Prim::U8 | Prim::U16 => format!("({value} & {}u)", u32::MAX >> spare),
        Prim::F16 => format!("half_f32({value})"),
        Prim::Bool | Prim::I32 | Prim::I64 | Prim::U32 | Prim::U64 | Prim::F32 | Prim::F64 => value,
    }
}
