//! Programs: the typed core in A-normal form.
//!
//! Law: what is written here is all there is. A transformation is a function from programs to programs, an executor a
//! function from programs and values to values; both match on [`Op`] without a wildcard, so that a new operation is a
//! list of compiler errors.

use smallvec::SmallVec;

use super::agree::Agree;
use super::scalar::ScalarOp;
use super::types::{Const, Type};
use crate::error::Span;

/// A variable, numbered within its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// An operand: a variable or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The value of a variable.
    Var(Var),
    /// A constant.
    Const(Const),
}

/// A whole program: a function from arrays and scalars to arrays and scalars.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The type of every variable, by number.
    pub types: Vec<Type>,
    /// The names of the parameters, for error messages and the text form.
    pub names: Vec<String>,
    /// What it computes.
    pub function: Lambda,
}

/// A function: parameters and a body, which may mention the variables around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    /// The parameters.
    pub params: Vec<Var>,
    /// The body.
    pub body: Body,
}

/// Statements, and the operands that are the results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body {
    /// The statements, in order.
    pub stms: Vec<Stm>,
    /// The results.
    pub results: Vec<Atom>,
}

/// The variables that a statement binds; the few that most bind lie within the statement.
pub type Vars = SmallVec<[Var; 4]>;

/// The operands of a scalar operation, which lie within the operation if they are one or two.
pub type Operands = SmallVec<[Atom; 2]>;

/// A statement: the results of an operation, bound to new variables.
#[derive(Debug, Clone)]
pub struct Stm {
    /// The variables bound.
    pub vars: Vars,
    /// The operation.
    pub op: Op,
    /// Where the statement comes from, for messages. It is no part of what the statement means: statements that differ in it
    /// alone are equal.
    pub span: Span,
}

impl Stm {
    /// A statement of which it is not known where it comes from.
    #[must_use]
    pub fn new(vars: impl IntoIterator<Item = Var>, op: Op) -> Self {
        Stm { vars: vars.into_iter().collect(), op, span: Span::UNKNOWN }
    }
}

impl PartialEq for Stm {
    fn eq(&self, other: &Self) -> bool {
        self.vars == other.vars && self.op == other.op
    }
}

/// An operation. All but `If`, `Loop`, `Map`, `Reduce`, `Scan`, `Hist`, `Custom` and `Agree` have one result.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// A scalar operation.
    Scalar(ScalarOp, Operands),
    /// The operand itself.
    Copy(Atom),

    /// The integers `0, 1, …, n − 1`, of kind `i64`.
    Iota(Atom),
    /// An array of `n` copies of a value.
    Replicate(Atom, Atom),
    /// An array of these elements, at least one, all of one type.
    Elements(Vec<Atom>),
    /// The size of an array in a dimension, counted from the outermost.
    Size(Atom, usize),

    /// The element or subarray at an index into the leading dimensions. Out of bounds is an error.
    Index(Atom, Vec<Atom>),
    /// Ranges of the leading dimensions. Out of bounds is an error.
    Slice(Atom, Vec<Range>),
    /// The array with the element or subarray at an index replaced. Out of bounds is an error.
    Update(Atom, Vec<Atom>, Atom),
    /// The array with its dimensions in another order: dimension `k` of the result is dimension `order[k]`.
    Permute(Atom, Vec<usize>),
    /// The elements, in order, in an array of these sizes.
    Reshape(Atom, Vec<Atom>),
    /// Arrays one after the other along the outermost dimension.
    Concat(Vec<Atom>),
    /// The array with its outermost dimension backwards.
    Reverse(Atom),

    /// One of two bodies.
    If(Atom, Box<Body>, Box<Body>),
    /// Iteration.
    Loop(Box<Loop>),
    /// The same function of each element.
    Map(Box<Map>),
    /// The elements combined by an associative operator.
    Reduce(Box<Reduce>),
    /// All prefixes combined by an associative operator, each including its last element.
    Scan(Box<Reduce>),
    /// Values combined into the bins their indices name.
    Hist(Box<Hist>),
    /// Values written where their indices say.
    Scatter(Box<Scatter>),

    /// An array as an accumulator.
    ToAccumulator(Atom),
    /// The accumulator with a value, a scalar or a subarray, added at an index. Out of bounds, nothing is added.
    Accumulate(Atom, Vec<Atom>, Atom),
    /// The array that an accumulator has become.
    FromAccumulator(Atom),

    /// A function with derivatives of its own.
    Custom(Box<Custom>),
    /// Two sizes that must be equal. It has no result, and is never left out unless they are equal for sure.
    Agree(Box<Agree>),
}

/// `count` indices from `start`, `step` apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The first index.
    pub start: Atom,
    /// How many.
    pub count: Atom,
    /// The distance between neighbours; negative to go backwards.
    pub step: Atom,
}

/// Iteration: a body is applied to the loop's variables until the form says stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The loop variables, each with its value before the first iteration.
    pub params: Vec<(Var, Atom)>,
    /// How long.
    pub form: Form,
    /// The values of the variables after an iteration.
    pub body: Body,
    /// What reverse mode keeps of the iterations.
    pub policy: Policy,
}

/// How long a loop runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// For each `i` from 0 to the bound, which is excluded.
    For(Var, Atom),
    /// As long as the body, of one truth value, says so. It is asked before each iteration.
    While {
        /// The question, over the loop variables.
        condition: Body,
        /// A number of iterations that is never passed, if one is known.
        bound: Option<Atom>,
    },
}

/// What reverse mode keeps of the iterations of a loop, to go through them backwards. All give the same derivatives.
///
/// A loop of `n` iterations executes its body, the return sweep among it, so often, and keeps so many states: the values
/// of those of its variables that iterations need and change.
///
/// | policy | executions | states |
/// |---|---|---|
/// | `KeepAll` | `2n` | `n` |
/// | `StripMine(k)` | `(k + 1)·n` | at most `k·⌈ᵏ√n⌉ + k` |
/// | `Binomial(c)` | `(r + 1)·n − C(c + r, r − 1) + 1` for the least `r` with `C(c + r, c) ≥ n` | `c`, each with its number |
/// | `Anew` | `n + n·(n + 1)/2` | none |
///
/// So `Binomial(10)` executes each of 10⁴ iterations less than 7 times on average. A loop that asks whether to go on is run
/// once before, to count. `KeepAll` does not count: with a bound it has room for as many states as the bound says; without one
/// for `p` states, the [places](Policy::places) that the size of a state leaves. Beyond these the first `n − p` iterations are
/// executed again, so that `max(n, p)` states are kept, and executions are `2n + max(n − p, 0)`.
///
/// Where each iteration changes an array in place, by updates of elements or rows, `KeepAll` keeps what they overwrite and
/// where, instead of the whole array. States of arrays that change their sizes are kept one after the other. How much that will
/// be is counted first where it is not known, by another execution of as much of the body as it depends on. The few states
/// of `Binomial(c)`, for `c` above 1, have one size: the derivative of a loop with arrays that change theirs is an error of
/// the run.
///
/// A loop inside another is executed once more for each loop around it, as the return sweep enters their iterations: in a
/// nest of `d` loops the innermost body runs `d + 1` times as often as in the function, and the states of one run of each
/// loop are kept at a time.
/// [`Program::with_policy`] sets a policy for all loops, and [`Program::checkpointed`] chooses from a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Every iteration's variables.
    #[default]
    KeepAll,
    /// A nest of this many levels, each keeping a root of the iterations ("Reverse AD for a Functional Array Language with Nested Parallelism",
    /// *Tape by Redundant Execution & Checkpointing*).
    StripMine(u32),
    /// Binomial checkpointing with room for this many states.
    Binomial(u32),
    /// None: every state is computed again from the first, where there is no room for any.
    Anew,
}

impl Policy {
    /// The most elements and the most states that are kept of a loop before it is known how many there are.
    pub(crate) const RING_ELEMENTS: u64 = 1 << 12;
    pub(crate) const RING_STATES: u64 = 1 << 9;

    /// The states that [`KeepAll`](Policy::KeepAll) has room for in a loop that asks whether to go on and has no bound, if a
    /// state is so many elements: as many as 4096 elements hold, at least one and at most 512.
    ///
    /// ```
    /// use catadiff::array::Policy;
    /// assert_eq!([0, 2, 100, 5000].map(Policy::places), [512, 512, 40, 1]);
    /// ```
    #[must_use]
    pub fn places(elements: u64) -> u64 {
        (Policy::RING_ELEMENTS / elements.max(1)).clamp(1, Policy::RING_STATES)
    }
}

/// The same function of each element of arrays of one length.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// From an element of each array, and the accumulators, to results that become arrays, and the accumulators.
    pub function: Lambda,
    /// The arrays, at least one.
    pub arrays: Vec<Atom>,
    /// Accumulators that all elements add to; they are the last parameters and the last results.
    pub accumulators: Vec<Atom>,
}

/// A reduction or a scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduce {
    /// The operator: `k` left operands, `k` right operands, `k` results.
    pub operator: Lambda,
    /// The `k` neutral elements.
    pub neutral: Vec<Atom>,
    /// The `k` arrays.
    pub arrays: Vec<Atom>,
    /// Whether the operator is said to commute.
    pub commutative: bool,
}

/// A generalised histogram, or reduction by index.
#[derive(Debug, Clone, PartialEq)]
pub struct Hist {
    /// The operator, associative and commutative: `k` left operands, `k` right operands, `k` results.
    pub operator: Lambda,
    /// The `k` neutral elements.
    pub neutral: Vec<Atom>,
    /// The `k` arrays of bins, with what is in them at first.
    pub destinations: Vec<Atom>,
    /// The bin of each value; a value of a bin that does not exist is ignored.
    pub indices: Atom,
    /// The `k` arrays of values.
    pub values: Vec<Atom>,
}

/// Parallel writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The array written to.
    pub destination: Atom,
    /// Where each value goes; a value with an index out of bounds is ignored. Equal indices must come with equal
    /// values; the last is kept.
    pub indices: Atom,
    /// The values.
    pub values: Atom,
}

/// A function with derivatives of its own, which every mode honours.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// The function.
    pub function: Lambda,
    /// From arguments and the adjoints of results to the adjoints of arguments.
    pub pullback: Lambda,
    /// The arguments.
    pub arguments: Vec<Atom>,
}

impl From<Var> for Atom {
    fn from(var: Var) -> Self {
        Atom::Var(var)
    }
}

impl From<Const> for Atom {
    fn from(constant: Const) -> Self {
        Atom::Const(constant)
    }
}

impl Program {
    /// The type of a variable.
    #[must_use]
    pub fn type_of(&self, var: Var) -> Type {
        self.types[var.0 as usize]
    }

    /// The type of an operand.
    #[must_use]
    pub fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.type_of(var),
            Atom::Const(constant) => Type::scalar(constant.prim()),
        }
    }

    /// A new variable of this type.
    pub fn fresh(&mut self, of: Type) -> Var {
        self.types.push(of);
        Var(u32::try_from(self.types.len() - 1).expect("a program has fewer than 2^32 variables"))
    }
}

impl Op {
    /// Calls `visit` on every operand of the operation itself, not on those inside its bodies.
    pub fn atoms(&self, mut visit: impl FnMut(Atom)) {
        match self {
            Op::Scalar(_, atoms) => atoms.iter().copied().for_each(visit),
            Op::Elements(atoms) | Op::Concat(atoms) => atoms.iter().copied().for_each(visit),
            Op::Copy(a) | Op::Iota(a) | Op::Size(a, _) | Op::Permute(a, _) | Op::Reverse(a) => visit(*a),
            Op::ToAccumulator(a) | Op::FromAccumulator(a) => visit(*a),
            Op::Replicate(n, a) => [*n, *a].into_iter().for_each(visit),
            Op::Index(a, indices) | Op::Reshape(a, indices) => {
                visit(*a);
                indices.iter().copied().for_each(visit);
            }
            Op::Slice(a, ranges) => {
                visit(*a);
                ranges.iter().flat_map(|r| [r.start, r.count, r.step]).for_each(visit);
            }
            Op::Update(a, indices, value) | Op::Accumulate(a, indices, value) => {
                visit(*a);
                indices.iter().copied().for_each(&mut visit);
                visit(*value);
            }
            Op::If(condition, ..) => visit(*condition),
            Op::Loop(it) => {
                it.params.iter().for_each(|(_, initial)| visit(*initial));
                match &it.form {
                    Form::For(_, bound) => visit(*bound),
                    Form::While { bound, .. } => bound.iter().copied().for_each(visit),
                }
            }
            Op::Map(map) => map.arrays.iter().chain(&map.accumulators).copied().for_each(visit),
            Op::Reduce(it) | Op::Scan(it) => it.neutral.iter().chain(&it.arrays).copied().for_each(visit),
            Op::Hist(it) => {
                let operands = it.neutral.iter().chain(&it.destinations).chain([&it.indices]).chain(&it.values);
                operands.copied().for_each(visit);
            }
            Op::Scatter(it) => [it.destination, it.indices, it.values].into_iter().for_each(visit),
            Op::Custom(it) => it.arguments.iter().copied().for_each(visit),
            Op::Agree(it) => it.extents().for_each(|extent| visit(extent.atom())),
        }
    }
}
