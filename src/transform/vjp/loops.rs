//! The rule of loops: the states are kept, and a loop goes through them backwards.
//!
//! Law: the reverse sweep's iteration `n − 1 − j` has the state that the forward sweep's iteration `j` had, and
//! executes its body again; so a loop keeps the variables of each iteration and nothing of what is inside the body
//! ("Reverse AD for a Functional Array Language", *Tape by Redundant Execution & Checkpointing*). Memory: the number of
//! iterations times the size of the variables that change. The state after an iteration is that of the reverse sweep's
//! iteration before, and not computed again. Other policies are loops rewritten as nests of loops before this rule is
//! applied (tests/transform/rules.rs, laws: checkpointing).

use super::Reverse;
use super::adjoints::Adjoint;
use super::arrays::from_end;
use super::chain::{Chain, is_unbounded};
use super::forward::Forward;
use super::journal::{self, Journal, Log, journals, no_updates, noted, noted_on};
use super::ragged::{Ragged, elements, no_states, with_state};
use super::ring::{Ring, first_states, places};
use crate::array::{Agreement, Atom, Form, IntegerRow, Loop, Op, Policy, ScalarOp, Stm, Var, index};
use crate::transform::checkpoint::states;
use crate::transform::copy::Copier;
use crate::transform::target::Target;

/// The states that a loop has been through.
pub(super) struct Checkpoints {
    /// The number of iterations.
    count: Atom,
    /// For each loop variable how its states are known again.
    states: Vec<State>,
    /// What was overwritten of arrays that are changed in place.
    journals: Vec<Journal>,
    /// Of loops inside that ask without a bound, and change such arrays, how many iterations they had in each of this one.
    ran: Vec<(Var, Atom)>,
    /// Where states are, if the number of iterations was not known beforehand.
    ring: Option<Ring>,
}

/// What is known before the states of a loop are kept.
struct Counts {
    /// The number of iterations, if the loop was run for it.
    iterations: Option<Atom>,
    /// Of each variable that changes its sizes the number of elements of all its states.
    elements: Vec<Atom>,
    /// Of each array that is changed in place the number of updates, where it is not known how many there can be.
    updates: Vec<Option<Atom>>,
}

/// A loop that goes through the iterations of another backwards, from the last to the first.
pub(super) struct Sweep<'l> {
    pub(super) count: Atom,
    /// What derivatives of it keep.
    pub(super) policy: Policy,
    /// What it carries besides adjoints.
    pub(super) more: Vec<Atom>,
    /// Whether a variable may change its sizes, so that its adjoint has those of the state before an iteration.
    pub(super) resizes: &'l dyn Fn(usize) -> bool,
}

/// Parts of a list that are so long.
fn split<'a>(mut list: &'a [Atom], sizes: &[usize]) -> Vec<&'a [Atom]> {
    let mut next = |size: &usize| {
        let (part, rest) = list.split_at(*size);
        list = rest;
        part
    };
    sizes.iter().map(&mut next).collect()
}

/// How the value of a loop variable in an iteration is known again.
enum State {
    /// It is never needed.
    Unused,
    /// It does not change.
    Same(Atom),
    /// From an array of the values of all iterations; or from the ring, and an array of what came before it.
    Kept(Atom, Option<Atom>),
    /// From the elements of the values of all iterations.
    Ragged(Ragged),
    /// From the value after the iteration, by the journal of this number.
    Journal(usize),
}

impl Checkpoints {
    /// The values of the variables that are kept, in an iteration.
    fn at(&self, target: &Target, i: Atom) -> Vec<Atom> {
        let kept = || self.states.iter().filter_map(|s| if let State::Kept(a, b) = s { Some((*a, *b)) } else { None });
        let read = |array: Atom, at: Atom| target.at(array, &[at]);
        match self.ring {
            Some(ring) if kept().next().is_some() => target.choose(
                target.scalar(ScalarOp::Less, &[i, ring.earlier]),
                || kept().filter_map(|(_, earlier)| earlier).map(|array| read(array, i)).collect(),
                || {
                    let place = ring.place(target, i);
                    kept().map(|(array, _)| read(array, place)).collect()
                },
            ),
            Some(_) | None => kept().map(|(array, _)| read(array, i)).collect(),
        }
    }

    /// Sets the state of an iteration, with what is undone of arrays that are changed in place; returns where the states begin that
    /// end at `ends`.
    fn enter(&self, copier: &mut Copier<'_, '_>, it: &Loop, i: Atom, ends: &[Atom], undone: &[Vec<Atom>]) -> Vec<Atom> {
        if let Form::For(var, _) = &it.form {
            copier.set(*var, i);
        }
        let (mut kept, mut ends, mut starts) = (self.at(copier.target, i).into_iter(), ends.iter(), Vec::new());
        for ((param, _), state) in it.params.iter().zip(&self.states) {
            let value = match state {
                State::Unused => {
                    copier.leave_out(*param);
                    continue;
                }
                State::Same(value) => *value,
                State::Kept(..) => kept.next().expect("a state is kept"),
                State::Ragged(ragged) => {
                    let end = ends.next().expect("the states of a variable have an end");
                    let (value, start) = ragged.at(copier.target, i, *end);
                    starts.push(start);
                    value
                }
                State::Journal(n) => undone[*n][0],
            };
            copier.set(*param, value);
        }
        starts
    }
}

/// The most iterations that there is room for: all, if their number is known.
fn room(copier: &Copier<'_, '_>, it: &Loop, iterations: Option<Atom>) -> Atom {
    match (&it.form, iterations) {
        (Form::While { bound: None, .. }, Some(iterations)) => iterations,
        (Form::While { bound: None, .. }, None) => places(copier, it),
        (Form::For(_, bound) | Form::While { bound: Some(bound), .. }, _) => {
            copier.target.indices(IntegerRow::Max, copier.atom(*bound), index(0))
        }
    }
}

/// The variables of a loop that iterations leave as they are, accumulators excepted, and their values.
pub(super) fn unchanged(copier: &Copier<'_, '_>, it: &Loop) -> Vec<(usize, Atom)> {
    let is_same = |k: &usize| {
        let (param, _) = it.params[*k];
        it.body.results[*k] == param.into() && !copier.source.type_of(param).accumulator
    };
    (0..it.params.len()).filter(is_same).map(|k| (k, copier.atom(it.params[k].1))).collect()
}

impl Forward<'_, '_, '_> {
    /// Writes a loop that keeps its states.
    pub(super) fn loop_forward(&mut self, stm: &Stm, it: &Loop) -> Checkpoints {
        let target = self.copier.target;
        let (ragged, chains) = (self.ragged(it), self.chains(it));
        let is_apart = |k: &usize| ragged.contains(k) || chains.iter().any(|chain| chain.k == *k);
        let mut changing = states(self.copier.source, it);
        changing.retain(|k| !is_apart(k));
        let counts = self.counts(stm, it, &ragged, &chains);
        let has_ring = is_unbounded(it) && counts.iterations.is_none();
        let room = room(self.copier, it, counts.iterations);
        let mut states: Vec<State> = it.params.iter().map(|_| State::Unused).collect();
        unchanged(self.copier, it).into_iter().for_each(|(k, value)| states[k] = State::Same(value));

        let firsts: Vec<Atom> = changing.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        let mut parts: Vec<Vec<Atom>> =
            vec![firsts.iter().map(|first| target.one(Op::Replicate(room, *first))).collect()];
        for (k, total) in ragged.iter().zip(&counts.elements) {
            parts.push(no_states(target, self.copier.atom(it.params[*k].1), *total, room));
        }
        let places: Vec<Atom> = counts.elements.iter().map(|total| target.iota(*total)).collect();
        for (chain, updates) in chains.iter().zip(&counts.updates) {
            parts.push(no_updates(self.copier, it, chain, *updates, room));
        }
        let mut asking: Vec<Var> = chains.iter().flat_map(Chain::asking).collect();
        asking.sort_unstable();
        asking.dedup();
        parts.push(asking.iter().map(|_| target.one(Op::Replicate(room, index(0)))).collect());
        // A loop that asks counts its iterations; one that counts need not.
        let asks = matches!(it.form, Form::While { .. });
        parts.push(if asks { vec![index(0)] } else { Vec::new() });
        let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        let begun = parts.concat();
        let (of_updates, of_ran) = (1 + ragged.len(), sizes.len() - 2);

        let form = |copier: &mut Copier<'_, '_>| match &it.form {
            Form::For(i, _) => Form::For(copier.parameter(*i), room),
            Form::While { .. } => copier.form(it),
        };
        let looped = self.copier.looped(it, true, &begun, form, |copier, now| {
            let now = split(now, &sizes);
            let i = match &it.form {
                Form::For(i, _) => copier.atom((*i).into()),
                Form::While { .. } => now[of_ran + 1][0],
            };
            let ring = Ring { places: room, earlier: index(0) };
            let place = if has_ring && !changing.is_empty() { ring.place(target, i) } else { i };
            let mut updated = keep(copier, it, &changing, now[0], place);
            for ((k, kept), places) in ragged.iter().zip(&now[1..]).zip(&places) {
                let state = copier.atom(it.params[*k].0.into());
                updated.extend(with_state(target, kept, *places, state, i));
            }
            let carried = now[of_updates..of_ran].concat();
            let mut logs = journal::logs(target, &chains, &carried, i);
            let mut ran: Vec<(Var, Atom)> = asking.iter().map(|of| (*of, index(0))).collect();
            noted(copier, &it.body.stms, &mut logs, &mut ran);
            updated.extend(noted_on(target, &logs, &carried, i));
            let put = |(store, (_, count)): (&Atom, &(Var, Atom))| target.one(Op::Update(*store, vec![i], *count));
            updated.extend(now[of_ran].iter().zip(&ran).map(put));
            updated.extend(asks.then(|| target.indices(ScalarOp::Add, i, index(1))));
            updated
        });
        let mut results = target.emit(Op::Loop(Box::new(Loop { policy: Policy::KeepAll, ..looped })));
        let kept = results.split_off(results.len() - begun.len());
        let found = split(&kept, &sizes);
        let count = if asks { found[of_ran + 1][0] } else { room };
        let ring = has_ring.then(|| Ring::of(target, room, count));
        let earlier =
            ring.map_or_else(Vec::new, |ring| first_states(self.copier, it, &changing, &firsts, ring.earlier));
        self.copier.bind(stm, &results);
        for (n, (k, store)) in changing.iter().zip(found[0]).enumerate() {
            states[*k] = State::Kept(*store, earlier.get(n).copied());
        }
        for (k, kept) in ragged.iter().zip(&found[1..]) {
            states[*k] = State::Ragged(Ragged::of(kept));
        }
        let ran = asking.into_iter().zip(found[of_ran].iter().copied()).collect();
        let journals = journals(chains, &found[of_updates..of_ran].concat());
        journals.iter().enumerate().for_each(|(n, journal)| states[journal.k()] = State::Journal(n));
        Checkpoints { count, states, journals, ran, ring }
    }

    /// What has to be known before the states of a loop can be kept: where a loop around it has noted its updates, no more than
    /// they are; else it is run for it.
    fn counts(&mut self, stm: &Stm, it: &Loop, ragged: &[usize], chains: &[Chain]) -> Counts {
        let iterations = self.again.iterations(stm.vars[0]);
        let room = |chain: &Chain| self.again.room(stm.vars[chain.k]).filter(|_| chain.most().is_none());
        let rooms: Vec<Option<Atom>> = chains.iter().map(room).collect();
        let is_counted = |(chain, room): (&Chain, &Option<Atom>)| chain.most().is_none() && room.is_none();
        let is_asked = is_unbounded(it) && !chains.is_empty() && iterations.is_none();
        if ragged.is_empty() && !is_asked && !chains.iter().zip(&rooms).any(is_counted) {
            return Counts { iterations, elements: Vec::new(), updates: rooms };
        }
        let counted: Vec<&Chain> = chains.iter().filter(|chain| chain.most().is_none()).collect();
        let numbers = 1 + ragged.len() + counted.len();
        let found = self.copier.counted(it, numbers, |copier, now| {
            let target = copier.target;
            let (sums, tops) = now[1..].split_at(ragged.len());
            let mut next = vec![target.indices(ScalarOp::Add, now[0], index(1))];
            for (k, sum) in ragged.iter().zip(sums) {
                let own = elements(target, copier.atom(it.params[*k].0.into()));
                next.push(target.indices(ScalarOp::Add, *sum, own));
            }
            let mut logs: Vec<Log<'_>> =
                counted.iter().zip(tops).map(|(chain, top)| Log::counting(chain, *top)).collect();
            noted(copier, &it.body.stms, &mut logs, &mut []);
            next.extend(logs.iter().map(|log| log.top));
            next
        });
        let (elements, updates) = found[1..].split_at(ragged.len());
        let mut updates = updates.iter().copied();
        let updates = chains.iter().map(|chain| if chain.most().is_none() { updates.next() } else { None }).collect();
        Counts { iterations: Some(found[0]), elements: elements.to_vec(), updates }
    }
}

impl Reverse<'_, '_> {
    pub(super) fn loop_backward(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        let target = self.target;
        let Checkpoints { count, states, journals, ran, .. } = checkpoints;
        let resizes = |k: usize| matches!(states[k], State::Ragged(_));
        for (k, (param, first)) in it.params.iter().enumerate() {
            if self.active.var(*param) && !self.copier.source.type_of(*param).accumulator && !resizes(k) {
                // The adjoint of a result has the sizes of what the variable starts from.
                let last = self.copier.atom(stm.vars[k].into());
                target.agree(Agreement::Carried, last, self.copier.atom(*first));
            }
        }
        // The results that become the states after an iteration, each with which variable it becomes.
        let becomes = |(k, state): (usize, &State)| match (state, it.body.results[k]) {
            (State::Kept(..), Atom::Var(result)) => Some((result, k)),
            _ => None,
        };
        let after: Vec<(Var, usize)> = states.iter().enumerate().filter_map(becomes).collect();
        let total = |state: &State| if let State::Ragged(it) = state { Some(it.total) } else { None };
        let mut parts: Vec<Vec<Atom>> = vec![
            after.iter().map(|(_, k)| self.copier.atom(stm.vars[*k].into())).collect(),
            states.iter().filter_map(total).collect(),
        ];
        parts.extend(journals.iter().map(|journal| journal.carried(self.copier.atom(stm.vars[journal.k()].into()))));
        let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        let enter = |reverse: &mut Self, [i, _]: [Atom; 2], now: &[Atom]| {
            let now = split(now, &sizes);
            let undone: Vec<Vec<Atom>> =
                journals.iter().zip(&now[2..]).map(|(journal, now)| journal.undone(target, i, now)).collect();
            let count = |(now, undone): (&&[Atom], &Vec<Atom>)| {
                undone.get(1).map(|first| target.indices(IntegerRow::Sub, now[1], *first))
            };
            let counts: Vec<Option<Atom>> = now[2..].iter().zip(&undone).map(count).collect();
            let starts = checkpoints.enter(&mut reverse.copier, it, i, now[1], &undone);
            let before = |(_, k): &(Var, usize)| reverse.copier.atom(it.params[*k].0.into());
            let states_before: Vec<Atom> = after.iter().map(before).collect();
            after.iter().zip(now[0]).for_each(|((var, _), value)| reverse.copier.tell(*var, *value));
            let ran = ran.iter().map(|(of, counts)| (*of, target.at(*counts, &[i])));
            reverse.again.take_back_updates(journals, &counts, ran);
            ([states_before, starts].concat(), undone)
        };
        let leave = |reverse: &mut Self, (mut next, undone): (Vec<Atom>, Vec<Vec<Atom>>)| {
            reverse.again.forget_updates(journals);
            after.iter().for_each(|(var, _)| reverse.copier.untell(*var));
            for (journal, undone) in journals.iter().zip(&undone) {
                next.push(reverse.copier.atom(it.params[journal.k()].0.into()));
                next.extend(&undone[1..]);
            }
            next
        };
        let sweep = Sweep { count: *count, policy: Policy::KeepAll, more: parts.concat(), resizes: &resizes };
        let results = self.sweep(stm, it, sweep, enter, leave);
        for (journal, result) in journals.iter().zip(&split(&results, &sizes)[2..]) {
            self.give_back(it, journal, |_| result[0]);
        }
    }

    /// Gives arrays back as they were before a loop, if it has none but active results without an adjoint.
    pub(super) fn loop_undone(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        for journal in &checkpoints.journals {
            self.give_back(it, journal, |reverse| {
                let after = reverse.copier.atom(stm.vars[journal.k()].into());
                journal.all_undone(reverse.target, checkpoints.count, after)
            });
        }
    }

    /// Gives an array back to what a loop around it changes, as it was before this loop.
    fn give_back(&mut self, it: &Loop, journal: &Journal, before: impl FnOnce(&Self) -> Atom) {
        if let Atom::Var(initial) = it.params[journal.k()].1
            && self.again.is_taken_back(initial)
        {
            let before = before(self);
            self.copier.set(initial, before);
        }
    }

    /// Returns through a loop: `enter` sets the state of an iteration, from its number and its number from the end; `leave` says
    /// what is carried on besides adjoints, and what is left of that in the end is returned.
    pub(super) fn sweep<S>(
        &mut self,
        stm: &Stm,
        it: &Loop,
        Sweep { count, policy, more, resizes }: Sweep<'_>,
        enter: impl FnOnce(&mut Self, [Atom; 2], &[Atom]) -> S,
        leave: impl FnOnce(&mut Self, S) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let target = self.target;
        let param = |k: &usize| it.params[*k].0;
        let is_accumulator = |k: &usize| self.copier.source.type_of(param(k)).accumulator;
        let (through, values): (Vec<usize>, Vec<usize>) = (0..it.params.len()).partition(is_accumulator);
        let carried: Vec<usize> = values.into_iter().filter(|k| self.active.var(param(k))).collect();
        // The adjoint of an accumulator goes around the loop, to what it begins with.
        let mut seeds: Vec<Option<Atom>> = vec![None; it.params.len()];
        for k in &through {
            seeds[*k] = self.adjoints.take(&self.copier, stm.vars[*k]);
            seeds[*k].into_iter().for_each(|adjoint| self.adjoints.add(&self.copier, it.params[*k].1, adjoint));
        }
        let mut initial: Vec<Atom> =
            carried.iter().map(|k| self.adjoints.take_or_zero(&self.copier, stm.vars[*k])).collect();
        initial.extend(more);
        let mut results = self.backwards(count, &initial, it, policy, |reverse, j, now| {
            let i = from_end(target, count, j);
            let (adjoints, more) = now.split_at(carried.len());
            through.iter().for_each(|k| reverse.copier.leave_out(param(k)));
            let state = enter(reverse, [i, j], more);
            carried.iter().zip(adjoints).for_each(|(k, adjoint)| seeds[*k] = Some(*adjoint));
            let saved = reverse.forward(&it.body);
            reverse.backward(&it.body, &saved, &seeds);
            // Those of accumulators have been passed on already.
            for k in &through {
                reverse.adjoints.of.remove(&param(k));
            }
            let next = |(k, adjoint): (&usize, &Atom)| {
                let found = reverse.adjoints.take(&reverse.copier, param(k));
                let like = || if resizes(*k) { reverse.copier.atom(param(k).into()) } else { *adjoint };
                found.unwrap_or_else(|| target.zeros_like(like()))
            };
            let mut next: Vec<Atom> = carried.iter().zip(adjoints).map(next).collect();
            next.extend(leave(reverse, state));
            next
        });
        let rest = results.split_off(carried.len());
        for (k, result) in carried.iter().zip(results) {
            self.adjoints.add(&self.copier, it.params[*k].1, result);
        }
        rest
    }

    /// A loop that carries `initial`, and in which adjoints of variables from outside of another loop are added to.
    fn backwards(
        &mut self,
        count: Atom,
        initial: &[Atom],
        it: &Loop,
        policy: Policy,
        inside: impl FnOnce(&mut Self, Atom, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let index = if let Form::For(i, _) = &it.form { Some(*i) } else { None };
        let bound: Vec<Var> = it.params.iter().map(|(param, _)| *param).chain(index).collect();
        let touched = self.adjoints.touched(&self.copier, &[&it.body], &bound);
        let before: Vec<Adjoint> = touched.iter().map(|v| self.adjoints.adjoint_or_zero(&self.copier, *v)).collect();
        let around = self.adjoints.enter_loop(&touched);
        let all = initial.iter().copied().chain(before.iter().map(|a| a.atom()));
        let mut results = self.target.repeat(count, all, policy, |j, now| {
            let (carried, adjoints) = now.split_at(initial.len());
            for ((v, adjoint), now) in touched.iter().zip(&before).zip(adjoints) {
                self.adjoints.of.insert(*v, adjoint.with(*now));
            }
            let mut results = inside(self, j, carried);
            results.extend(touched.iter().map(|v| self.adjoints.of[v].atom()));
            results
        });
        self.adjoints.leave(around);
        let adjoints = results.split_off(initial.len());
        for ((v, adjoint), result) in touched.iter().zip(before).zip(adjoints) {
            self.adjoints.of.insert(*v, adjoint.with(result));
        }
        results
    }
}

/// The arrays of states, with the states now in one place.
pub(super) fn keep(copier: &Copier<'_, '_>, it: &Loop, changing: &[usize], stores: &[Atom], place: Atom) -> Vec<Atom> {
    let put = |(k, store): (&usize, &Atom)| {
        let now = copier.atom(it.params[*k].0.into());
        copier.target.one(Op::Update(*store, vec![place], now))
    };
    changing.iter().zip(stores).map(put).collect()
}
