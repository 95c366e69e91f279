//! The forward sweep: a scope is written, and what the reverse sweep needs of it is kept.
//!
//! Law: what is written computes what the scope does, whatever is kept beside it; of most statements that is nothing, since the
//! values of a scope are at hand where it is returned through (laws: array_tape, tests/transform/rules.rs).

use super::binomial::Snapshots;
use super::loops::Checkpoints;
use super::undo::{MadeAgain, Undo};
use crate::array::{Atom, Body, Op, Policy, SizeTable, Stm};
use crate::transform::copy::Copier;
use crate::transform::flow::Active;

/// What the forward sweep keeps of a statement for the reverse sweep.
pub(super) enum Saved {
    /// Nothing: the values of its variables are enough.
    Nothing,
    /// The number of the element that is the extremum, and −1 for none.
    Winner(Atom),
    /// What a reduction has combined up to each element.
    Prefixes(Vec<Atom>),
    /// The states of a loop.
    Loop(Checkpoints),
    /// The few states of a loop from which the others are computed again.
    Binomial(Snapshots),
    /// The number of iterations of a loop whose states are all computed again.
    Count(Atom),
    /// What a choice overwrote of arrays that are changed in place.
    Undo(Vec<Undo>),
}

/// The forward sweep over a scope.
pub(super) struct Forward<'r, 'p, 't> {
    pub(super) copier: &'r mut Copier<'p, 't>,
    pub(super) active: &'t Active,
    /// What is made again of arrays that are changed in place, and taken back.
    pub(super) again: &'r mut MadeAgain,
    pub(super) sizes: &'r SizeTable,
}

impl Forward<'_, '_, '_> {
    /// Writes the statements of a scope, keeping what the reverse sweep needs of some, with their places.
    pub(super) fn scope(&mut self, body: &Body) -> Vec<(usize, Saved)> {
        let (target, mut kept) = (self.copier.target, Vec::new());
        for (at, stm) in body.stms.iter().enumerate() {
            let around = target.span(stm.span);
            let saved = self.statement(stm);
            target.span(around);
            kept.extend(saved.map(|saved| (at, saved)));
        }
        kept
    }

    /// Writes a statement, and returns what the reverse sweep needs of it, if that is more than its variables.
    fn statement(&mut self, stm: &Stm) -> Option<Saved> {
        if let Some(undo) = self.again.branch_again(self.copier, stm) {
            return Some(Saved::Undo(undo));
        }
        Some(match &stm.op {
            Op::Loop(it) if stm.vars.iter().any(|v| self.active.var(*v)) => match it.policy {
                Policy::Binomial(states) => Saved::Binomial(self.binomial_forward(stm, it, states)),
                Policy::Recompute => Saved::Count(self.recompute_forward(stm, it)),
                Policy::KeepAll | Policy::StripMine(_) => Saved::Loop(self.loop_forward(stm, it)),
            },
            Op::Reduce(it) if stm.vars.iter().any(|v| self.active.var(*v)) => self.reduce_forward(stm, it),
            _ => {
                self.again.before_update(self.copier, stm);
                self.copier.stm(stm);
                return None;
            }
        })
    }
}
