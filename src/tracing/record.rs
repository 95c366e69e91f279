//! The record of a run: the statements of the straight line, and the decisions that were taken on it.
//!
//! Law: what is recorded is a program without control flow outside of functions, well typed where what is run is; each
//! decision is on a variable of its outermost body, and is kept once (laws: tracing::is_straight).

use core::cell::{Cell, RefCell};
use rustc_hash::{FxHashMap, FxHashSet};

use super::probe::Seen;
use crate::array::{Atom, Body, Const, Lambda, Op, Program, Stm, Type, Var, Vars};
use crate::error::Span;

/// A decision: a variable of a trace, and the value it had, on which the course of the run depended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decision {
    pub(super) var: Var,
    pub(super) outcome: Const,
}

/// A trace being written. It is written to behind a shared reference, since scalars write while they are computed with.
#[derive(Debug)]
pub(super) struct Record {
    types: RefCell<Vec<Type>>,
    /// The statements of the open bodies, outermost first.
    open: RefCell<Vec<Vec<Stm>>>,
    decisions: RefCell<Vec<Decision>>,
    decided: RefCell<FxHashSet<Var>>,
    muted: Cell<bool>,
    /// Where the statements come from that are added now.
    span: Cell<Span>,
    /// What the variables of the program were bound to, if that is probed.
    seen: Option<RefCell<FxHashMap<Var, Seen>>>,
}

impl Record {
    pub(super) fn new() -> Self {
        Record {
            types: RefCell::default(),
            open: RefCell::new(vec![Vec::new()]),
            decisions: RefCell::default(),
            decided: RefCell::default(),
            muted: Cell::new(false),
            span: Cell::default(),
            seen: None,
        }
    }

    /// A record in which is noted what variables are bound to.
    pub(super) fn probing() -> Self {
        Record { seen: Some(RefCell::default()), ..Record::new() }
    }

    pub(super) fn seen(&self) -> Option<&RefCell<FxHashMap<Var, Seen>>> {
        self.seen.as_ref()
    }

    /// What has been noted so far, which is then noted no more.
    pub(super) fn take_seen(&mut self) -> FxHashMap<Var, Seen> {
        self.seen.take().map(RefCell::into_inner).unwrap_or_default()
    }

    /// Sets the span of the statements that are added from here on, and returns the one before.
    pub(super) fn span(&self, span: Span) -> Span {
        self.span.replace(span)
    }

    /// A new variable.
    pub(super) fn fresh(&self, of: Type) -> Var {
        let mut types = self.types.borrow_mut();
        types.push(of);
        Var(u32::try_from(types.len() - 1).expect("a program has fewer than 2^32 variables"))
    }

    pub(super) fn type_of(&self, var: Var) -> Type {
        self.types.borrow()[var.0 as usize]
    }

    /// Adds a statement to the innermost open body, and returns what it binds.
    pub(super) fn add(&self, op: Op, types: &[Type]) -> Vec<Var> {
        let innermost = self.open.borrow().len() - 1;
        self.add_to(innermost, op, types)
    }

    /// Adds a statement to the outermost body, before the one that is being written.
    pub(super) fn add_outermost(&self, op: Op, of: Type) -> Atom {
        self.add_to(0, op, &[of])[0].into()
    }

    fn add_to(&self, body: usize, op: Op, types: &[Type]) -> Vec<Var> {
        let vars: Vec<Var> = types.iter().map(|t| self.fresh(*t)).collect();
        self.open.borrow_mut()[body].push(Stm { vars: Vars::from_slice(&vars), op, span: self.span.get() });
        vars
    }

    /// Adds a statement of one result.
    pub(super) fn one(&self, op: Op, of: Type) -> Atom {
        // While muted nothing is written, and what would be has no name.
        if self.muted.get() { Atom::Var(Var(u32::MAX)) } else { self.add(op, &[of])[0].into() }
    }

    pub(super) fn open(&self) {
        self.open.borrow_mut().push(Vec::new());
    }

    pub(super) fn close(&self, results: Vec<Atom>) -> Body {
        Body { stms: self.open.borrow_mut().pop().expect("a body is open"), results }
    }

    /// Notes a decision, unless it is on a constant, or was noted before.
    pub(super) fn decide(&self, on: Atom, outcome: Const) {
        if let Atom::Var(var) = on
            && !self.muted.get()
            && self.decided.borrow_mut().insert(var)
        {
            self.decisions.borrow_mut().push(Decision { var, outcome });
        }
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted.get()
    }

    /// Computes without writing: for a function that stands in the trace as one step.
    pub(super) fn mute(&self, muted: bool) {
        self.muted.set(muted);
    }

    /// What was recorded, as a program of these parameters and results, and its decisions in order.
    pub(super) fn finish(self, names: Vec<String>, params: Vec<Var>, results: Vec<Atom>) -> (Program, Vec<Decision>) {
        let body = self.close(results);
        let function = Lambda { params, body };
        (Program::of_parts(self.types.into_inner(), names, function), self.decisions.into_inner())
    }
}
