//! Code: what a program is lowered to, for executors to run and printers to print.
//!
//! Code is structured: statements on scalars and flat buffers, loops, branches. One loop is special: [`Stm::Lanes`] may
//! run its iterations side by side. Inside it every value is *uniform*, the same in all lanes, or *varying*.
//!
//! Law: there is nothing of a machine here; multiply-adds and products of matrices, which a target's passes find, are no
//! exception, since every target has `fma` and can call a product or loop. Operations are those of the program, and
//! total: what the program could get wrong is checked by [`Stm::Check`] and [`Stm::Bounds`] before, and a check that
//! fails ends the run. A load outside of its buffer gives 0, so that loads may move to where they run less often
//! (tests/execute/lanes.rs).

use core::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::Known;
use super::operator::Operator;
use super::parts::each;
use crate::array::{Const, Foreign, IntegerRow, Prim, ScalarOp, Var};
use crate::error::Span;
use crate::term::ErasedRule;

/// The most elements an array in memory may have.
pub(crate) const LARGEST: i64 = 1 << 31;

/// A scalar: bound once by a statement, or a *cell*, which [`Stm::Assign`] sets again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Value(pub(crate) u32);

/// A flat array of scalars of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Buffer(pub(crate) u32);

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Value(Value),
    Const(Const),
}

/// A value's kind, and whether lanes differ in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueInfo {
    pub(crate) prim: Prim,
    pub(crate) varying: bool,
}

/// A buffer's kind, and whether each lane has its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BufferInfo {
    pub(crate) prim: Prim,
    pub(crate) private: bool,
}

/// An element of a buffer: number `base + step.0 · step.1 + lane · number of the lane + varying`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) buffer: Buffer,
    /// Uniform.
    pub(crate) base: Operand,
    /// Uniform: an index and its stride.
    pub(crate) step: Option<(Operand, Operand)>,
    /// Uniform: the distance between neighbouring lanes.
    pub(crate) lane: Option<Operand>,
    /// What else differs between lanes.
    pub(crate) varying: Option<Operand>,
    pub(crate) inside: Inside,
}

/// Whether it was shown that an element is in its buffer whenever it is read or written, in lanes that do the program's work. Only the
/// last pass over code shows it, of the statement that the place is in; the element is the same, whether that is known or not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Inside(pub(crate) bool);

impl PartialEq for Inside {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Inside {}

impl Hash for Inside {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// What computes a value from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// An operation of the program.
    Scalar(ScalarOp),
    /// The second operand where the first is true, else the third.
    Select,
    /// The lesser of the first two where the third is equal to the fourth, both reals; else the first.
    LeastWhere,
    /// `x y + z`, rounded once.
    MulAdd,
    /// `x y − z`, rounded once.
    MulSub,
    /// `z − x y`, rounded once.
    MulSubtracted,
    /// A user's rule, by its number among those of the code: a real of the kind of the operands.
    Rule(u32),
    /// What a value of a loop over lanes is in the lane that is this number before. It is computed by loads and operations, so that it
    /// has a value in lanes before the first as well.
    #[cfg_attr(
        not(feature = "native"),
        allow(dead_code, reason = "machines that compute it have no instruction for it")
    )]
    Earlier(u8),
}

/// The statement of the program that a loop is for, by the first variable that it binds.
pub(crate) type Origin = Option<Var>;

/// What has gone wrong where a check does not hold: in which statement of the program, as text, and with which operands.
#[derive(Debug, Clone)]
pub(crate) struct Blame {
    pub(crate) statement: String,
    pub(crate) span: Span,
    pub(crate) broken: Broken,
    pub(crate) operands: Vec<Operand>,
}

/// What a check is of, and what its operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Two sizes are equal.
    Sizes(&'static str),
    /// A size is not negative.
    Size,
    /// An index is less than a length, and not negative.
    Bounds,
    /// These integers have a value under this operation.
    Value(IntegerRow),
    /// A loop has no more iterations than a bound.
    Bound,
    /// What the code can do, and the program may ask for more.
    Able(&'static str),
}

/// Statements in order.
pub(crate) type Block = Vec<Stm>;

/// A statement. Where there is a mask, nothing is done in the lanes in which it is false.
#[derive(Debug, Clone)]
pub(crate) enum Stm {
    /// The value of an operation.
    Let(Value, Op, Vec<Operand>),
    /// The element at a place, or 0.
    Load(Value, Place),
    /// Sets the element at a place.
    Store { place: Place, value: Operand, mask: Option<Operand> },
    /// Combines the element at a place with a value, by an operation that commutes; lanes in order, should they meet. Machines whose
    /// target asks for sums alone have no other.
    Update { op: ScalarOp, place: Place, value: Operand, mask: Option<Operand> },
    /// Gives a buffer its size; the elements are unspecified.
    Alloc(Buffer, Operand),
    /// Exchanges two buffers.
    Swap(Buffer, Buffer),
    /// Sets cells, all at once. A cell may be set by what computes its value as well.
    Assign { cells: Vec<(Value, Operand)>, mask: Option<Operand> },
    /// Ends the run if the operand is false.
    Check { condition: Operand, mask: Option<Operand>, blame: Option<Box<Blame>> },
    /// Ends the run unless `0 ≤ index < length`.
    Bounds { index: Operand, length: Operand, mask: Option<Operand>, blame: Option<Box<Blame>> },
    /// For each `index` from 0 to the count, in order.
    For { index: Value, count: Operand, body: Block, origin: Origin },
    /// While the condition, computed by the first block, is true in any lane.
    While { before: Block, condition: Operand, body: Block, origin: Origin },
    /// The first block if the condition is true in any lane, else the second.
    If { condition: Operand, yes: Block, no: Block },
    /// For each `index` from 0 to the count, in any order and many at a time.
    Lanes(Box<Lanes>),
    /// A product of matrices, in a loop over lanes.
    Product(Box<Product>),
    /// A scan, in no loop over lanes.
    Scan(Box<Scan>),
    /// A histogram or a scatter, in no loop over lanes.
    Hist(Box<Hist>),
    /// A callback, in no loop over lanes.
    Call(Box<Call>),
}

/// A cell that lanes fold into.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    pub(crate) cell: Value,
    /// The value it starts from in each lane.
    pub(crate) start: Operand,
    /// For what lanes have found.
    pub(crate) found: Buffer,
    /// What combines the values of two lanes, if it is one operation: then some may be left, else that of each lane is.
    pub(crate) op: Option<ScalarOp>,
}

/// A loop whose iterations may run side by side.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    /// Varying.
    pub(crate) index: Value,
    pub(crate) count: Operand,
    pub(crate) body: Block,
    /// The buffers that iterations write to, each its own part: a first element and a length, of which the part of
    /// iteration `index` begins `index` lengths after the first element.
    pub(crate) writes: Vec<(Buffer, Operand, Operand)>,
    /// The buffers whose elements any iteration may update, at any place.
    pub(crate) adds: Vec<Buffer>,
    /// The buffers that any iteration may write to, at any place: the last iteration's value stays.
    pub(crate) scatters: Vec<Buffer>,
    pub(crate) folds: Vec<Fold>,
    /// How many values the lanes leave in each of these buffers.
    pub(crate) folded: Option<Value>,
    pub(crate) origin: Origin,
}

/// A matrix of reals in a buffer that all lanes share: element `(i, j)` is number `base + i·strides[0] + j·strides[1]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix {
    pub(crate) buffer: Buffer,
    /// Uniform, as are the strides.
    pub(crate) base: Operand,
    pub(crate) strides: [Operand; 2],
}

/// Elements in a line, or reals of the lanes side by side: the first ones, and how far the next ones are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) place: Place,
    /// Uniform.
    pub(crate) stride: Operand,
}

/// A product of matrices, of which the lanes' reals are columns or rows.
#[derive(Debug, Clone)]
pub(crate) struct Product {
    /// How many rows and columns the matrix has.
    pub(crate) sizes: [Operand; 2],
    pub(crate) matrix: Matrix,
    /// What the lanes have for each row of the matrix, and for each column.
    pub(crate) rows: Line,
    pub(crate) columns: Line,
    /// Whether `matrix += Σ rows · columnsᵀ`, summed over the lanes; else `rows = matrix · columns`.
    pub(crate) adds: bool,
    pub(crate) origin: Origin,
}

/// A scan of `count` elements, from a start on, in blocks that depend on their number alone. Its operator is associative.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) operator: Operator,
    pub(crate) count: Operand,
    /// For each component of the operator.
    pub(crate) start: Vec<Operand>,
    pub(crate) from: Vec<Line>,
    /// For each component, unless nothing reads it. It is in none of the buffers that are read.
    pub(crate) to: Vec<Option<Line>>,
    pub(crate) origin: Origin,
}

/// Combines each of `count` values with the bin at its index, if there is one; in their order, or those of blocks first that
/// depend on the number of values and of bins alone.
#[derive(Debug, Clone)]
pub(crate) struct Hist {
    pub(crate) operator: Operator,
    pub(crate) count: Operand,
    pub(crate) bins: Operand,
    /// Leaves what it is combined with as it is.
    pub(crate) neutral: Operand,
    pub(crate) indices: Line,
    pub(crate) values: Line,
    /// In none of the buffers that are read.
    pub(crate) to: Line,
    pub(crate) origin: Origin,
}

/// A function of Rust is called with copies of values, and leaves others, all of which are where they were said to be.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) it: Foreign,
    pub(crate) arguments: Vec<Output>,
    pub(crate) results: Vec<Room>,
    /// Where it fails.
    pub(crate) blame: Option<Box<Blame>>,
}

/// Where a value is put that comes from elsewhere: a scalar, or the elements of an array, in order.
#[derive(Debug, Clone)]
pub(crate) enum Room {
    Scalar(Value),
    Array { buffer: Buffer, sizes: Vec<Operand> },
}

/// A lowered program.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    pub(crate) values: Vec<ValueInfo>,
    pub(crate) buffers: Vec<BufferInfo>,
    pub(crate) inputs: Vec<Port>,
    /// How many inputs are arguments; the others are the same in every run.
    pub(crate) given: usize,
    /// What is known of the others.
    pub(crate) constants: Vec<Known>,
    /// Sums of reals, in any order, and the cells that these are summed up in.
    pub(crate) sums: FxHashMap<Value, Value>,
    /// The rules of users that it applies.
    pub(crate) rules: Vec<ErasedRule>,
    /// The precision that reals are computed in: single if all are of single precision.
    pub(crate) precision: Prim,
    pub(crate) body: Block,
    pub(crate) outputs: Vec<Output>,
}

/// Where an argument is put.
#[derive(Debug, Clone)]
pub(crate) enum Port {
    Scalar(Value),
    /// The elements in order, and a value for each size.
    Array {
        buffer: Buffer,
        sizes: Vec<Value>,
    },
}

/// Where a result is found.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    Scalar(Operand),
    /// The elements in order.
    Array {
        buffer: Buffer,
        sizes: Vec<Operand>,
        prim: Prim,
    },
}

impl Operand {
    /// An index or a size.
    pub(crate) fn int(n: i64) -> Self {
        Operand::Const(Const::I64(n))
    }

    /// The value that it is, if it is no constant.
    pub(crate) fn value(self) -> Option<Value> {
        if let Operand::Value(value) = self { Some(value) } else { None }
    }

    pub(crate) fn as_int(self) -> Option<i64> {
        match self {
            Operand::Const(Const::I64(n)) => Some(n),
            Operand::Const(_) | Operand::Value(_) => None,
        }
    }
}

impl Place {
    /// Everything that says where it is.
    pub(crate) fn operands(&self) -> Vec<Operand> {
        let step = self.step.into_iter().flat_map(|(index, stride)| [index, stride]);
        core::iter::once(self.base).chain(step).chain(self.lane).chain(self.varying).collect()
    }

    /// Whether lanes have elements at one distance from each other, and not side by side.
    pub(crate) fn is_strided(&self) -> bool {
        self.varying.is_none() && self.lane.is_some_and(|by| by != Operand::int(1))
    }

    pub(super) fn operands_mut(&mut self) -> Vec<&mut Operand> {
        let step = self.step.iter_mut().flat_map(|(index, stride)| [index, stride]);
        core::iter::once(&mut self.base).chain(step).chain(&mut self.lane).chain(&mut self.varying).collect()
    }
}

impl Code {
    /// The kind of an operand.
    pub(crate) fn prim(&self, operand: Operand) -> Prim {
        match operand {
            Operand::Value(value) => self.values[value.0 as usize].prim,
            Operand::Const(constant) => constant.prim(),
        }
    }

    /// The kind and the rank of an argument.
    #[cfg(feature = "native")]
    pub(crate) fn input_type(&self, port: &Port) -> (Prim, usize) {
        match port {
            Port::Scalar(value) => (self.values[value.0 as usize].prim, 0),
            Port::Array { buffer, sizes } => (self.buffers[buffer.0 as usize].prim, sizes.len()),
        }
    }

    /// The kind and the rank of a result.
    #[cfg(feature = "native")]
    pub(crate) fn output_type(&self, output: &Output) -> (Prim, usize) {
        match output {
            Output::Scalar(operand) => (self.prim(*operand), 0),
            Output::Array { sizes, prim, .. } => (*prim, sizes.len()),
        }
    }

    /// The values that the arguments have or say: scalars, and sizes.
    #[cfg(feature = "native")]
    pub(crate) fn given_values(&self) -> impl Iterator<Item = Value> {
        self.inputs.iter().flat_map(|port| match port {
            Port::Scalar(value) => core::slice::from_ref(value).iter().copied(),
            Port::Array { sizes, .. } => sizes.iter().copied(),
        })
    }

    /// The buffers that are read or written by whoever runs the code.
    pub(crate) fn ports(&self) -> impl Iterator<Item = Buffer> {
        let input = |port: &Port| if let Port::Array { buffer, .. } = port { Some(*buffer) } else { None };
        let output = |port: &Output| if let Output::Array { buffer, .. } = port { Some(*buffer) } else { None };
        self.inputs.iter().filter_map(input).chain(self.outputs.iter().filter_map(output))
    }
}

/// The precision that reals are computed in: half is rounded to, as single is among others.
pub(super) fn precision(values: &[ValueInfo], buffers: &[BufferInfo], body: &Block) -> Prim {
    let mut has_others = false;
    let is_other = |prim: Prim| prim.is_real() && prim != Prim::F32;
    let is_other_constant = |x: Operand| matches!(x, Operand::Const(constant) if is_other(constant.prim()));
    each(body, &mut |stm| has_others |= stm.operands().into_iter().any(is_other_constant));
    let mut prims = values.iter().map(|info| info.prim).chain(buffers.iter().map(|info| info.prim));
    let has_singles = prims.clone().any(|prim| prim == Prim::F32);
    if has_singles && !prims.any(is_other) && !has_others { Prim::F32 } else { Prim::F64 }
}

/// Takes the statements at these places out of a block.
pub(crate) fn leave_out(block: &mut Block, mut gone: Vec<usize>) {
    gone.sort_unstable();
    gone.dedup();
    let (mut gone, mut at) = (gone.into_iter().peekable(), 0..);
    block.retain(|_| gone.next_if_eq(&at.next().expect("places have numbers")).is_none());
}

impl Output {
    pub(crate) fn operands(&self) -> Vec<Operand> {
        match self {
            Output::Scalar(operand) => vec![*operand],
            Output::Array { sizes, .. } => sizes.clone(),
        }
    }
}
