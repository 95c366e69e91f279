//! Limits on a run, what it took of them, and what can go wrong in a statement before it is known which one.
//!
//! Law: a run takes at most the steps it is allowed, and its variables hold at most the elements; what would pass a
//! limit is an error before it is done. What a run took are the least limits with which it succeeds. Every element that
//! is written to memory counts as moved once, and every array that is made, as allocated (tests/execute/limits.rs,
//! tests/array/interpret.rs).

use core::cell::Cell;

use super::control::Control;
use super::value::{Array, Origin, Scalar};
use crate::array::{Agreement, Var};
use crate::error::{Error, Span};

/// How much a run may take.
///
/// A step is a statement, or an iteration of a loop or combinator. Elements are counted for each variable that holds an
/// array, and for each array that is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of steps; by default as many as there are numbers, so a loop without end has none.
    pub steps: u64,
    /// The number of elements of arrays at one time; by default 2²⁸.
    pub elements: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: u64::MAX, elements: 1 << 28 }
    }
}

/// What a run took: in the units of [`Limits`], and of memory.
///
/// Memory is counted for a machine that reads parts of arrays where they lie: an element, a row, a slice, and an array
/// with its dimensions in another order, are views and cost nothing until they are written to. Arrays that nothing
/// else uses are updated in place.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::interpret::{Limits, Value, measure};
/// let squares = Program::trace(|x: Arr<F64>| x.map(|x| x * x).reverse().sum())?;
/// let (_, usage) = measure(&squares, &[Value::new(vec![0.5; 1000])?], &Limits::default())?;
/// assert_eq!((usage.moved, usage.allocated), (1000, 8000)); // those of the squares
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The number of steps.
    pub steps: u64,
    /// The most elements that were held at one time.
    pub elements: u64,
    /// The number of elements that were written to arrays: those of every array that was made, filled or copied, of every
    /// update, and of everything that was scattered or added to an accumulator or a histogram.
    pub moved: u64,
    /// The bytes of all arrays that were made, the copies among them of what was still in use when it was written to. A
    /// real is eight bytes, in either precision.
    pub allocated: u64,
    /// The loops that ran, by the number of the first variable that they bind.
    pub loops: Vec<LoopUsage>,
}

/// What the runs of a loop took.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoopUsage {
    /// The first variable that the loop binds.
    pub var: Var,
    /// The number of iterations of all runs together.
    pub total: u64,
    /// The most iterations of one run.
    pub iterations: u64,
    /// The largest bound it was given, if it asks whether to go on and was given one.
    pub bound: Option<u64>,
    /// The most elements of each loop variable; a scalar is one.
    pub elements: Vec<u64>,
}

/// What went wrong, without the statement.
#[derive(Debug)]
pub(crate) enum Fault {
    Sizes {
        what: &'static str,
        first: usize,
        second: usize,
    },
    NegativeSize(i64),
    OutOfBounds {
        index: i64,
        length: usize,
    },
    NoValue(String),
    Undecided,
    LoopBound(i64),
    Budget {
        what: &'static str,
        limit: u64,
    },
    Cancelled,
    /// A function of Rust has failed, or cannot be applied.
    Foreign {
        function: String,
        reason: String,
    },
    /// In a statement inside this one.
    Inside(Error),
}

/// The result of a part of a statement.
pub(crate) type Step<T> = core::result::Result<T, Fault>;

impl Fault {
    /// The fault as an error in this statement, which comes from there, unless it is already one in a statement inside.
    pub(crate) fn within(self, span: Span, statement: impl FnOnce() -> String) -> Error {
        match self {
            Fault::Inside(error) => error.or_at(span),
            Fault::Sizes { what, first, second } => Error::Sizes { statement: statement(), span, what, first, second },
            Fault::NegativeSize(size) => Error::NegativeSize { statement: statement(), span, size },
            Fault::OutOfBounds { index, length } => Error::OutOfBounds { statement: statement(), span, index, length },
            Fault::NoValue(operation) => Error::NoValue { statement: statement(), span, operation },
            Fault::Undecided => Error::Undecided { statement: statement(), span },
            Fault::LoopBound(bound) => Error::LoopBound { statement: statement(), span, bound },
            Fault::Budget { what, limit } => Error::Budget { statement: statement(), span, what, limit },
            Fault::Cancelled => Error::Cancelled { statement: statement(), span },
            Fault::Foreign { function, reason } => Error::Foreign { statement: statement(), span, function, reason },
        }
    }

    /// `Ok` if two sizes agree.
    pub(super) fn unless_equal(what: Agreement, first: usize, second: usize) -> Step<()> {
        if first == second { Ok(()) } else { Err(Fault::Sizes { what: what.message(), first, second }) }
    }

    /// `Ok` if the sizes of two arrays of one rank agree.
    pub(super) fn unless_same(what: Agreement, first: &[usize], second: &[usize]) -> Step<()> {
        first.iter().zip(second).try_for_each(|(a, b)| Fault::unless_equal(what, *a, *b))
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget<'c> {
    control: Control<'c>,
    steps: u64,
    held: u64,
    /// The most that was held, or was about to be.
    peak: Cell<u64>,
    moved: Cell<u64>,
    allocated: Cell<u64>,
}

/// What a run took of memory.
pub(super) struct Memory {
    pub(super) peak: u64,
    pub(super) moved: u64,
    pub(super) allocated: u64,
}

/// How many bytes these elements take, which are of one kind.
fn bytes<C>(elements: &[Scalar<C>]) -> u64 {
    let each = match elements.first() {
        None => 0,
        // What reals take is a matter of the carrier: they count as doubles.
        Some(Scalar::F16(_) | Scalar::F32(_)) => 8,
        Some(scalar) => u64::from(scalar.prim().bits().div_ceil(8)),
    };
    each * elements.len() as u64
}

fn count(of: &Cell<u64>, more: u64) {
    of.set(of.get().saturating_add(more));
}

impl<'c> Budget<'c> {
    pub(super) fn new(control: Control<'c>) -> Self {
        Budget { control, steps: 0, held: 0, peak: Cell::new(0), moved: Cell::new(0), allocated: Cell::new(0) }
    }

    /// The steps taken so far, and the memory.
    pub(super) fn taken(&self) -> (u64, Memory) {
        let memory = Memory { peak: self.peak.get(), moved: self.moved.get(), allocated: self.allocated.get() };
        (self.steps, memory)
    }

    /// An array that was allocated for elements which [were written](Self::wrote) to it.
    pub(super) fn allocated<C>(&self, array: Array<C>) -> Array<C> {
        count(&self.allocated, bytes(array.elements()));
        array
    }

    /// An array that was allocated and filled.
    pub(super) fn made<C>(&self, array: Array<C>) -> Array<C> {
        self.wrote(array.elements().len());
        self.allocated(array)
    }

    /// Counts elements that were written to memory.
    pub(super) fn wrote(&self, elements: usize) {
        count(&self.moved, elements as u64);
    }

    /// The elements of an array, to be written to; copied first if something else may still read them.
    pub(super) fn owned<'a, C: Clone>(&self, array: &'a mut Array<C>) -> &'a mut [Scalar<C>] {
        if array.is_shared() || *array.note() == Origin::View {
            self.wrote(array.elements().len());
            *array = self.allocated(array.copied(Origin::Made));
        }
        array.unshared().expect("a copy is shared with nothing").0
    }

    pub(super) fn step(&mut self) -> Step<()> {
        let now = self.steps.saturating_add(1);
        self.control.reached(self.steps, now)?;
        self.steps = now;
        Ok(())
    }

    /// `Ok` if there is room for this many more elements; `None` is more than there are numbers.
    pub(super) fn room(&self, elements: Option<usize>) -> Step<()> {
        let wanted = elements.and_then(|n| self.held.checked_add(n as u64));
        let wanted = self.control.room(wanted)?;
        self.peak.set(self.peak.get().max(wanted));
        Ok(())
    }

    pub(super) fn hold(&mut self, elements: usize) -> Step<()> {
        self.room(Some(elements))?;
        self.held += elements as u64;
        Ok(())
    }

    pub(super) fn release(&mut self, elements: usize) {
        self.held -= elements as u64;
    }
}
