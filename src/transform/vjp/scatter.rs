//! The rule of `scatter`: values receive what was read where they went, and the places they covered receive nothing.
//!
//! Law: `v̄ₖ += ȳ[iₖ]` for values that were written and not written over, and `x̄ = ȳ` with zeros in the written
//! places; values whose index is out of bounds receive 0 ("Reverse AD for a Functional Array Language", *Rev-AD Rewrite
//! Rule for Scatter*). In a loop it costs what it writes, however long the array is (tests/transform/rules.rs,
//! tests/transform/loops.rs).

use super::adjoints::Adjoints;
use super::arrays::{from_end, read_within, rows_at};
use super::known::Distinct;
use crate::array::{Atom, Op, Policy, ScalarOp, Scatter, Var, index};
use crate::transform::copy::Copier;
use crate::transform::target::Target;

pub(super) fn scatter(
    adjoints: &mut Adjoints<'_>,
    copier: &Copier<'_, '_>,
    distinct: &Distinct,
    var: Var,
    it: &Scatter,
) {
    let Some(mut adjoint) = adjoints.take(copier, var) else { return };
    let target = copier.target;
    let (indices, values) = (copier.atom(it.indices), copier.atom(it.values));
    let are_distinct = distinct.contains(it.indices);
    if adjoints.active.atom(it.values) {
        let contributions;
        if are_distinct {
            contributions = rows_at(target, adjoint, indices);
        } else if adjoints.in_loop {
            (adjoint, contributions) = last_first(target, adjoint, indices, values);
        } else {
            contributions = of_last(target, adjoint, indices, values);
        }
        adjoints.add(copier, it.values, contributions);
        if !are_distinct && adjoints.in_loop {
            return adjoints.add(copier, it.destination, adjoint);
        }
    }
    if adjoints.active.atom(it.destination) {
        adjoints.add(copier, it.destination, target.scattered(adjoint, indices, target.zeros_like(values)));
    }
}

/// What values receive of which several may be for one place: who was the last?
fn of_last(target: &Target, adjoint: Atom, indices: Atom, values: Atom) -> Atom {
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
fn last_first(target: &Target, adjoint: Atom, indices: Atom, values: Atom) -> (Atom, Atom) {
    let (size, count) = (target.size(adjoint, 0), target.size(indices, 0));
    let initial = [adjoint, target.zeros_like(values)];
    let results = target.repeat(count, initial, Policy::KeepAll, |j, now| {
        let k = from_end(target, count, j);
        let at = target.at(indices, &[k]);
        target.choose(
            target.within(at, size),
            || {
                let taken = target.at(now[0], &[at]);
                let left = target.one(Op::Update(now[0], vec![at], target.zeros_like(taken)));
                vec![left, target.one(Op::Update(now[1], vec![k], taken))]
            },
            || now.to_vec(),
        )
    });
    (results[0], results[1])
}
