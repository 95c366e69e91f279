//! Limits on a run, and what can go wrong in a statement before it is known which one.
//!
//! Law: a run takes at most the steps it is allowed, and its variables hold at most the elements; what would pass a limit
//! is an error before it is done.

use crate::error::Error;

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
    /// In a statement inside this one.
    Inside(Error),
}

/// The result of a part of a statement.
pub(crate) type Step<T> = core::result::Result<T, Fault>;

impl Fault {
    /// The fault as an error in this statement, unless it is already one in a statement inside.
    pub(crate) fn within(self, statement: impl FnOnce() -> String) -> Error {
        match self {
            Fault::Inside(error) => error,
            Fault::Sizes { what, first, second } => Error::Sizes { statement: statement(), what, first, second },
            Fault::NegativeSize(size) => Error::NegativeSize { statement: statement(), size },
            Fault::OutOfBounds { index, length } => Error::OutOfBounds { statement: statement(), index, length },
            Fault::NoValue(operation) => Error::NoValue { statement: statement(), operation },
            Fault::Undecided => Error::Undecided { statement: statement() },
            Fault::LoopBound(bound) => Error::LoopBound { statement: statement(), bound },
            Fault::Budget { what, limit } => Error::Budget { statement: statement(), what, limit },
        }
    }

    /// `Ok` if two sizes agree.
    pub(super) fn unless_equal(what: &'static str, first: usize, second: usize) -> Step<()> {
        if first == second { Ok(()) } else { Err(Fault::Sizes { what, first, second }) }
    }

    /// `Ok` if the sizes of two arrays of one rank agree.
    pub(super) fn unless_same(what: &'static str, first: &[usize], second: &[usize]) -> Step<()> {
        first.iter().zip(second).try_for_each(|(a, b)| Fault::unless_equal(what, *a, *b))
    }
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    steps: u64,
    held: u64,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Budget { limits, steps: 0, held: 0 }
    }

    pub(super) fn step(&mut self) -> Step<()> {
        if self.steps == self.limits.steps {
            return Err(Fault::Budget { what: "steps", limit: self.limits.steps });
        }
        self.steps += 1;
        Ok(())
    }

    /// `Ok` if there is room for so many more elements; `None` is more than there are numbers.
    pub(super) fn room(&self, elements: Option<usize>) -> Step<()> {
        let wanted = elements.and_then(|n| self.held.checked_add(n as u64));
        if wanted.is_some_and(|wanted| wanted <= self.limits.elements) {
            Ok(())
        } else {
            Err(Fault::Budget { what: "elements", limit: self.limits.elements })
        }
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
