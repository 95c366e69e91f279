//! Arrays that a loop updates in place: what an iteration overwrites is logged, and the reverse sweep restores it.
//!
//! Law: the array before an iteration is the one after it with the elements put back that were overwritten, last first;
//! so an update costs what it writes, in both sweeps, however long the array is (tests/transform/loops.rs,
//! tests/transform/work.rs).

use std::rc::Rc;

use super::arrays::rows_at;
use super::chain::{Chain, chain, many};
use super::forward::Forward;
use crate::array::{Atom, Body, IntegerRow, Loop, Op, Policy, ScalarOp, Stm, Var, index};
use crate::transform::copy::Copier;
use crate::transform::target::Target;

/// What has been overwritten so far of an array, while updates are copied.
#[derive(Clone)]
pub(super) struct Log<'c> {
    pub(super) chain: &'c Chain,
    /// Arrays of the indices, and of what was there; none where updates are only counted.
    pub(super) stores: Vec<Atom>,
    /// How many updates there were.
    pub(super) top: Atom,
}

impl<'c> Log<'c> {
    /// A log that only counts, so that there is enough room.
    pub(super) fn counting(chain: &'c Chain, top: Atom) -> Self {
        Log { chain, stores: Vec::new(), top }
    }

    /// What changes.
    fn state(&self) -> Vec<Atom> {
        self.stores.iter().copied().chain([self.top]).collect()
    }

    fn set(&mut self, state: &[Atom]) {
        let (stores, top) = state.split_at(self.stores.len());
        self.stores.copy_from_slice(stores);
        self.top = top[0];
    }

    /// Notes what many updates at a time are about to overwrite. Of a place that is there twice the same is noted twice, and
    /// of one that does not exist anything, which is put back nowhere.
    fn note_all(&mut self, target: &Target, array: Atom, indices: Atom) {
        let count = target.size(indices, 0);
        if let Some((values, positions)) = self.stores.split_last_mut() {
            let numbers = target.iota(count);
            let places = target.map1(&[numbers], |k| target.indices(ScalarOp::Add, k[0], self.top));
            positions.iter_mut().for_each(|position| *position = target.scattered(*position, places, indices));
            *values = target.scattered(*values, places, rows_at(target, array, indices));
        }
        self.top = target.indices(ScalarOp::Add, self.top, count);
    }

    /// The most updates of a statement that are counted, if they are only counted, and it is known.
    fn enough(&self, stm: &Stm) -> Option<i64> {
        if self.stores.is_empty() { self.chain.most_of(core::slice::from_ref(stm)) } else { None }
    }

    fn add(&mut self, target: &Target, count: i64) {
        self.top = target.indices(ScalarOp::Add, self.top, index(count));
    }

    fn note(&mut self, target: &Target, array: Atom, at: &[Atom]) {
        if let Some((values, positions)) = self.stores.split_last_mut() {
            for (position, i) in positions.iter_mut().zip(at) {
                *position = target.one(Op::Update(*position, vec![self.top], *i));
            }
            *values = target.one(Op::Update(*values, vec![self.top], target.at(array, at)));
        }
        self.add(target, 1);
    }
}

/// Copies statements, and notes what updates overwrite, and how many iterations these loops have, which are in the scope of
/// the statements or in a branch of it.
pub(super) fn noted(copier: &mut Copier<'_, '_>, stms: &[Stm], logs: &mut [Log<'_>], iterations: &mut [(Var, Atom)]) {
    let target = copier.target;
    for stm in stms {
        let concerned: Vec<usize> =
            (0..logs.len()).filter(|n| stm.vars.iter().any(|v| logs[*n].chain.links.contains(v))).collect();
        if concerned.is_empty() {
            copier.stm(stm);
            continue;
        }
        // Where there is only to be enough room, what a branch does need not be known.
        let enough = |n: &usize| logs[*n].enough(stm);
        if let Some(most) = concerned.iter().map(enough).collect::<Option<Vec<i64>>>() {
            concerned.iter().zip(most).for_each(|(n, most)| logs[*n].add(target, most));
            copier.stm(stm);
            continue;
        }
        let around = target.span(stm.span);
        let inside = |copier: &mut Copier<'_, '_>, body: &Body, mut logs: Vec<Log<'_>>, mut own: Vec<(Var, Atom)>| {
            noted(copier, &body.stms, &mut logs, &mut own);
            logs.iter().flat_map(Log::state).chain(own.iter().map(|(_, count)| *count)).collect::<Vec<Atom>>()
        };
        let now: Vec<Log<'_>> = concerned.iter().map(|n| logs[*n].clone()).collect();
        // What the statement says of iterations: the places in the list.
        let mut said: Vec<usize> = Vec::new();
        let results = match &stm.op {
            Op::Update(array, at, _) => {
                let (array, at) = (copier.atom(*array), copier.atoms(at));
                concerned.iter().for_each(|n| logs[*n].note(target, array, &at));
                target.span(around);
                copier.stm(stm);
                continue;
            }
            op if let Some((array, indices)) = many(op) => {
                let (array, indices) = (copier.atom(array), copier.atom(indices));
                concerned.iter().for_each(|n| logs[*n].note_all(target, array, indices));
                target.span(around);
                copier.stm(stm);
                continue;
            }
            Op::If(condition, yes, no) => {
                said.extend(0..iterations.len());
                let mut side = |body: &Body| {
                    target.body(|| {
                        let more = inside(copier, body, now.clone(), iterations.to_vec());
                        let mut results = copier.kept_atoms(&body.results);
                        results.extend(more);
                        results
                    })
                };
                let (yes, no) = (Box::new(side(yes)), Box::new(side(no)));
                target.emit(Op::If(copier.atom(*condition), yes, no))
            }
            Op::Loop(it) => {
                said.extend(iterations.iter().position(|(asking, _)| *asking == stm.vars[0]));
                let counter = said.iter().map(|_| index(0));
                let state: Vec<Atom> = now.iter().flat_map(Log::state).chain(counter).collect();
                let it = copier.loop_with(it, &state, |copier, state| {
                    let mut logs = now.clone();
                    let counter = set_all(&mut logs, state);
                    let mut next = inside(copier, &it.body, logs, Vec::new());
                    next.extend(counter.iter().map(|count| target.indices(ScalarOp::Add, *count, index(1))));
                    next
                });
                target.emit(Op::Loop(Box::new(it)))
            }
            _ => panic!("an array is changed in place by updates, one or many at a time, branches and loops"),
        };
        let mut after = now;
        let more: usize = after.iter().map(|log| log.stores.len() + 1).sum();
        let (own, state) = results.split_at(results.len() - more - said.len());
        copier.bind(stm, own);
        copier.bind_told(stm);
        let counts = set_all(&mut after, state);
        said.into_iter().zip(counts).for_each(|(at, count)| iterations[at].1 = *count);
        concerned.into_iter().zip(after).for_each(|(n, log)| logs[n] = log);
        target.span(around);
    }
}

/// Sets logs, and returns the rest.
fn set_all<'s>(logs: &mut [Log<'_>], mut state: &'s [Atom]) -> &'s [Atom] {
    for log in logs {
        let (own, rest) = state.split_at(log.stores.len() + 1);
        log.set(own);
        state = rest;
    }
    state
}

/// What the forward sweep has kept of an array that is changed in place.
pub(super) struct Journal {
    pub(super) chain: Rc<Chain>,
    /// The indices of updates, and what was there.
    stores: Vec<Atom>,
    /// If an iteration may make any number of updates, how many there were in all, and before each iteration.
    marks: Option<(Atom, Atom)>,
}

impl Journal {
    pub(super) fn k(&self) -> usize {
        self.chain.k
    }

    /// What the reverse sweep carries: the array after an iteration, and how many updates there were until then.
    pub(super) fn carried(&self, array: Atom) -> Vec<Atom> {
        core::iter::once(array).chain(self.marks.map(|(top, _)| top)).collect()
    }

    /// The same before the iteration.
    pub(super) fn undone(&self, target: &Target, i: Atom, now: &[Atom]) -> Vec<Atom> {
        let Some((_, marks)) = self.marks else {
            let count = self.chain.updates().expect("the number of updates is fixed, or counted");
            let first = target.indices(ScalarOp::Mul, i, index(count));
            let places = (0..count).rev().map(|u| target.indices(ScalarOp::Add, first, index(u)));
            return vec![places.fold(now[0], |array, at| put_back(target, &self.stores, array, at))];
        };
        let mark = target.at(marks, &[i]);
        if self.chain.is_at_once() {
            let count = target.indices(IntegerRow::Sub, now[1], mark);
            return vec![scattered_back(target, &self.stores, now[0], mark, count), mark];
        }
        vec![self.chain.all_put_back(target, &self.stores, now[0], mark, now[1]), mark]
    }

    /// The array before a loop of `iterations` iterations, from the one after it.
    pub(super) fn all_undone(&self, target: &Target, iterations: Atom, array: Atom) -> Atom {
        let top = match (self.marks, self.chain.updates()) {
            (Some((top, _)), _) => top,
            (None, Some(count)) => target.indices(ScalarOp::Mul, iterations, index(count)),
            (None, None) => panic!("the number of updates is fixed, or counted"),
        };
        self.chain.all_put_back(target, &self.stores, array, index(0), top)
    }
}

/// The array before the update that was noted at this place of the stores.
fn put_back(target: &Target, stores: &[Atom], array: Atom, place: Atom) -> Atom {
    let (values, positions) = stores.split_last().expect("a journal has values");
    let there = positions.iter().map(|p| target.at(*p, &[place])).collect();
    target.one(Op::Update(array, there, target.at(*values, &[place])))
}

/// The array before `count` updates that were logged from `first` on, of which those of one index overwrote the same.
fn scattered_back(target: &Target, stores: &[Atom], array: Atom, first: Atom, count: Atom) -> Atom {
    let [indices, values] = [stores[0], stores[1]].map(|store| target.part(store, first, count));
    target.scattered(array, indices, values)
}

impl Chain {
    /// The array before all updates that were noted from the first place to before the last.
    pub(super) fn all_put_back(&self, target: &Target, stores: &[Atom], array: Atom, first: Atom, last: Atom) -> Atom {
        let steps = target.indices(IntegerRow::Sub, last, first);
        let results = target.repeat(steps, [array], Policy::KeepAll, |e, now| {
            let back = target.indices(IntegerRow::Sub, last, e);
            let place = target.indices(ScalarOp::Add, back, index(-1));
            vec![if self.may_miss {
                scattered_back(target, stores, now[0], place, index(1))
            } else {
                put_back(target, stores, now[0], place)
            }]
        });
        results[0]
    }
}

impl Forward<'_, '_, '_> {
    /// The variables of a loop that are changed in place, and whose elements are needed.
    pub(super) fn chains(&self, it: &Loop) -> Vec<Chain> {
        let of = |k: usize| chain(self.copier.source, self.active, it, k);
        let is_needed = |chain: &Chain| {
            chain.is_read || matches!(it.params[chain.k].1, Atom::Var(initial) if self.again.is_taken_back(initial))
        };
        (0..it.params.len()).filter_map(of).filter(is_needed).collect()
    }
}

/// What a loop carries of each array: the stores, and if the number of updates varies how many there are, and were before each
/// iteration.
fn parts<'a>(chain: &Chain, carried: &mut &'a [Atom]) -> (&'a [Atom], Option<(Atom, Atom)>) {
    let (stores, rest) = carried.split_at(chain.arity + 1);
    let marks = chain.varies().then(|| (rest[0], rest[1]));
    *carried = if marks.is_some() { &rest[2..] } else { rest };
    (stores, marks)
}

/// The logs of an iteration in which a loop carries these.
pub(super) fn logs<'c>(target: &Target, chains: &'c [Chain], mut carried: &[Atom], i: Atom) -> Vec<Log<'c>> {
    let one = |chain: &'c Chain| {
        let (stores, marks) = parts(chain, &mut carried);
        let updates = || index(chain.updates().expect("the number of updates is fixed, or counted"));
        let top = marks.map_or_else(|| target.indices(ScalarOp::Mul, i, updates()), |(top, _)| top);
        Log { chain, stores: stores.to_vec(), top }
    };
    chains.iter().map(one).collect()
}

/// What the loop carries on, from what it carried in this iteration and what has been noted.
pub(super) fn noted_on(target: &Target, logs: &[Log<'_>], mut carried: &[Atom], i: Atom) -> Vec<Atom> {
    let mut next = Vec::new();
    for log in logs {
        next.extend(&log.stores);
        if let (_, Some((top, marks))) = parts(log.chain, &mut carried) {
            next.extend([log.top, target.one(Op::Update(marks, vec![i], top))]);
        }
    }
    next
}

/// The journals of a loop that ended with these.
pub(super) fn journals(chains: Vec<Chain>, mut carried: &[Atom]) -> Vec<Journal> {
    let one = |chain: Chain| {
        let (stores, marks) = parts(&chain, &mut carried);
        Journal { chain: Rc::new(chain), stores: stores.to_vec(), marks }
    };
    chains.into_iter().map(one).collect()
}

/// What a loop carries to keep a journal of an array, with room for the updates that were counted, or for the most that so
/// many iterations make: the stores, and if the number varies how many updates there are, and were before each iteration.
pub(super) fn no_updates(
    copier: &Copier<'_, '_>,
    it: &Loop,
    chain: &Chain,
    counted: Option<Atom>,
    room: Atom,
) -> Vec<Atom> {
    let target = copier.target;
    let first = copier.atom(it.params[chain.k].1);
    let places = match (counted, chain.most()) {
        (Some(counted), _) => counted,
        (None, Some(most)) => target.indices(ScalarOp::Mul, room, index(most)),
        (None, None) => panic!("the number of updates is bounded, or counted"),
    };
    let mut found = chain.stores(target, first, places);
    if chain.varies() {
        found.extend([index(0), target.one(Op::Replicate(room, index(0)))]);
    }
    found
}
