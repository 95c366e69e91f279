//! The rule of `scatter`: values receive what was read where they went, and the places they covered receive nothing.
//!
//! Law: `v̄ₖ += ȳ[iₖ]` for values that were written and not written over, and `x̄ = ȳ` with zeros in the written
//! places; values whose index is out of bounds receive 0 ("Reverse AD for a Functional Array Language", *Rev-AD
//! Rewrite Rule for Scatter*).

use super::Reverse;
use super::arrays::read_within;
use crate::array::{Op, ScalarOp, Scatter, Var, index};

impl Reverse<'_, '_> {
    pub(super) fn scatter(&mut self, var: Var, it: &Scatter) {
        let Some(adjoint) = self.take(var) else { return };
        let target = self.target;
        let (indices, values) = (self.copier.atom(it.indices), self.copier.atom(it.values));
        if self.active.atom(it.values) && self.distinct.contains(it.indices) {
            let contributions =
                target.map1(&[indices, values], |x| read_within(target, adjoint, &x[..1], || target.zeros_like(x[1])));
            self.add(it.values, contributions);
        } else if self.active.atom(it.values) {
            // Of several values for one place the last is kept: who was it?
            let nobody = target.one(Op::Replicate(target.size(adjoint, 0), index(-1)));
            let numbers = target.iota(target.size(indices, 0));
            let write = Scatter { destination: nobody, indices, values: numbers };
            let last = target.one(Op::Scatter(Box::new(write)));
            let contributions = target.map1(&[indices, values, numbers], |x| {
                let kept = read_within(target, last, &[x[0]], || index(-1));
                let is_last = target.scalar(ScalarOp::Equal, &[kept, x[2]]);
                target.choose(is_last, || vec![target.at(adjoint, &[x[0]])], || vec![target.zeros_like(x[1])])[0]
            });
            self.add(it.values, contributions);
        }
        if self.active.atom(it.destination) {
            let write = Scatter { destination: adjoint, indices, values: target.zeros_like(values) };
            self.add(it.destination, target.one(Op::Scatter(Box::new(write))));
        }
    }
}
