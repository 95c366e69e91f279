//! The rule of `if`: the same choice between the return sweeps of the branches.
//!
//! Law: only the branch that was taken is differentiated; it is executed again in the return sweep.

use super::{Adjoint, Reverse};
use crate::array::{Atom, Body, Op, Var};

impl Reverse<'_, '_> {
    pub(super) fn branch(&mut self, vars: &[Var], condition: Atom, yes: &Body, no: &Body) {
        let seeds: Vec<Option<Atom>> = vars.iter().map(|v| self.take(*v)).collect();
        let touched = self.touched(&[yes, no], &[]);
        // Adjoints go through the branches, so that each adds in place what it has to add.
        let before: Vec<Adjoint> = touched.iter().map(|v| self.adjoint_or_zero(*v)).collect();
        let accumulators: Vec<Var> = self.active.free(&[yes, no], &[]);
        let outside = core::mem::take(&mut self.adjoints);
        let mut passed: Vec<(Var, Adjoint)> = Vec::new();
        let mut side = |body: &Body| {
            self.target.body(|| {
                self.adjoints = touched.iter().copied().zip(before.iter().copied()).collect();
                let saved = self.forward(body);
                self.backward(body, &saved, &seeds);
                for v in accumulators.iter().filter(|v| self.copier.source.type_of(**v).accumulator) {
                    passed.extend(self.adjoints.get(v).map(|adjoint| (*v, *adjoint)));
                }
                touched.iter().map(|v| self.adjoints[v].atom()).collect()
            })
        };
        let (yes, no) = (side(yes), side(no));
        self.adjoints = outside;
        self.adjoints.extend(passed);
        if touched.is_empty() {
            return;
        }
        let results = self.target.emit(Op::If(self.copier.atom(condition), yes, no));
        for ((v, adjoint), result) in touched.iter().zip(before).zip(results) {
            self.adjoints.insert(*v, adjoint.with(result));
        }
    }
}
