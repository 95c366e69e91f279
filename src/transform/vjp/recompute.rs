//! Loops of which nothing is kept, so that the arrays they carry may change their sizes.
//!
//! Law: the reverse sweep computes the state before each iteration from the first state: `n·(n + 1)/2` iterations
//! beside those of the forward sweep, and the memory of one state; an adjoint has the sizes of the state it belongs to
//! (laws: checkpointing::agree, tests/transform/loops.rs).

use super::Reverse;
use super::arrays::from_end;
use super::loops::bound_by;
use crate::array::{Atom, Loop, Policy, Stm, index};
use crate::transform::checkpoint::states;

impl Reverse<'_, '_> {
    /// Writes a loop, and returns the number of its iterations.
    pub(super) fn recompute_forward(&mut self, stm: &Stm, it: &Loop) -> Atom {
        let count = self.copier.iterations(it);
        let (mut carried, mut initial) = (Vec::new(), Vec::new());
        for (k, (param, first)) in it.params.iter().enumerate() {
            if self.copier.kept(*first) {
                carried.push(k);
                initial.push(self.copier.atom(*first));
            } else {
                self.copier.leave_out(*param);
            }
        }
        let results = self.run(it, &carried, &initial, index(0), count, Policy::Recompute);
        self.copier.bind(stm, &results);
        count
    }

    /// The reverse sweep over a loop of `count` iterations.
    pub(super) fn recompute_backward(&mut self, stm: &Stm, it: &Loop, count: Atom) {
        let target = self.target;
        let of_param = |k: usize| it.params[k].0;
        let (through, values): (Vec<usize>, Vec<usize>) =
            (0..it.params.len()).partition(|k| self.copier.source.type_of(of_param(*k)).accumulator);
        let is_same = |k: &usize| it.body.results[*k] == of_param(*k).into();
        let (same, changing): (Vec<usize>, Vec<usize>) = values.into_iter().partition(is_same);
        let needed = states(self.copier.source, it);
        let is_active = |k: &usize| self.active.var(of_param(*k));
        let carried: Vec<usize> = same.iter().chain(&changing).copied().filter(is_active).collect();
        // The sizes of an adjoint are those of the value, though nothing else of it may be needed.
        let kept: Vec<usize> = changing.into_iter().filter(|k| needed.contains(k) || is_active(k)).collect();
        let first = |k: &usize| self.copier.atom(it.params[*k].1);
        let (firsts, constant): (Vec<Atom>, Vec<Atom>) =
            (kept.iter().map(first).collect(), same.iter().map(first).collect());

        let around = self.taken_around(stm, it, &through);
        let bound = bound_by(it);
        let initial: Vec<Atom> =
            carried.iter().map(|k| self.adjoints.take_or_zero(&self.copier, stm.vars[*k])).collect();
        let results =
            self.backwards(count, &initial, &[&it.body], &bound, Policy::Recompute, |reverse, j, adjoints| {
                let wanted = from_end(target, count, j);
                through.iter().for_each(|k| reverse.copier.leave_out(of_param(*k)));
                same.iter().zip(&constant).for_each(|(k, value)| reverse.copier.set(of_param(*k), *value));
                let state = reverse.run(it, &kept, &firsts, index(0), wanted, Policy::Recompute);
                reverse.enter(it, &kept, &state, wanted);
                reverse.return_through(it, (&carried, adjoints), (&through, &around));
                carried.iter().map(|k| reverse.adjoints.take_or_zero(&reverse.copier, of_param(*k))).collect()
            });
        for (k, result) in carried.iter().zip(results) {
            self.adjoints.add(&self.copier, it.params[*k].1, result);
        }
    }
}
