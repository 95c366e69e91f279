//! States of arrays that change their sizes: one after the other in one array, with their sizes beside them.
//!
//! Law: the array is as long as all states together, which a run of the loop that computes nothing but sizes finds
//! beforehand, so that the reverse sweep moves as many elements as the states have, and none twice
//! (tests/transform/loops.rs).

use super::forward::Forward;
use crate::array::{Atom, IntegerRow, Loop, Op, ScalarOp, index};
use crate::transform::checkpoint::mentions;
use crate::transform::target::Target;

/// The states of a loop variable.
#[derive(Clone)]
pub(super) struct Ragged {
    /// All elements.
    flat: Atom,
    /// How many they are.
    pub(super) total: Atom,
    /// For each dimension the sizes in all iterations.
    sizes: Vec<Atom>,
}

/// The number of elements of an array.
pub(super) fn elements(target: &Target, array: Atom) -> Atom {
    target.count(&target.sizes(array, 0))
}

impl Forward<'_, '_, '_> {
    /// The variables of a loop that may change their sizes, and whose states the reverse sweep needs, be it for the
    /// sizes of adjoints.
    pub(super) fn ragged(&self, it: &Loop) -> Vec<usize> {
        let of = |k: usize| it.params[k].0;
        let found: Vec<usize> = (0..it.params.len()).filter(|k| self.sizes.may_change(it, *k)).collect();
        if found.is_empty() {
            return found;
        }
        let mentions = mentions(it);
        let is_needed = |k: &usize| self.active.var(of(*k)) || mentions.contains_key(&of(*k).into());
        found.into_iter().filter(is_needed).collect()
    }
}

/// The same with a state more, of this iteration; `places` are the indices of all elements.
pub(super) fn with_state(target: &Target, kept: &[Atom], places: Atom, state: Atom, i: Atom) -> Vec<Atom> {
    let (flat, used) = (kept[0], kept[1]);
    let count = elements(target, state);
    let values = target.one(Op::Reshape(state, vec![count]));
    let flat = target.scattered(flat, target.part(places, used, count), values);
    let put = |(d, sizes): (usize, &Atom)| target.one(Op::Update(*sizes, vec![i], target.size(state, d)));
    let sizes = kept[2..].iter().enumerate().map(put);
    [flat, target.indices(ScalarOp::Add, used, count)].into_iter().chain(sizes).collect()
}

impl Ragged {
    /// What a loop has kept.
    pub(super) fn of(kept: &[Atom]) -> Self {
        Ragged { flat: kept[0], total: kept[1], sizes: kept[2..].to_vec() }
    }

    /// The state in an iteration, whose elements end here, and where they begin.
    pub(super) fn at(&self, target: &Target, i: Atom, end: Atom) -> (Atom, Atom) {
        let sizes: Vec<Atom> = self.sizes.iter().map(|sizes| target.at(*sizes, &[i])).collect();
        let count = target.count(&sizes);
        let start = target.indices(IntegerRow::Sub, end, count);
        let part = target.part(self.flat, start, count);
        (target.one(Op::Reshape(part, sizes)), start)
    }
}

/// What a loop of at most `room` iterations begins with, to keep states of `total` elements together of a variable: the
/// elements, how many there are, and the sizes in each dimension.
pub(super) fn no_states(target: &Target, first: Atom, total: Atom, room: Atom) -> Vec<Atom> {
    let of = target.type_of(first);
    let flat = target.one(Op::Replicate(total, of.prim.zero().into()));
    let sizes = (0..of.rank).map(|_| target.one(Op::Replicate(room, index(0))));
    [flat, index(0)].into_iter().chain(sizes).collect()
}
