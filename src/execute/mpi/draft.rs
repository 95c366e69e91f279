//! Steps and control on their way to a plan: statements, and what is sent after them.
//!
//! Law: what is sent is bound by a statement of its step, and what it arrives as is mentioned in later ones alone (tests/mpi/suite.rs).

use rustc_hash::FxHashSet;

use super::placement::Axis;
use crate::array::{Atom, Extent, Loop, ScalarOp, Stm, Var, Vars};

/// A dimension that is split, and the numbers that say which part of it a rank has.
#[derive(Debug)]
pub(super) struct Split {
    /// How long it is in all.
    pub(super) extent: Extent,
    pub(super) total: Var,
    /// Where the part begins.
    pub(super) offset: Var,
    /// How long the part is.
    pub(super) count: Var,
}

impl Split {
    /// How long it is in all, where the part of a rank begins, and how long that is.
    pub(super) fn numbers(&self) -> [Atom; 3] {
        [self.total, self.offset, self.count].map(Atom::Var)
    }
}

/// How what a rank has goes to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// As terms that lie one after the other in a new outermost dimension.
    Terms(Option<ScalarOp>),
    /// As parts of the outermost dimension.
    Parts(Axis),
}

/// What is sent at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    pub(super) from: Var,
    pub(super) to: Var,
    pub(super) way: Way,
}

/// The statements of a step, and what is sent after them.
#[derive(Debug, Default)]
pub(super) struct Statements {
    pub(super) stms: Vec<Stm>,
    pub(super) exchanges: Vec<Exchange>,
    /// Which of the arrays that are made where they are used are made here.
    pub(super) made: FxHashSet<Var>,
}

/// A step, or control, on its way to a plan.
#[derive(Debug)]
pub(super) enum Draft {
    Step(Statements),
    Loop { vars: Vars, it: Loop, condition: Vec<Draft>, body: Vec<Draft> },
    If { vars: Vars, condition: Atom, branches: [(Vec<Draft>, Vec<Atom>); 2] },
}

/// A statement that needs what ranks do not have.
#[derive(Debug, Clone)]
pub(super) struct Gathered {
    pub(super) statement: Stm,
    pub(super) reason: &'static str,
}
