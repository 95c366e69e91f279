//! The rule of `if`: the same choice between the reverse sweeps of the branches.
//!
//! Law: only the branch that was taken is differentiated; it is executed again in the reverse sweep, except for those
//! of its results that are known (tests/transform/rules.rs, tests/transform/work.rs).

use super::Reverse;
use super::adjoints::Adjoint;
use crate::array::{Atom, Body, Op, Var};

impl Reverse<'_, '_> {
    pub(super) fn branch(&mut self, vars: &[Var], condition: Atom, yes: &Body, no: &Body) {
        let seeds = self.adjoints.take_all(&self.copier, vars);
        let condition = self.copier.atom(condition);
        // Arrays that the branches change in place, and give back as they were.
        let through = self.again.through(vars);
        let before: Vec<Atom> = through.iter().map(|var| self.copier.atom((*var).into())).collect();
        let side = |reverse: &mut Self, body: &Body| {
            through.iter().zip(&before).for_each(|(var, array)| reverse.copier.set(*var, *array));
            let known = |(var, result): (&Var, &Atom)| match result {
                Atom::Var(result) if reverse.copier.told(*result).is_none() => {
                    Some((*result, reverse.copier.told(*var)?))
                }
                Atom::Var(_) | Atom::Const(_) => None,
            };
            let known: Vec<(Var, Atom)> = vars.iter().zip(&body.results).filter_map(known).collect();
            known.iter().for_each(|(var, value)| reverse.copier.tell(*var, *value));
            let saved = reverse.forward(body);
            reverse.backward(body, &saved, &seeds);
            known.iter().for_each(|(var, _)| reverse.copier.untell(*var));
            through.iter().map(|var| reverse.copier.atom((*var).into())).collect()
        };
        let after = self.either(condition, &[yes, no], &[], |reverse| side(reverse, yes), |reverse| side(reverse, no));
        through.iter().zip(after).for_each(|(var, array)| self.copier.set(*var, array));
    }

    /// One of two ways to go on, in which adjoints of variables from outside these bodies are added to; returns the
    /// results of the way that is taken. `bound` are the variables that are not from outside.
    pub(super) fn either(
        &mut self,
        condition: Atom,
        bodies: &[&Body],
        bound: &[Var],
        yes: impl FnOnce(&mut Self) -> Vec<Atom>,
        no: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let (accumulators, touched): (Vec<Var>, Vec<Var>) =
            self.active.free(bodies, bound).into_iter().partition(|v| self.copier.source.type_of(*v).accumulator);
        let touched = self.adjoints.roots(touched);
        // Adjoints go through the branches, so that each adds in place what it has to add.
        let before: Vec<Adjoint> = touched.iter().map(|v| self.adjoints.adjoint_or_zero(&self.copier, *v)).collect();
        let around = self.adjoints.enter();
        let mut passed: Vec<(Var, Adjoint)> = Vec::new();
        let mut own = 0;
        let target = self.target;
        let mut side = |reverse: &mut Self, inside: &mut dyn FnMut(&mut Self) -> Vec<Atom>| {
            target.body(|| {
                reverse.adjoints.of = touched.iter().copied().zip(before.iter().copied()).collect();
                let mut results = inside(reverse);
                own = results.len();
                passed.extend(accumulators.iter().filter_map(|v| Some((*v, *reverse.adjoints.of.get(v)?))));
                results.extend(touched.iter().map(|v| reverse.adjoints.of[v].atom()));
                results
            })
        };
        let (mut yes, mut no) = (Some(yes), Some(no));
        let yes = side(self, &mut |reverse| yes.take().map_or_else(Vec::new, |yes| yes(reverse)));
        let no = side(self, &mut |reverse| no.take().map_or_else(Vec::new, |no| no(reverse)));
        self.adjoints.leave(around);
        self.adjoints.of.extend(passed);
        if own + touched.len() == 0 {
            return Vec::new();
        }
        let mut results = target.emit(Op::If(condition, Box::new(yes), Box::new(no)));
        let adjoints = results.split_off(own);
        for ((v, adjoint), result) in touched.iter().zip(before).zip(adjoints) {
            self.adjoints.of.insert(*v, adjoint.with(result));
        }
        results
    }
}
