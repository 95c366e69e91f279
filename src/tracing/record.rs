//! The record of a run: the statements of the straight line, and the decisions that were taken on it.
//!
//! Law: what is recorded is a program without control flow outside of functions, well typed where what is run is; each
//! decision is on a variable of its outermost body, and is kept once (laws: tracing::is_straight).

use core::cell::{Cell, RefCell};
use core::fmt;
use rustc_hash::{FxHashMap, FxHashSet};

use super::probe::Seen;
use crate::array::{Atom, Body, Builder, Const, Op, Program, Type, Var};
use crate::carriers;
use crate::error::Span;
use crate::interpret::{Arithmetic, VERIFIED, Value};

/// A decision on a variable of a trace.
pub(super) type Decision = carriers::Decision<Var, Outcome>;

/// What the course of the run depended on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The truth value or the index that a scalar was.
    Value(Const),
    /// The sizes of an array.
    Sizes(Vec<usize>),
}

impl Outcome {
    /// What a decision on this value depends on.
    pub(super) fn of<C: Clone>(value: &Value<C>) -> Self {
        match value {
            Value::Scalar(scalar) => Outcome::Value(scalar.exact().expect(VERIFIED)),
            Value::Array(array) => Outcome::Sizes(array.sizes().to_vec()),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Value(constant) => <f64 as Arithmetic>::constant(*constant).fmt(f),
            Outcome::Sizes(sizes) => sizes.iter().try_for_each(|n| write!(f, "[{n}]")),
        }
    }
}

/// A run that has been recorded.
pub(super) struct Recorded {
    /// All that was executed, as a straight line.
    pub(super) whole: Program,
    /// In the order in which they were taken.
    pub(super) decisions: Vec<Decision>,
    /// What the variables of the program that ran were bound to, if that was probed.
    pub(super) seen: FxHashMap<Var, Seen>,
}

/// A trace being written. It is written to behind a shared reference, since scalars write while they are computed with.
#[derive(Debug, Default)]
pub(super) struct Record {
    builder: RefCell<Builder>,
    decisions: RefCell<Vec<Decision>>,
    decided: RefCell<FxHashSet<Var>>,
    muted: Cell<bool>,
    /// What the variables of the program were bound to, if that is probed.
    seen: Option<RefCell<FxHashMap<Var, Seen>>>,
}

impl Record {
    /// A record in which is noted what variables are bound to.
    pub(super) fn probing() -> Self {
        Record { seen: Some(RefCell::default()), ..Record::default() }
    }

    pub(super) fn seen(&self) -> Option<&RefCell<FxHashMap<Var, Seen>>> {
        self.seen.as_ref()
    }

    /// New parameters like those of a program.
    pub(super) fn parameters(&self, program: &Program) -> Vec<Var> {
        let params = program.function.params.iter().zip(&program.names);
        params.map(|(param, name)| self.parameter(name.clone(), program.type_of(*param))).collect()
    }

    /// A new parameter after those that there are.
    pub(super) fn parameter(&self, name: String, of: Type) -> Var {
        self.builder.borrow_mut().parameter(name, of)
    }

    /// Sets the span of the statements that are added from here on, and returns the one before.
    pub(super) fn span(&self, span: Span) -> Span {
        self.builder.borrow_mut().span(span)
    }

    /// A new variable.
    pub(super) fn fresh(&self, of: Type) -> Var {
        self.builder.borrow_mut().fresh(of)
    }

    /// Adds a statement to the innermost open body, and returns what it binds.
    pub(super) fn add(&self, op: Op) -> Vec<Var> {
        self.builder.borrow_mut().emit(op)
    }

    /// Adds a statement of one result to the outermost body, before the one that is being written.
    pub(super) fn add_outermost(&self, op: Op) -> Atom {
        self.builder.borrow_mut().emit_around(0, op)[0].into()
    }

    /// Adds a statement of one result.
    pub(super) fn one(&self, op: Op) -> Atom {
        // While muted nothing is written, and what would be has no name.
        if self.muted.get() { Atom::Var(Var(u32::MAX)) } else { self.builder.borrow_mut().one(op) }
    }

    pub(super) fn open(&self) {
        self.builder.borrow_mut().open_body();
    }

    pub(super) fn close(&self, results: Vec<Atom>) -> Body {
        self.builder.borrow_mut().close_body(results)
    }

    /// Notes a decision, unless it is on a constant, or was noted before.
    pub(super) fn decide(&self, on: Atom, outcome: Outcome) {
        if let Atom::Var(var) = on
            && !self.muted.get()
            && self.decided.borrow_mut().insert(var)
        {
            self.decisions.borrow_mut().push(Decision { asked: var, outcome });
        }
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted.get()
    }

    /// Computes without writing: for a function that stands in the trace as one step.
    pub(super) fn mute(&self, muted: bool) {
        self.muted.set(muted);
    }

    /// What was recorded, with these results.
    pub(super) fn finish(self, results: Vec<Atom>) -> Recorded {
        Recorded {
            whole: self.builder.into_inner().unsimplified(results),
            decisions: self.decisions.into_inner(),
            seen: self.seen.map(RefCell::into_inner).unwrap_or_default(),
        }
    }
}
