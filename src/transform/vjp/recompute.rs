//! Loops of which nothing is kept, so that the arrays they carry may change their sizes.
//!
//! Law: the reverse sweep computes the state before each iteration from the first state: `n·(n + 1)/2` iterations
//! beside those of the forward sweep, and the memory of one state; an adjoint has the sizes of the state it belongs to
//! (laws: checkpointing::agree, tests/transform/loops.rs).

use super::Reverse;
use super::binomial::{enter, run};
use super::forward::Forward;
use super::loops::{Sweep, unchanged};
use crate::array::{Atom, Loop, Policy, Stm, index};
use crate::transform::checkpoint::states;

impl Forward<'_, '_, '_> {
    /// Writes a loop, and returns the number of its iterations.
    pub(super) fn recompute_forward(&mut self, stm: &Stm, it: &Loop) -> Atom {
        let count = self.copier.iterations(it);
        let is_kept = |k: &usize| self.copier.kept(it.params[*k].1);
        let (carried, gone): (Vec<usize>, Vec<usize>) = (0..it.params.len()).partition(is_kept);
        let initial: Vec<Atom> = carried.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        gone.iter().for_each(|k| self.copier.leave_out(it.params[*k].0));
        let results = run(self.copier, it, &carried, &initial, [index(0), count], Policy::Recompute);
        self.copier.bind(stm, &results);
        count
    }
}

impl Reverse<'_, '_> {
    /// The reverse sweep over a loop of `count` iterations.
    pub(super) fn recompute_backward(&mut self, stm: &Stm, it: &Loop, count: Atom) {
        let (constant, needed) = (unchanged(&self.copier, it), states(self.copier.source, it));
        // The sizes of an adjoint are those of the value, though nothing else of it may be needed.
        let is_kept = |k: &usize| {
            let (param, _) = it.params[*k];
            let changes = it.body.results[*k] != param.into() && !self.copier.source.type_of(param).accumulator;
            changes && (needed.contains(k) || self.active.var(param))
        };
        let kept: Vec<usize> = (0..it.params.len()).filter(is_kept).collect();
        let firsts: Vec<Atom> = kept.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        let sweep = Sweep { count, policy: Policy::Recompute, more: Vec::new(), resizes: &|_| true };
        let begin = |reverse: &mut Self, [wanted, _]: [Atom; 2], _: &[Atom]| {
            constant.iter().for_each(|(k, value)| reverse.copier.set(it.params[*k].0, *value));
            let state = run(&mut reverse.copier, it, &kept, &firsts, [index(0), wanted], Policy::Recompute);
            enter(&mut reverse.copier, it, &kept, &state, wanted);
        };
        self.sweep(stm, it, sweep, begin, |_, ()| Vec::new());
    }
}
