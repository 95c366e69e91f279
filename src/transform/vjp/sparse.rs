//! Sparse adjoints: that of an array of which one place was read is an index and a value, as long as it can be.
//!
//! Law: a sparse adjoint stands for the array that is 0 but at its place, and nowhere else if the place does not exist.
//! It becomes that array where anything else is added, and where a scope begins that adds to it. A map all of whose
//! adjoints are at one index is differentiated at that index alone ("AD for an array language with nested parallelism",
//! *sparsity*: the derivative of k-means touches one centre for each point) (tests/transform/kmeans.rs,
//! tests/transform/work.rs).

use super::Reverse;
use super::adjoints::{Adjoint, Adjoints};
use super::arrays::from_end;
use super::view::offset;
use crate::array::{Atom, Map, Op, Var};
use crate::error::Span;
use crate::transform::copy::Copier;

/// The invariant of scopes: adjoints that go through one are arrays or accumulators.
pub(super) const DENSE: &str = "an adjoint that goes through a scope is not sparse";

/// A value at an index of leading dimensions.
#[derive(Clone, Copy)]
pub(in crate::transform) struct Place {
    /// The number of the index in the list of places.
    at: usize,
    value: Atom,
    /// Whether the index is known to be within the array; else the first of it may be out of bounds.
    certain: bool,
    /// Where the statement comes from whose rule made it; it may be written as an array far from there.
    span: Span,
}

impl Adjoints<'_> {
    /// Adds to the adjoint of an array at an index, or to all of it; if the index is not certain, nothing where it is out of bounds.
    pub(super) fn add_at(&mut self, copier: &Copier<'_, '_>, to: Atom, at: &[Atom], adjoint: Atom, certain: bool) {
        let Some(var) = to.var().filter(|var| self.active.var(*var)) else { return };
        if let Some(view) = self.viewed(var).cloned() {
            return self.add_to_view(copier, var, &view, at, adjoint, certain);
        }
        let target = self.target;
        let sum = match self.of.get(&var).copied() {
            _ if copier.source.type_of(var).accumulator => Adjoint::Value(adjoint),
            None if at.is_empty() => Adjoint::Value(adjoint),
            None => Adjoint::Sparse(self.place(at, adjoint, certain)),
            Some(Adjoint::Value(present)) => Adjoint::Value(self.with_part(present, at, adjoint, certain)),
            Some(Adjoint::Accumulator(acc)) => {
                Adjoint::Accumulator(target.one(Op::Accumulate(acc, at.to_vec(), adjoint)))
            }
            Some(Adjoint::Sparse(present)) if at.is_empty() => Adjoint::Value(self.with_place(adjoint, present)),
            Some(Adjoint::Sparse(present)) if self.places[present.at] == at => {
                Adjoint::Sparse(Place { value: target.add(present.value, adjoint), ..present })
            }
            Some(Adjoint::Sparse(present)) => {
                let dense = self.dense(copier, var, present);
                Adjoint::Value(self.with_part(dense, at, adjoint, certain))
            }
        };
        self.of.insert(var, sum);
    }

    /// A value at an index, from here.
    fn place(&mut self, at: &[Atom], value: Atom, certain: bool) -> Place {
        self.places.push(at.to_vec());
        Place { at: self.places.len() - 1, value, certain, span: self.target.here() }
    }

    /// An adjoint of an array, and a value more at an index of it, or to all of it.
    pub(super) fn with_part(&mut self, present: Atom, at: &[Atom], value: Atom, certain: bool) -> Atom {
        if at.is_empty() {
            return self.target.add(present, value);
        }
        let place = self.place(at, value, certain);
        self.with_place(present, place)
    }

    /// An adjoint of an array, and a value more at a place of it.
    pub(super) fn with_place(&self, present: Atom, place: Place) -> Atom {
        let around = self.target.span(place.span);
        let sum = self.put(present, place);
        self.target.span(around);
        sum
    }

    fn put(&self, present: Atom, place: Place) -> Atom {
        let target = self.target;
        let at = self.places[place.at].clone();
        if !place.certain {
            let acc = target.one(Op::ToAccumulator(present));
            return target.one(Op::FromAccumulator(target.one(Op::Accumulate(acc, at, place.value))));
        }
        let new = if target.is_zero(present) { place.value } else { target.add(target.at(present, &at), place.value) };
        target.one(Op::Update(present, at, new))
    }

    /// The array that a sparse adjoint stands for.
    pub(super) fn dense(&self, copier: &Copier<'_, '_>, var: Var, place: Place) -> Atom {
        self.with_place(self.target.zeros_like(copier.atom(var.into())), place)
    }

    /// What an operation that moves data does to a sparse adjoint, if it can stay one; returns whether it did.
    pub(super) fn moved_sparse(&mut self, copier: &Copier<'_, '_>, var: Var, op: &Op) -> bool {
        let Some(Adjoint::Sparse(place)) = self.of.get(&var).copied() else { return false };
        let (target, at) = (self.target, self.places[place.at].clone());
        let (to, at) = match op {
            Op::Copy(a) => (*a, at),
            Op::Index(a, indices) => {
                if !place.certain {
                    return false;
                }
                (*a, [copier.atoms(indices), at].concat())
            }
            Op::Slice(a, ranges) if place.certain && ranges.len() <= at.len() => {
                let mut at = at;
                for (i, range) in at.iter_mut().zip(ranges) {
                    *i = offset(target, copier.atom(range.start), copier.atom(range.step), *i);
                }
                (*a, at)
            }
            Op::Reverse(a) if place.certain => {
                let size = target.size(copier.atom(*a), 0);
                (*a, [&[from_end(target, size, at[0])], &at[1..]].concat())
            }
            Op::Replicate(_, a) if place.certain => (*a, at[1..].to_vec()),
            _ => return false,
        };
        self.of.remove(&var);
        self.add_at(copier, to, &at, place.value, place.certain);
        true
    }
}

impl Reverse<'_, '_> {
    /// Differentiates a map at the one index that its adjoints are at, if they are; returns whether it did.
    pub(super) fn map_once(&mut self, vars: &[Var], map: &Map) -> bool {
        if !map.accumulators.is_empty() {
            return false;
        }
        let mut places: Vec<(usize, Place)> = Vec::new();
        for (k, var) in vars.iter().enumerate() {
            match self.adjoints.of.get(var) {
                Some(Adjoint::Sparse(place)) => places.push((k, *place)),
                Some(_) => return false,
                None => {}
            }
        }
        let Some((_, first)) = places.first().copied() else { return false };
        let i = self.adjoints.places[first.at][0];
        if places.iter().any(|(_, p)| self.adjoints.places[p.at][0] != i || p.certain != first.certain) {
            return false;
        }
        for var in vars {
            self.adjoints.of.remove(var);
        }
        let target = self.target;
        let arrays = self.copier.atoms(&map.arrays);
        let wanted: Vec<usize> = (0..arrays.len()).filter(|k| self.active.atom(map.arrays[*k])).collect();
        let function = &map.function;
        if first.certain {
            let rows = self.adjoints.rows_in_parts(&self.copier, &self.known.parts, map);
            self.adjoints.enter_rows(&rows, i);
            self.at_index(map, &arrays, i, &places);
            for k in wanted {
                match self.adjoints.of.remove(&function.params[k]) {
                    Some(Adjoint::Sparse(place)) if place.certain => {
                        let at = [&[i], &self.adjoints.places[place.at][..]].concat();
                        self.adjoints.add_at(&self.copier, map.arrays[k], &at, place.value, true);
                    }
                    Some(adjoint) => {
                        self.adjoints.of.insert(function.params[k], adjoint);
                        let value = self.adjoints.take_or_zero(&self.copier, function.params[k]);
                        self.adjoints.add_at(&self.copier, map.arrays[k], &[i], value, true);
                    }
                    None => {}
                }
            }
            rows.iter().for_each(|(param, _)| self.adjoints.forget_view(*param));
            return true;
        }
        let exists = target.within(i, target.size(arrays[0], 0));
        let found = self.either(
            exists,
            &[&function.body],
            &function.params,
            |reverse| {
                reverse.at_index(map, &arrays, i, &places);
                wanted.iter().map(|k| reverse.adjoints.take_or_zero(&reverse.copier, function.params[*k])).collect()
            },
            |_| wanted.iter().map(|k| target.zero_part(arrays[*k], 1)).collect(),
        );
        for (k, value) in wanted.iter().zip(found) {
            self.adjoints.add_at(&self.copier, map.arrays[*k], &[i], value, false);
        }
        true
    }

    /// Both sweeps over one iteration of a map; the adjoints of its parameters are left where they are.
    fn at_index(&mut self, map: &Map, arrays: &[Atom], i: Atom, places: &[(usize, Place)]) {
        for (param, array) in map.function.params.iter().zip(arrays) {
            self.copier.set(*param, self.target.at(*array, &[i]));
        }
        let body = &map.function.body;
        let saved = self.forward(body);
        for (k, place) in places {
            let rest = self.adjoints.places[place.at][1..].to_vec();
            self.adjoints.add_at(&self.copier, body.results[*k], &rest, place.value, true);
        }
        self.backward(body, &saved, &vec![None; body.results.len()]);
    }
}
