//! The meaning of programs of the core language: one evaluator, generic in a [`Meaning`] of its scalars and arrays.
//!
//! A program is written once, and a fold gives it a meaning. The fold is [`Evaluator`]: it knows variables, functions, records,
//! sums, patterns, instances with their sizes and types, and how values of these are split into *leaves*: scalars, and
//! regular arrays of scalars of one kind. An array of records is a record of arrays; an array of a sum is an array of tags
//! and arrays of every payload. A [`Meaning`] operates on leaves alone, so it knows neither records nor functions of the
//! language.
//!
//! | meaning | a leaf is | a function given to `map` is called |
//! |---|---|---|
//! | the [interpreter](super::interpreter) | a number, or an array in memory | for each element |
//! | elaboration into array programs | an operand of a program under construction | once, with new variables |
//!
//! Law: an evaluation asks for the same operations in the same order whatever the meaning, as far as the meaning
//! [decides](Scalars::decide) conditions; so two meanings of a program differ by what their leaves are, and by nothing else (tests/language/elaborate.rs).

mod apply;
mod entry;
mod equal;
mod eval;
mod frame;
mod intrinsic;
mod operations;
mod patterns;
mod scopes;
mod types;
mod value;

pub use entry::interface;
pub(in crate::futhark) use entry::{entry_named, fits};
pub use eval::{Evaluator, Prepared};
pub use operations::{Composed, Made, ROWS, Row, row};
pub use types::Leaf;
pub use value::{Kept, Value};

use super::core::Prim;
use super::source::{Message, Span};
pub use super::syntax::tree::RangeKind;
use crate::array::{Const, ScalarOp};

/// A value, or what went wrong and where.
pub type Outcome<T> = Result<T, Message>;

/// A function from leaves to leaves, as meanings see it. It may be called any number of times.
pub type Code<'c, D> = dyn FnMut(Vec<D>) -> Outcome<Vec<D>> + 'c;

/// An operator, and its neutral element.
pub type Operator<'o, 'c, D> = (&'o mut Code<'c, D>, Vec<D>);

/// Results, and derivatives.
pub type Both<D> = (Vec<D>, Vec<D>);

/// Calls a function that the evaluator keeps.
pub type Call<'c, D> = dyn Fn(Kept, Vec<D>) -> Outcome<Vec<D>> + 'c;

/// Part of an array in one of its dimensions.
#[derive(Debug, Clone)]
pub enum Section<D> {
    /// One index, an `i64`: the dimension disappears.
    At(D),
    /// `start:end:step`, each an `i64` if given, as the language defines it.
    Slice(Option<D>, Option<D>, Option<D>),
}

/// What the attributes of a loop say about reverse mode.
#[derive(Debug, Clone)]
pub struct Policy<D> {
    /// A nest of this many levels.
    pub strip_mine: Option<u32>,
    /// The most iterations of a loop that asks whether to go on, an `i64`.
    pub bound: Option<D>,
    /// Whether the states of the loop need not be kept.
    pub true_dependencies: bool,
}

/// The code of the mistake that a function calls itself too deeply, or, in array programs, an unknown number of times.
pub const UNKNOWN_CALLS: &str = "recursion";

/// That a run takes more `steps`, or holds more elements, than its limit.
pub(in crate::futhark) fn beyond(at: Span, what: &str, limit: u64) -> Message {
    if what == "steps" {
        let text = format!("the program takes more than the limit of {limit} steps");
        return Message::error("limit", at, text).hint("a loop may have no end");
    }
    Message::error("limit", at, format!("arrays have more elements than the limit of {limit}"))
}

/// What is combined: all elements of an array, or each prefix of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// All of them, by an operator of which the program says whether it is commutative.
    Whole {
        /// What the program says.
        commutative: bool,
    },
    /// Each prefix.
    Prefixes,
}

/// A mode of differentiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// From tangents of the arguments to those of the results.
    Forward,
    /// From adjoints of the results to those of the arguments.
    Reverse,
}

/// Which derivative of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Derivative {
    /// In which mode.
    pub mode: Mode,
    /// Whether there are several seeds at once: seeds and derivatives are arrays of them.
    pub many: bool,
}

/// A meaning of programs: what scalars and arrays are, and what the operations on them do.
///
/// Methods take `&self`: a meaning that builds something, or counts, keeps that in cells. Sizes and indices are scalars of
/// kind `i64`. Where a method has several arrays they are the leaves of one array of the program, so their outer sizes
/// agree. `at` is the place to name in errors.
pub trait Meaning: Control + Movement + Combinators + Derivatives {}

impl<M: Control + Movement + Combinators + Derivatives> Meaning for M {}

/// What a leaf is, and the operations on scalars.
pub trait Scalars {
    /// A scalar, or a regular array of scalars of one kind. It knows its kind and its shape. It is cheap to clone.
    type Data: Clone;

    /// Whether values are there, and not just under construction. Then a variable
    /// gives up its value at its last use, so that an array that nothing else holds can be changed in place.
    const CONCRETE: bool;

    /// How many calls of functions that call themselves may be within each other.
    const CALLS: u32;

    /// A constant.
    fn constant(&self, constant: Const) -> Self::Data;

    /// A scalar operation on operands of one kind.
    ///
    /// # Errors
    /// An integer divided by 0, or raised to a negative power.
    fn scalar(&self, at: Span, op: ScalarOp, operands: &[Self::Data]) -> Outcome<Self::Data>;

    /// Whether two leaves of one type, scalars or arrays, are equal: a `bool`. Arrays of different shapes are not.
    ///
    /// # Errors
    /// Those of the operations it is made of.
    fn equal(&self, at: Span, first: &Self::Data, second: &Self::Data) -> Outcome<Self::Data>;

    /// The truth value that a condition is, if it is known now. A concrete meaning always knows.
    fn decide(&self, condition: &Self::Data) -> Option<bool>;

    /// The number that a real is, if the text says it and so no other can come.
    fn written(&self, _real: &Self::Data) -> Option<f64> {
        None
    }
}

/// Which parts of a program are evaluated, how often, and where an evaluation ends.
pub trait Control: Scalars {
    /// One of two arms, by a condition that [`decide`](Scalars::decide) does not know. `arm(true)` and `arm(false)` may each be
    /// evaluated once, in any order; both answer leaves of the same kinds and ranks.
    ///
    /// # Errors
    /// Those of the arms.
    fn branch(
        &self,
        at: Span,
        condition: &Self::Data,
        arm: &mut dyn FnMut(bool) -> Outcome<Vec<Self::Data>>,
    ) -> Outcome<Vec<Self::Data>>;

    /// `loop variables = initial for i < bound do body(i, variables)`, where `i` is of this kind of integer.
    ///
    /// # Errors
    /// Those of the body.
    #[expect(clippy::type_complexity, reason = "the body is called here and nowhere else")]
    fn repeat(
        &self,
        at: Span,
        kind: Prim,
        bound: &Self::Data,
        initial: Vec<Self::Data>,
        policy: &Policy<Self::Data>,
        body: &mut dyn FnMut(Self::Data, Vec<Self::Data>) -> Outcome<Vec<Self::Data>>,
    ) -> Outcome<Vec<Self::Data>>;

    /// `loop variables = initial while condition(variables) do body(variables)`; the condition returns one `bool`.
    ///
    /// # Errors
    /// Those of condition and body.
    fn repeat_while(
        &self,
        at: Span,
        initial: Vec<Self::Data>,
        policy: &Policy<Self::Data>,
        condition: &mut Code<'_, Self::Data>,
        body: &mut Code<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// Goes on only if a condition is true; `code` and `text` say what it means that it is not.
    ///
    /// # Errors
    /// If the condition is known to be false, in code that surely runs.
    fn require(&self, at: Span, condition: &Self::Data, code: &'static str, text: &str) -> Outcome<()>;

    /// Goes on only if a size is the one that is wanted; `what` says whose size it is.
    ///
    /// # Errors
    /// If the sizes are known to differ; the message names both.
    fn same_size(&self, at: Span, wanted: &Self::Data, found: &Self::Data, what: &str) -> Outcome<()>;

    /// Evaluates a constant of the program, once. A meaning that constructs something does so where every scope sees it.
    ///
    /// # Errors
    /// Those of the constant.
    fn everywhere<T>(&self, constant: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        constant()
    }

    /// Called once for each application of a function of the program: here an evaluation can be stopped.
    ///
    /// # Errors
    /// If a limit is reached.
    fn step(&self, at: Span) -> Outcome<()>;
}

/// Arrays: how they are made, and operations that move elements.
pub trait Movement: Scalars {
    /// The size of an array in a dimension, counted from the outermost: an `i64`.
    fn size(&self, array: &Self::Data, dimension: usize) -> Self::Data;

    /// An array of these elements, each of the type that `element` describes. There may be none.
    ///
    /// # Errors
    /// If elements have different shapes.
    fn array(&self, at: Span, elements: Vec<Self::Data>, element: &Leaf<Self::Data>) -> Outcome<Self::Data>;

    /// An array of integers of this kind: `start`, `second` or its neighbour, … until `end`.
    ///
    /// # Errors
    /// If it would never end.
    fn range(
        &self,
        at: Span,
        kind: Prim,
        start: &Self::Data,
        second: Option<&Self::Data>,
        end: &Self::Data,
        how: RangeKind,
    ) -> Outcome<Self::Data>;

    /// Part of an array: sections of its leading dimensions.
    ///
    /// # Errors
    /// Out of bounds, with the index and the size.
    fn section(&self, at: Span, array: Self::Data, sections: &[Section<Self::Data>]) -> Outcome<Self::Data>;

    /// The array with a part of it replaced by a value of the shape of that part.
    ///
    /// # Errors
    /// Out of bounds, with the index and the size; if the value has another shape.
    fn update(
        &self,
        at: Span,
        array: Self::Data,
        sections: &[Section<Self::Data>],
        value: Self::Data,
    ) -> Outcome<Self::Data>;

    /// The integers of kind `i64` from 0 up to `count`, excluded.
    ///
    /// # Errors
    /// If `count` is negative.
    fn iota(&self, at: Span, count: &Self::Data) -> Outcome<Self::Data>;

    /// `count` copies of a scalar or an array, as an array.
    ///
    /// # Errors
    /// If `count` is negative.
    fn replicate(&self, at: Span, count: &Self::Data, value: Self::Data) -> Outcome<Self::Data>;

    /// One array after the other along the outer dimension.
    ///
    /// # Errors
    /// If their inner sizes differ.
    fn concat(&self, at: Span, first: Self::Data, second: Self::Data) -> Outcome<Self::Data>;

    /// The array with its outer dimension backwards.
    ///
    /// # Errors
    /// None of the user's.
    fn reverse(&self, at: Span, array: Self::Data) -> Outcome<Self::Data>;

    /// The array whose element `i` is element `(i + by) mod n` of the array given; `by` is any `i64`.
    ///
    /// # Errors
    /// None of the user's.
    fn rotate(&self, at: Span, by: &Self::Data, array: Self::Data) -> Outcome<Self::Data>;

    /// The array with its two outer dimensions exchanged.
    ///
    /// # Errors
    /// None of the user's.
    fn transpose(&self, at: Span, array: Self::Data) -> Outcome<Self::Data>;

    /// The array with these sizes in the place of its `leading` outer dimensions.
    ///
    /// # Errors
    /// If the products of the sizes differ; the message names both.
    fn reshape(&self, at: Span, array: Self::Data, leading: usize, sizes: &[Self::Data]) -> Outcome<Self::Data>;

    /// The elements for which a `bool` in `flags` is true.
    ///
    /// # Errors
    /// None of the user's.
    fn filter(&self, at: Span, flags: &Self::Data, arrays: Vec<Self::Data>) -> Outcome<Vec<Self::Data>>;
}

/// Functions applied to the elements of arrays.
pub trait Combinators: Scalars {
    /// The function of each element of the arrays, of which there is at least one. `results` says the types of its results.
    ///
    /// # Errors
    /// Those of the function; if its results differ in shape from element to element.
    fn map(
        &self,
        at: Span,
        arrays: Vec<Self::Data>,
        results: &[Leaf<Self::Data>],
        function: &mut Code<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// The elements combined by an associative operator, from the neutral element on: all of them, or all prefixes, each
    /// including its last element. The operator takes the leaves of its left operand and then those of its right one.
    ///
    /// # Errors
    /// Those of the operator; if the results of a scan change their shape.
    fn reduce(
        &self,
        at: Span,
        how: Reduction,
        operator: &mut Code<'_, Self::Data>,
        neutral: Vec<Self::Data>,
        arrays: Vec<Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// Values combined by the operator into the bins that their indices, `i64`, name, or written there if there is none; a value of
    /// a bin that does not exist is ignored. The operator comes with its neutral element.
    ///
    /// # Errors
    /// Those of the operator; if the values have another shape than the elements.
    fn combine(
        &self,
        at: Span,
        bins: Vec<Self::Data>,
        operator: Option<Operator<'_, '_, Self::Data>>,
        indices: &Self::Data,
        values: Vec<Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// The rows that a function, which has been called before, makes of the elements of the arrays, one after the other:
    /// `places` are how many elements there are in all, and the place of the first element of each row. `elements` says
    /// the types of the elements of a row.
    ///
    /// # Errors
    /// Those of the function; if rows are not of one shape but for their outer sizes.
    fn rows(
        &self,
        at: Span,
        places: [&Self::Data; 2],
        arrays: Vec<Self::Data>,
        elements: &[Leaf<Self::Data>],
        function: &mut Code<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// The destinations as accumulators, given to `function` with each element of `arrays` in turn (the leaves of the
    /// accumulator come first), and what they have become. Writes are combined by the operator, with this neutral element,
    /// or replace what was there if there is none.
    ///
    /// # Errors
    /// Those of the function.
    fn stream(
        &self,
        at: Span,
        destinations: Vec<Self::Data>,
        operator: Option<(Kept, Vec<Self::Data>)>,
        arrays: Vec<Self::Data>,
        function: &mut Code<'_, Self::Data>,
        call: &Call<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;

    /// The accumulators with a value written at an index, an `i64`; out of bounds, nothing is written.
    ///
    /// # Errors
    /// Those of the operator.
    fn write(
        &self,
        at: Span,
        accumulators: Vec<Self::Data>,
        index: &Self::Data,
        values: Vec<Self::Data>,
        call: &Call<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;
}

/// Derivatives of functions.
pub trait Derivatives: Scalars {
    /// The results of a function and, for seeds that are tangents of its arguments or adjoints of its results, the tangents of its
    /// results or the adjoints of its arguments.
    ///
    /// # Errors
    /// Those of the function.
    fn derivative(
        &self,
        at: Span,
        which: Derivative,
        function: &mut Code<'_, Self::Data>,
        arguments: Vec<Self::Data>,
        seeds: Vec<Self::Data>,
        call: &Call<'_, Self::Data>,
    ) -> Outcome<Both<Self::Data>>;

    /// The results of a function with a reverse derivative of its own: `adjoint` takes the results and then their adjoints, and
    /// returns those of the arguments. Forward mode ignores `adjoint`; free variables get no adjoints.
    ///
    /// # Errors
    /// Those of the functions.
    fn with_vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Self::Data>,
        adjoint: Kept,
        arguments: Vec<Self::Data>,
        call: &Call<'_, Self::Data>,
    ) -> Outcome<Vec<Self::Data>>;
}
