//! The states of a loop that asks without a bound: the last are in a ring, and the first are computed again.
//!
//! Law: how many states there will be is not known when the loop begins. It has a ring of [places](Policy::places),
//! which holds the last states when the loop ends; if there were more, these alone are computed again, and kept in an
//! array that is long enough. So loops that are short run as often as if their number were known
//! (tests/transform/checkpoint.rs).

use super::loops::keep;
use super::ragged::elements;
use crate::array::{Atom, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Type, index};
use crate::transform::checkpoint::held;
use crate::transform::copy::Copier;
use crate::transform::target::Target;

/// The last states lie in a ring of places, each where the number of its iteration says.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub(super) places: Atom,
    /// How many states came before those in the ring.
    pub(super) earlier: Atom,
}

impl Ring {
    /// The ring of this many places, after `count` iterations.
    pub(super) fn of(target: &Target, places: Atom, count: Atom) -> Self {
        let more = target.indices(IntegerRow::Sub, count, places);
        Ring { places, earlier: target.indices(IntegerRow::Max, more, index(0)) }
    }

    pub(super) fn place(&self, target: &Target, i: Atom) -> Atom {
        target.indices(ScalarOp::Integer(IntegerRow::Rem), i, self.places)
    }
}

/// The first states of a loop, computed again.
pub(super) fn first_states(
    copier: &mut Copier<'_, '_>,
    it: &Loop,
    changing: &[usize],
    firsts: &[Atom],
    count: Atom,
) -> Vec<Atom> {
    let target = copier.target;
    if changing.is_empty() {
        return Vec::new();
    }
    let stores: Vec<Atom> = firsts.iter().map(|first| target.one(Op::Replicate(count, *first))).collect();
    let j = target.fresh(Type::scalar(Prim::I64));
    // What is added to an accumulator has been added.
    let again = copier.looped(
        it,
        false,
        &stores,
        |_| Form::For(j, count),
        |copier, now| {
            let updated = keep(copier, it, changing, now, j.into());
            copier.stms(&it.body.stms);
            updated
        },
    );
    let mut results = target.emit(Op::Loop(Box::new(Loop { policy: Policy::KeepAll, ..again })));
    results.split_off(results.len() - stores.len())
}

/// The number of places of a ring, by the elements of a state.
pub(super) fn places(copier: &Copier<'_, '_>, it: &Loop) -> Atom {
    let target = copier.target;
    let (mut scalars, mut arrays) = (0, None);
    for k in held(copier.source, it) {
        let first = copier.atom(it.params[k].1);
        if target.type_of(first).rank == 0 {
            scalars += 1;
        } else {
            let own = elements(target, first);
            arrays = Some(arrays.map_or(own, |sum| target.indices(ScalarOp::Add, sum, own)));
        }
    }
    let number = |n: u64| index(i64::try_from(n).expect("a number of places is small"));
    let Some(arrays) = arrays else { return number(Policy::places(scalars)) };
    let integer = |row: IntegerRow, a: Atom, b: Atom| target.indices(ScalarOp::Integer(row), a, b);
    let elements = integer(IntegerRow::Max, target.indices(ScalarOp::Add, arrays, number(scalars)), index(1));
    let fit = integer(IntegerRow::Quot, number(Policy::RING_ELEMENTS), elements);
    integer(IntegerRow::Max, integer(IntegerRow::Min, fit, number(Policy::RING_STATES)), index(1))
}
