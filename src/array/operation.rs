//! The operations of array programs, each declared once: what it is made of, what class it is in, and how it is written.
//!
//! Law: everything that walks over operations follows from these rows: visits and rebuilding, numbering, the text form
//! and LaTeX, the frame of the verifier, and what passes ask of an operation as such; the meaning of an operation is
//! not here: its type is in `typing.rs`, its value in `interpret/`, its derivatives in `transform/`, its code in
//! `kernel/` (laws: arrays::text, tests/laws/programs.rs).
//!
//! A row reads: `Name(part: Type as Role, …) Class { notation }`. Parts are visited in the order in which they stand; operands
//! have a [`Role`]. A notation is what the text form prints and parses: strings as they are, parts in their own notation, and
//! in braces what is omitted where its one list is empty.

use smallvec::SmallVec;

use super::agree::{Agreement, Extent};
use super::foreign::ForeignFunction;
use super::iteration::{Form, Policy};
use super::part::{Part, Rebuild, Walk, WalkMut};
use super::program::{Atom, Body, Lambda, Var};
use super::scalar::ScalarOp;

/// The operands of a scalar operation, which lie within the operation if they are one or two.
pub type Operands = SmallVec<[Atom; 2]>;

/// The rows, as tokens for another macro: the types below, and the text form.
macro_rules! every_operation {
    ($consumer:ident) => {
        $consumer! {
            /// A scalar operation.
            Scalar(op: ScalarOp, operands: Operands as Value) Scalar { op "(" operands ")" }
            /// The operand itself.
            Copy(value: Atom as Value) View { "copy(" value ")" }

            /// The integers `0, 1, …, n − 1`, of kind `i64`.
            Iota(length: Atom as Size) Generator { "iota(" length ")" }
            /// An array of `n` copies of a value.
            Replicate(count: Atom as Size, value: Atom as Value) Generator { "replicate(" count ", " value ")" }
            /// An array of these elements, at least one, all of one type.
            Elements(elements: Vec<Atom> as Value) Generator { "[" elements "]" }
            /// The size of an array in a dimension, counted from the outermost.
            Size(array: Atom as Shape, dimension: usize) Scalar { "size[" dimension "](" array ")" }

            /// The element or subarray at an index into the leading dimensions. Out of bounds is an error.
            Index(array: Atom as Value, indices: Vec<Atom> as Index) View { array "[" indices "]" }
            /// Ranges of the leading dimensions. Out of bounds is an error.
            Slice(array: Atom as Value, ranges: Vec<Range> as Index) View { "slice " array "[" ranges "]" }
            /// The array with the element or subarray at an index replaced. Out of bounds is an error.
            Update(array: Atom as Destination, indices: Vec<Atom> as Index, value: Atom as Value) Write {
                array " with [" indices "] = " value
            }
            /// The array with its dimensions in another order: dimension `k` of the result is dimension `order[k]`.
            Permute(array: Atom as Value, order: Vec<usize>) View { "permute[" order "](" array ")" }
            /// The elements, in order, in an array of these sizes.
            Reshape(array: Atom as Value, sizes: Vec<Atom> as Size) View { "reshape(" array ", " sizes ")" }
            /// Arrays one after the other along the outermost dimension.
            Concat(arrays: Vec<Atom> as Value) Write { "concat(" arrays ")" }
            /// The array with its outermost dimension backwards.
            Reverse(array: Atom as Value) View { "reverse(" array ")" }

            /// One of two bodies.
            If(condition: Atom as Condition, yes: Box<Body>, no: Box<Body>) Control {
                "if " condition " " yes " else " no
            }
            /// Iteration.
            Loop(it: Box<Loop>) Control { "loop " it }
            /// The same function of each element.
            Map(it: Box<Map>) Parallel { "map " it }
            /// The elements combined by an associative operator.
            Reduce(it: Box<Reduce>) Parallel { "reduce " it }
            /// All prefixes combined by an associative operator, each including its last element.
            Scan(it: Box<Reduce>) Parallel { "scan " it }
            /// Values combined into the bins their indices name.
            Hist(it: Box<Hist>) Parallel { "hist " it }
            /// Values written where their indices say.
            Scatter(it: Box<Scatter>) Parallel { "scatter(" it ")" }

            /// An array as an accumulator.
            ToAccumulator(array: Atom as Destination) Accumulator { "accumulator(" array ")" }
            /// The accumulator with a value, a scalar or a subarray, added at an index. Out of bounds, nothing is added.
            Accumulate(accumulator: Atom as Destination, indices: Vec<Atom> as Index, value: Atom as Value) Accumulator {
                accumulator " with [" indices "] += " value
            }
            /// The array that an accumulator has become.
            FromAccumulator(accumulator: Atom as Destination) Accumulator { "array(" accumulator ")" }

            /// A function with derivatives of its own.
            Custom(it: Box<Custom>) Control { "custom " it }
            /// A function of Rust.
            Foreign(it: Box<Foreign>) Foreign { "foreign " it }
            /// Two sizes that must be equal. It has no result, and is removed only if they are known to be equal.
            Agree(it: Box<Agree>) Check { "agree " it }
        }
    };
}
pub(super) use every_operation;

/// The parts of operations that have names of their own, as tokens for another macro.
macro_rules! every_group {
    ($consumer:ident) => {
        $consumer! {
            /// `count` indices from `start`, with the distance `step`.
            #[derive(Debug, Clone, Copy, PartialEq)]
            Range {
                /// The first index.
                start: Atom as Index,
                /// How many.
                count: Atom as Index,
                /// The distance between neighbours; negative to go backwards.
                step: Atom as Index,
            } { start " : " count " : " step }

            /// Iteration: a body is applied to the loop's variables until the form says stop.
            #[derive(Debug, Clone, PartialEq)]
            Loop {
                /// What reverse mode keeps of the iterations.
                policy: Policy,
                /// The loop variables, each with its value before the first iteration.
                params: Vec<(Var, Atom)> as Destination,
                /// How long.
                form: Form,
                /// The values of the variables after an iteration.
                body: Body,
            } { by hand }

            /// The same function of each element of arrays of one length.
            #[derive(Debug, Clone, PartialEq)]
            Map {
                /// The arrays, at least one.
                arrays: Vec<Atom> as Value,
                /// Accumulators that all elements add to; they are the last parameters and the last results.
                accumulators: Vec<Atom> as Destination,
                /// From an element of each array, and the accumulators, to results that become arrays, and the accumulators.
                function: Lambda,
            } { "(" arrays ") " { "adding (" accumulators ") " } function }

            /// A reduction or a scan.
            #[derive(Debug, Clone, PartialEq)]
            Reduce {
                /// Whether the operator is said to commute.
                commutative: bool,
                /// The `k` neutral elements.
                neutral: Vec<Atom> as Value,
                /// The `k` arrays.
                arrays: Vec<Atom> as Value,
                /// The operator: `k` left operands, `k` right operands, `k` results.
                operator: Lambda,
            } { commutative "(" arrays ") from (" neutral ") " operator }

            /// A generalised histogram, or reduction by index.
            #[derive(Debug, Clone, PartialEq)]
            Hist {
                /// The `k` neutral elements.
                neutral: Vec<Atom> as Value,
                /// The `k` arrays of bins, with what is in them at first.
                destinations: Vec<Atom> as Destination,
                /// The bin of each value; a value of a bin that does not exist is ignored.
                indices: Atom as Index,
                /// The `k` arrays of values.
                values: Vec<Atom> as Value,
                /// The operator, associative and commutative: `k` left operands, `k` right operands, `k` results.
                operator: Lambda,
            } { "(" destinations ") at " indices " (" values ") from (" neutral ") " operator }

            /// Parallel writes.
            #[derive(Debug, Clone, PartialEq)]
            Scatter {
                /// The array written to.
                destination: Atom as Destination,
                /// Where each value goes; a value with an index out of bounds is ignored. Equal indices must come with equal
                /// values; the last is kept.
                indices: Atom as Index,
                /// The values.
                values: Atom as Value,
            } { destination ", " indices ", " values }

            /// A function with derivatives of its own, which every mode honours.
            #[derive(Debug, Clone, PartialEq)]
            Custom {
                /// The arguments.
                arguments: Vec<Atom> as Value,
                /// The function.
                function: Lambda,
                /// From arguments, results and the adjoints of results to the adjoints of arguments.
                pullback: Lambda,
            } { "(" arguments ") " function " pullback " pullback }

            /// A function of Rust, whose value no program says. It is pure: how often it is called, and whether at all, is not said.
            #[derive(Debug, Clone, PartialEq)]
            Foreign {
                /// The function.
                function: ForeignFunction,
                /// The arguments.
                arguments: Vec<Atom> as Value,
                /// For each result a value of its type and sizes.
                like: Vec<Atom> as Shape,
            } { function "(" arguments ") like (" like ")" }

            /// Two sizes that must be equal, without a result. Each is a product, so that numbers of elements can be compared.
            #[derive(Debug, Clone, PartialEq)]
            Agree {
                /// What they are sizes of.
                what: Agreement,
                /// The factors of the one.
                first: Vec<Extent> as Shape,
                /// The factors of the other.
                second: Vec<Extent> as Shape,
                /// How often they are compared, as a product: if one of these is not positive, they are not.
                times: Vec<Extent> as Shape,
            } { what " (" first ") = (" second ")" { " times (" times ")" } }
        }
    };
}
pub(super) use every_group;

/// What an operand is to its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// What is in it goes into the results.
    Value,
    /// It becomes a result, changed, and may be changed in place.
    Destination,
    /// It says where elements are.
    Index,
    /// A number that says how large a result is.
    Size,
    /// Of an array, only its sizes are read; of a number, it is compared with sizes.
    Shape,
    /// It says which body runs, or for how long.
    Condition,
}

/// What kind of thing an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It makes a scalar.
    Scalar,
    /// It says what the elements of an array are, one by one.
    Generator,
    /// Its result consists of elements of its operand, which are elsewhere.
    View,
    /// It writes elements that are there into an array.
    Write,
    /// It makes, changes or ends an accumulator.
    Accumulator,
    /// It does something for many elements, in any order.
    Parallel,
    /// Bodies of it run, in order.
    Control,
    /// A function of Rust runs.
    Foreign,
    /// It has no result, but may be an error.
    Check,
}

/// The role that is declared; parts that are no operands have none, and any will do.
macro_rules! role {
    () => {
        Role::Value
    };
    ($role:ident) => {
        Role::$role
    };
}

macro_rules! declare_operations {
    ($($(#[$meta:meta])* $Name:ident($($part:ident: $Part:ty $(as $role:ident)?),+) $class:ident {$($notation:tt)+})+) => {
        /// An operation. All but `If`, `Loop`, `Map`, `Reduce`, `Scan`, `Hist`, `Custom`, `Foreign` and `Agree` have one result.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Op {
            $($(#[$meta])* $Name($($Part),+),)+
        }

        /// The name of an operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Opcode {
            $($Name,)+
        }

        impl Op {
            /// Which operation this is.
            pub(crate) fn opcode(&self) -> Opcode {
                match self { $(Op::$Name(..) => Opcode::$Name,)+ }
            }

            /// What kind of thing the operation does.
            pub(crate) fn class(&self) -> Class {
                match self { $(Op::$Name(..) => Class::$class,)+ }
            }
        }

        impl Part for Op {
            fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
                match self { $(Op::$Name($($part),+) => { $($part.walk(role!($($role)?), walk);)+ })+ }
            }

            fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
                match self { $(Op::$Name($($part),+) => { $($part.walk_mut(walk);)+ })+ }
            }

            fn rebuild(&self, with: &mut impl Rebuild) -> Self {
                match self { $(Op::$Name($($part),+) => Op::$Name($($part.rebuild(with)),+),)+ }
            }
        }
    };
}
every_operation!(declare_operations);

macro_rules! declare_groups {
    ($(
        $(#[$meta:meta])* $Name:ident { $($(#[$doc:meta])* $part:ident: $Part:ty $(as $role:ident)?,)+ } {$($notation:tt)+}
    )+) => {$(
        $(#[$meta])*
        pub struct $Name {
            $($(#[$doc])* pub $part: $Part,)+
        }

        impl Part for $Name {
            fn walk<'o>(&'o self, _: Role, walk: &mut impl Walk<'o>) {
                $(self.$part.walk(role!($($role)?), walk);)+
            }

            fn walk_mut<'o>(&'o mut self, walk: &mut impl WalkMut<'o>) {
                $(self.$part.walk_mut(walk);)+
            }

            fn rebuild(&self, with: &mut impl Rebuild) -> Self {
                $(let $part = self.$part.rebuild(with);)+
                $Name { $($part),+ }
            }
        }
    )+};
}
every_group!(declare_groups);

impl Custom {
    /// Which parameters of the pullback are the adjoints of results.
    pub(crate) fn adjoints(&self) -> core::ops::Range<usize> {
        let results = self.function.body.results.len();
        self.arguments.len() + results..self.arguments.len() + 2 * results
    }
}
