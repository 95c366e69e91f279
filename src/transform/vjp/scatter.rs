//! The rule of `scatter`: values receive what was read where they went, and the places they covered receive nothing.
//!
//! Law: `v̄ₖ += ȳ[iₖ]` for values that were written and not written over, and `x̄ = ȳ` with zeros in the written
//! places; values whose index is out of bounds receive 0 ("Reverse AD for a Functional Array Language", *Rev-AD Rewrite
//! Rule for Scatter*). In a loop it costs what it writes, however long the array is (tests/transform/rules.rs,
//! tests/transform/loops.rs).

use super::Reverse;
use super::arrays::{from_end, read_within, rows_at};
use crate::array::{Atom, Form, Loop, Op, Policy, Prim, ScalarOp, Scatter, Type, Var, index};

impl Reverse<'_, '_> {
    pub(super) fn scatter(&mut self, var: Var, it: &Scatter) {
        let Some(mut adjoint) = self.take(var) else { return };
        let target = self.target;
        let (indices, values) = (self.copier.atom(it.indices), self.copier.atom(it.values));
        let are_distinct = self.distinct.contains(it.indices);
        if self.active.atom(it.values) {
            let contributions;
            if are_distinct {
                contributions = rows_at(target, adjoint, indices);
            } else if self.in_loop {
                (adjoint, contributions) = self.last_first(adjoint, indices, values);
            } else {
                contributions = self.of_last(adjoint, indices, values);
            }
            self.add(it.values, contributions);
            if !are_distinct && self.in_loop {
                return self.add(it.destination, adjoint);
            }
        }
        if self.active.atom(it.destination) {
            self.add(it.destination, target.scattered(adjoint, indices, target.zeros_like(values)));
        }
    }

    /// What values receive of which several may be for one place: who was the last?
    fn of_last(&self, adjoint: Atom, indices: Atom, values: Atom) -> Atom {
        let target = self.target;
        let nobody = target.one(Op::Replicate(target.size(adjoint, 0), index(-1)));
        let numbers = target.iota(target.size(indices, 0));
        let last = target.scattered(nobody, indices, numbers);
        target.map1(&[indices, values, numbers], |x| {
            let kept = read_within(target, last, &[x[0]], || index(-1));
            let is_last = target.scalar(ScalarOp::Equal, &[kept, x[2]]);
            target.choose(is_last, || vec![target.at(adjoint, &[x[0]])], || vec![target.zeros_like(x[1])])[0]
        })
    }

    /// The same without an array as long as the adjoint: from the last to the first each value takes what is at its place,
    /// and leaves zero there. The adjoint after that, and what values receive.
    fn last_first(&self, adjoint: Atom, indices: Atom, values: Atom) -> (Atom, Atom) {
        let target = self.target;
        let (size, count) = (target.size(adjoint, 0), target.size(indices, 0));
        let (params, now) = target.carried([adjoint, target.zeros_like(values)]);
        let j = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let k = from_end(target, count, j.into());
            let at = target.at(indices, &[k]);
            target.choose(
                target.within(at, size),
                || {
                    let taken = target.at(now[0], &[at]);
                    let left = target.one(Op::Update(now[0], vec![at], target.zeros_like(taken)));
                    vec![left, target.one(Op::Update(now[1], vec![k], taken))]
                },
                || now.clone(),
            )
        });
        let it = Loop { params, form: Form::For(j, count), body, policy: Policy::KeepAll };
        let results = target.emit(Op::Loop(Box::new(it)));
        (results[0], results[1])
    }
}
