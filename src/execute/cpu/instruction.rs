//! Instructions: code with registers for values, and jumps for structure.
//!
//! Law: an instruction on varying registers does in every lane what its uniform form does once. Reals are doubles,
//! or singles if all are; integers and truth values are 64-bit integers: those of fewer bits by their value, a `u64` by its bits, a truth
//! value as 0 or 1 (tests/execute/lanes.rs).

#[cfg(feature = "jit")]
use super::jit::OneByOne;
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::interpret::Test;
use crate::kernel::code::Inside;
use crate::primitives::Primitive;

/// A register of one of the banks: of reals or of integers, which the instruction knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reg {
    /// One value.
    Uniform(u32),
    /// A value for each lane.
    Varying(u32),
}

/// What is computed on reals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RealOp {
    Copy,
    Add,
    Mul,
    Scale,
    /// `x y + z`, `x y − z` and `z − x y`.
    MulAdd,
    MulSub,
    MulSubtracted,
    Row(Primitive),
}

/// What is computed on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IntOp {
    Copy,
    Add,
    Mul,
    And,
    Or,
    Not,
    Row(IntegerRow),
    Test(Test),
    /// The number in another kind.
    Convert(Prim),
}

/// Which element: number `base + index · stride`, all three in uniform registers of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) buffer: u32,
    pub(super) base: u32,
    pub(super) index: u32,
    pub(super) stride: u32,
    pub(super) across: Across,
    pub(super) inside: Inside,
}

/// How lanes differ in the element they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Across {
    /// Not at all.
    Same,
    /// Each has its own buffer.
    Own,
    /// Each has its own buffer; a varying register holds the offset in it.
    OwnAt(u32),
    /// A uniform register holds the distance between neighbouring lanes, counted from the first lane of the loop.
    Apart(u32),
    /// A varying register holds the offset of each.
    At(u32),
    /// Both.
    ApartAt(u32, u32),
}

/// An operand of a kernel: a register, or reals that lie side by side, by the number of their address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Src {
    Reg(Reg),
    Row(u32),
}

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fused {
    Copy,
    Add,
    Mul,
    Scale,
    Sub,
    MulAdd,
    MulSub,
    MulSubtracted,
}

/// Where the result of a kernel goes: into a varying register, to an address, or to be added there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    Block(u32),
    Row(u32),
    Added(u32),
}

/// An operation that loads its operands, stores its result, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel {
    pub(super) op: Fused,
    pub(super) to: To,
    pub(super) x: [Src; 3],
}

/// What a loop sums up: `x y`, or `(x − y)²`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Summed {
    Products,
    Squares,
}

/// A loop of `count` iterations that sums up in a varying register; each iteration moves both addresses by a stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inner {
    pub(super) what: Summed,
    pub(super) cell: u32,
    pub(super) count: u32,
    pub(super) x: [u32; 2],
    /// Of which addresses each lane has a row, that the loop goes along.
    pub(super) rows: [bool; 2],
}

/// A loop of `count` iterations that multiplies a value of each lane again and again, in a varying register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) count: u32,
    pub(super) power: u32,
    pub(super) by: Reg,
    /// Elements, and the register where the products of these and the values are summed up.
    pub(super) sum: Option<(u32, u32)>,
    /// Where the values are kept, for each lane in memory of its own.
    pub(super) to: Option<u32>,
}

/// A loop of `count` iterations that multiplies by rows of elements, and adds the products of all lanes to one element
/// each time; each iteration moves both addresses by a stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outer {
    pub(super) count: u32,
    pub(super) x: Reg,
    pub(super) rows: u32,
    pub(super) to: u32,
}

/// A loop of `count` iterations that copies consecutive elements of each lane's row into the lane's own buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Transpose {
    pub(super) count: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// A loop of `count` iterations that moves elements, which lie side by side from lane to lane, into a row of each lane, or
/// adds them there if the mask is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IntoRows {
    pub(super) count: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) adds: bool,
    pub(super) mask: Option<Reg>,
}

/// A product of matrices. The strides of the matrix are its `index`, from row to row, and its `stride`, from column to column;
/// those of what the lanes have for each row and for each column are their `stride`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) matrix: Address,
    pub(super) lines: [Address; 2],
    /// Whether the products are summed up over the lanes and added to the matrix.
    pub(super) adds: bool,
}

/// A sum of products, each added or taken away in its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) to: u32,
    pub(super) start: Reg,
    pub(super) products: Vec<[Reg; 2]>,
    /// By bits, which products are taken away.
    pub(super) minus: u8,
}

/// Values that go side by side into a row of each lane, from an address on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) at: Address,
    pub(super) columns: Vec<Reg>,
}

/// An instruction. A mask is a register of truth values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Instruction {
    Jump(u32),
    /// Jumps back, to the next iteration.
    Again(u32),
    /// Jumps unless the truth value is true in some lane.
    Unless(Reg, u32),
    /// Jumps unless the index is less than the count.
    UnlessLess {
        index: u32,
        count: u32,
        to: u32,
    },
    /// Adds 1 to the index, and jumps if it is less than the count.
    Next {
        index: u32,
        count: u32,
        to: u32,
    },
    Zero(u32),
    Lanes(u32),
    /// The function of the instructions that follow, by its number, in their place if there is one by now.
    #[cfg(feature = "jit")]
    Native(u32),
    /// Operations on single values, by their numbers; then goes on after them.
    Straight {
        from: u32,
        to: u32,
        after: u32,
    },

    Real {
        op: RealOp,
        to: Reg,
        x: [Reg; 3],
    },
    Int {
        op: IntOp,
        /// The kind that it wraps into and is compared as.
        kind: Prim,
        to: Reg,
        x: [Reg; 2],
    },
    Test {
        test: Test,
        to: Reg,
        x: [Reg; 2],
    },
    /// The lesser of two integers where the first of two reals is equal to the second; else the first.
    LeastWhere {
        to: Reg,
        x: [Reg; 2],
        of: [Reg; 2],
    },
    SelectReal {
        to: Reg,
        condition: Reg,
        x: [Reg; 2],
    },
    SelectInt {
        to: Reg,
        condition: Reg,
        x: [Reg; 2],
    },
    /// Towards 0.
    Truncate {
        into: Prim,
        to: Reg,
        x: Reg,
    },
    IntoReal {
        from: Prim,
        single: bool,
        to: Reg,
        x: Reg,
    },
    /// The bits of a real, and the real that has these bits.
    ToBits {
        kind: Prim,
        to: Reg,
        x: Reg,
    },
    FromBits {
        kind: Prim,
        to: Reg,
        x: Reg,
    },

    SetReal {
        cell: Reg,
        x: Reg,
        mask: Option<Reg>,
    },
    SetInt {
        cell: Reg,
        x: Reg,
        mask: Option<Reg>,
    },

    LoadReal {
        to: Reg,
        from: Address,
    },
    LoadInt {
        to: Reg,
        from: Address,
    },
    StoreReal {
        at: Address,
        x: Reg,
        mask: Option<Reg>,
    },
    StoreInt {
        at: Address,
        x: Reg,
        mask: Option<Reg>,
    },
    AddReal {
        /// What each sum is rounded to.
        rounded: Option<Prim>,
        at: Address,
        x: Reg,
        mask: Option<Reg>,
    },
    AddInt {
        at: Address,
        x: Reg,
        prim: Prim,
        mask: Option<Reg>,
    },

    Kernel(Kernel),
    Inner(Inner),
    Series(Series),
    Outer(Outer),
    Transpose(Transpose),
    IntoRows(IntoRows),
    /// By its number.
    Product(u32),
    /// A sum of products, by its number.
    Chain(u32),
    /// Values into rows, by their number.
    Rows(u32),
    /// Scans, and histograms and scatters, by their numbers.
    Scan(u32),
    Hist(u32),
    /// A user's rule, by the number of its application.
    Rule(u32),
    /// A callback, by the number of its call.
    Call(u32),

    Alloc {
        buffer: u32,
        count: u32,
        real: bool,
        own: bool,
    },
    Swap {
        a: u32,
        b: u32,
        real: bool,
    },
    Check {
        condition: Reg,
        mask: Option<Reg>,
    },
    Bounds {
        index: Reg,
        length: Reg,
        mask: Option<Reg>,
    },
    End,
}

/// A varying register that is folded into, the uniform register that it starts from, and the buffer for what is found:
/// what is in all lanes, or what an operation makes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fold {
    pub(super) cell: u32,
    pub(super) start: u32,
    pub(super) found: u32,
    pub(super) op: Option<ScalarOp>,
    /// The kind that it is computed in.
    pub(super) kind: Prim,
}

/// A loop over lanes: where its instructions begin, and what they leave.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LanesLoop {
    /// The register of the number of the lane, if it is wanted.
    pub(super) index: Option<u32>,
    pub(super) count: u32,
    pub(super) body: u32,
    pub(super) real_folds: Vec<Fold>,
    pub(super) int_folds: Vec<Fold>,
    pub(super) folded: Option<u32>,
    /// The buffers that lanes write to: the range of elements that belongs to each lane, by its start and its length.
    pub(super) writes: Vec<(bool, u32, u32, u32)>,
    pub(super) adds: Vec<(bool, u32)>,
    pub(super) scatters: bool,
    /// How many varying registers it needs, and how many groups of lanes there are in a block at most.
    pub(super) reals: usize,
    pub(super) ints: usize,
    pub(super) groups: usize,
    /// Whether there is no loop inside: then lanes that fill no group are a block of their own.
    pub(super) straight: bool,
    /// About how many instructions a block takes: a number, and the counts of the loops around those instructions.
    pub(super) work: Vec<(i64, Vec<u32>)>,
    /// The function for its lanes, one after the other.
    #[cfg(feature = "jit")]
    pub(super) one_by_one: Option<OneByOne>,
}
