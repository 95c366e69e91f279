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
use super::journal::{self, Journal, Log, journals, no_updates, noted, noted_on};
use super::ragged::{Ragged, elements, no_states, with_state};
use super::ring::{Ring, places};
use crate::array::{Agreement, Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Stm, Type, Var, index};
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
}

/// The variables that a loop binds, besides those of its body.
pub(super) fn bound_by(it: &Loop) -> Vec<Var> {
    let index = if let Form::For(i, _) = &it.form { Some(*i) } else { None };
    it.params.iter().map(|(param, _)| *param).chain(index).collect()
}

impl Reverse<'_, '_> {
    /// Writes a loop that keeps its states.
    pub(super) fn loop_forward(&mut self, stm: &Stm, it: &Loop) -> Checkpoints {
        let target = self.target;
        let kept: Vec<&(Var, Atom)> = it.params.iter().filter(|(_, initial)| self.copier.kept(*initial)).collect();
        let initial: Vec<Atom> = kept.iter().map(|(_, a)| self.copier.atom(*a)).collect();
        let (ragged, chains) = (self.ragged(it), self.chains(it));
        let is_apart = |k: &usize| ragged.contains(k) || chains.iter().any(|chain| chain.k == *k);
        let mut changing = states(self.copier.source, it);
        changing.retain(|k| !is_apart(k));
        let counts = self.counts(stm, it, &ragged, &chains);
        let has_ring = is_unbounded(it) && counts.iterations.is_none();
        let room = match (&it.form, counts.iterations) {
            (Form::While { bound: None, .. }, Some(iterations)) => iterations,
            (Form::While { bound: None, .. }, None) => places(&self.copier, it),
            (Form::For(_, bound) | Form::While { bound: Some(bound), .. }, _) => {
                target.scalar(ScalarOp::Integer(IntegerRow::Max), &[self.copier.atom(*bound), index(0)])
            }
        };
        let same = |(k, (param, first)): (usize, &(Var, Atom))| {
            let is_value = !self.copier.source.type_of(*param).accumulator;
            if is_value && it.body.results[k] == Atom::Var(*param) {
                State::Same(self.copier.atom(*first))
            } else {
                State::Unused
            }
        };
        let mut states: Vec<State> = it.params.iter().enumerate().map(same).collect();
        let firsts: Vec<Atom> = changing.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        let stores: Vec<Atom> = firsts.iter().map(|first| target.one(Op::Replicate(room, *first))).collect();
        let mut parts: Vec<Vec<Atom>> = vec![stores];
        for (k, total) in ragged.iter().zip(&counts.elements) {
            parts.push(no_states(self.target, self.copier.atom(it.params[*k].1), *total, room));
        }
        let places: Vec<Atom> = counts.elements.iter().map(|total| target.iota(*total)).collect();
        for (chain, updates) in chains.iter().zip(&counts.updates) {
            parts.push(no_updates(&self.copier, it, chain, *updates, room));
        }
        let mut asking: Vec<Var> = chains.iter().flat_map(Chain::asking).collect();
        asking.sort_unstable();
        asking.dedup();
        parts.push(asking.iter().map(|_| target.one(Op::Replicate(room, index(0)))).collect());
        let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        for (param, first) in &it.params {
            if !self.copier.kept(*first) {
                self.copier.leave_out(*param);
            }
        }
        let mut params: Vec<(Var, Atom)> =
            kept.iter().zip(&initial).map(|((param, _), first)| (self.copier.parameter(*param), *first)).collect();
        let values = params.len();
        let (stored, now) = target.carried(parts.into_iter().flatten());
        params.extend(stored);

        // A loop that asks counts its iterations; one that counts need not.
        let asks = matches!(it.form, Form::While { .. });
        let (form, i) = match &it.form {
            Form::For(i, _) => {
                let bound = self.copier.parameter(*i);
                (Form::For(bound, room), Atom::Var(bound))
            }
            Form::While { condition, bound } => {
                let counter = target.fresh(Type::scalar(Prim::I64));
                params.push((counter, index(0)));
                let bound = bound.map(|b| self.copier.atom(b));
                (Form::While { condition: self.copier.body(condition), bound }, Atom::Var(counter))
            }
        };
        let (of_states, of_updates) = (1, 1 + ragged.len());
        let body = target.body(|| {
            let place = if has_ring && !changing.is_empty() {
                Ring { places: room, earlier: index(0) }.place(target, i)
            } else {
                i
            };
            let now = split(&now, &sizes);
            let mut updated = keep(&self.copier, it, &changing, now[0], place);
            for ((k, kept), places) in ragged.iter().zip(&now[of_states..]).zip(&places) {
                let state = self.copier.atom(it.params[*k].0.into());
                updated.extend(with_state(target, kept, *places, state, i));
            }
            let carried = now[of_updates..now.len() - 1].concat();
            let mut logs = journal::logs(target, &chains, &carried, i);
            let mut ran: Vec<(Var, Atom)> = asking.iter().map(|of| (*of, index(0))).collect();
            noted(&mut self.copier, &it.body.stms, &mut logs, &mut ran);
            updated.extend(noted_on(target, &logs, &carried, i));
            let put = |(store, (_, count)): (&Atom, &(Var, Atom))| target.one(Op::Update(*store, vec![i], *count));
            updated.extend(now[now.len() - 1].iter().zip(&ran).map(put));
            let mut results = self.copier.kept_atoms(&it.body.results);
            results.extend(updated);
            if asks {
                results.push(target.indices(ScalarOp::Add, i, index(1)));
            }
            results
        });
        let results = target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })));
        let count = if asks { results[results.len() - 1] } else { room };
        let ring = has_ring.then(|| {
            let more = target.indices(ScalarOp::Integer(IntegerRow::Sub), count, room);
            Ring { places: room, earlier: target.scalar(ScalarOp::Integer(IntegerRow::Max), &[more, index(0)]) }
        });
        let earlier = match ring {
            Some(ring) => self.again(it, &changing, &firsts, ring.earlier),
            None => Vec::new(),
        };
        self.copier.bind(stm, &results[..values]);
        let found = split(&results[values..], &sizes);
        for (n, (k, store)) in changing.iter().zip(found[0]).enumerate() {
            states[*k] = State::Kept(*store, earlier.get(n).copied());
        }
        for (k, kept) in ragged.iter().zip(&found[of_states..]) {
            states[*k] = State::Ragged(Ragged::of(kept));
        }
        let ran = asking.into_iter().zip(found[found.len() - 1].iter().copied()).collect();
        let journals = journals(chains, &found[of_updates..found.len() - 1].concat());
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
            next.extend(logs.iter().map(Log::top));
            next
        });
        let (elements, updates) = found[1..].split_at(ragged.len());
        let mut updates = updates.iter().copied();
        let updates = chains.iter().map(|chain| if chain.most().is_none() { updates.next() } else { None }).collect();
        Counts { iterations: Some(found[0]), elements: elements.to_vec(), updates }
    }

    pub(super) fn loop_backward(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        let target = self.target;
        let is_accumulator = |k: usize| self.copier.source.type_of(it.params[k].0).accumulator;
        let carried: Vec<usize> =
            (0..it.params.len()).filter(|k| self.active.var(it.params[*k].0) && !is_accumulator(*k)).collect();
        let through: Vec<usize> = (0..it.params.len()).filter(|k| is_accumulator(*k)).collect();
        let around = self.taken_around(stm, it, &through);

        let bound = bound_by(it);
        let Checkpoints { count, states, journals, ran, .. } = checkpoints;
        let is_ragged = |k: usize| matches!(states[k], State::Ragged(_));
        let adjoints = carried.iter().map(|k| {
            let result = stm.vars[*k];
            if is_ragged(*k) {
                self.adjoints.take_or_zero(&self.copier, result)
            } else {
                self.loop_seed(result, it, *k)
            }
        });
        let mut parts: Vec<Vec<Atom>> = vec![adjoints.collect()];
        // The results that become the states after an iteration, each with which variable it becomes.
        let mut after: Vec<(Var, usize)> = Vec::new();
        for (k, state) in states.iter().enumerate() {
            if let (State::Kept(..), Atom::Var(result)) = (state, it.body.results[k]) {
                after.push((result, k));
            }
        }
        parts.push(after.iter().map(|(_, k)| self.copier.atom(stm.vars[*k].into())).collect());
        parts.push(
            states.iter().filter_map(|s| if let State::Ragged(it) = s { Some(it.total) } else { None }).collect(),
        );
        for journal in journals {
            parts.push(journal.carried(self.copier.atom(stm.vars[journal.k()].into())));
        }
        let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        let results =
            self.backwards(*count, &parts.concat(), &[&it.body], &bound, Policy::KeepAll, |reverse, j, now| {
                let now = split(now, &sizes);
                let (adjoints, known) = (now[0], now[1]);
                let i = from_end(target, *count, j);
                if let Form::For(var, _) = &it.form {
                    reverse.copier.set(*var, i);
                }
                let mut kept = checkpoints.at(target, i).into_iter();
                let (mut ends, mut starts) = (now[2].iter(), Vec::new());
                let undone: Vec<Vec<Atom>> =
                    journals.iter().zip(&now[3..]).map(|(journal, now)| journal.undone(target, i, now)).collect();
                let count = |(now, undone): (&&[Atom], &Vec<Atom>)| {
                    undone.get(1).map(|first| target.indices(IntegerRow::Sub, now[1], *first))
                };
                let counts: Vec<Option<Atom>> = now[3..].iter().zip(&undone).map(count).collect();
                for ((param, _), state) in it.params.iter().zip(states) {
                    let value = match state {
                        State::Unused => {
                            reverse.copier.leave_out(*param);
                            continue;
                        }
                        State::Same(value) => *value,
                        State::Kept(..) => kept.next().expect("a state is kept"),
                        State::Ragged(ragged) => {
                            let end = ends.next().expect("the states of a variable have an end");
                            let (value, start) = ragged.at(target, i, *end);
                            starts.push(start);
                            value
                        }
                        State::Journal(n) => undone[*n][0],
                    };
                    reverse.copier.set(*param, value);
                }
                let before = |reverse: &Self, k: usize| reverse.copier.atom(it.params[k].0.into());
                let states_before: Vec<Atom> = after.iter().map(|(_, k)| before(reverse, *k)).collect();
                after.iter().zip(known).for_each(|((var, _), value)| reverse.copier.tell(*var, *value));
                let ran = ran.iter().map(|(of, counts)| (*of, target.at(*counts, &[i])));
                reverse.again.take_back_updates(journals, &counts, ran);
                reverse.return_through(it, (&carried, adjoints), (&through, &around));
                reverse.again.forget_updates(journals);
                after.iter().for_each(|(var, _)| reverse.copier.untell(*var));
                let mut next: Vec<Atom> = Vec::new();
                for (k, adjoint) in carried.iter().zip(adjoints) {
                    let param = it.params[*k].0;
                    next.push(match reverse.adjoints.take(&reverse.copier, param) {
                        Some(adjoint) => adjoint,
                        // Of the sizes that the variable had before the iteration.
                        None if is_ragged(*k) => target.zeros_like(before(reverse, *k)),
                        None => target.zeros_like(*adjoint),
                    });
                }
                next.extend(states_before);
                next.extend(starts);
                for (journal, undone) in journals.iter().zip(&undone) {
                    next.push(before(reverse, journal.k()));
                    next.extend(&undone[1..]);
                }
                next
            });
        let results = split(&results, &sizes);
        for (k, result) in carried.iter().zip(results[0]) {
            self.adjoints.add(&self.copier, it.params[*k].1, *result);
        }
        for (journal, result) in journals.iter().zip(&results[3..]) {
            if let Atom::Var(initial) = it.params[journal.k()].1
                && self.again.is_taken_back(initial)
            {
                self.copier.set(initial, result[0]);
            }
        }
    }

    /// Gives arrays back as they were before a loop, if it has none but active results without an adjoint.
    pub(super) fn loop_undone(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        for journal in &checkpoints.journals {
            if let Atom::Var(initial) = it.params[journal.k()].1
                && self.again.is_taken_back(initial)
            {
                let after = self.copier.atom(stm.vars[journal.k()].into());
                let before = journal.all_undone(self.target, checkpoints.count, after);
                self.copier.set(initial, before);
            }
        }
    }

    /// Takes the adjoints of accumulators that go through a loop, and passes them on around it, to what they begin with.
    pub(super) fn taken_around(&mut self, stm: &Stm, it: &Loop, through: &[usize]) -> Vec<Option<Atom>> {
        let around: Vec<Option<Atom>> =
            through.iter().map(|k| self.adjoints.take(&self.copier, stm.vars[*k])).collect();
        for (k, adjoint) in through.iter().zip(&around) {
            if let Some(adjoint) = adjoint {
                self.adjoints.add(&self.copier, it.params[*k].1, *adjoint);
            }
        }
        around
    }

    /// Executes an iteration again from the state that is set, and returns through it, for these adjoints of the results
    /// that are carried and of the accumulators that go through.
    pub(super) fn return_through(
        &mut self,
        it: &Loop,
        (carried, adjoints): (&[usize], &[Atom]),
        (through, around): (&[usize], &[Option<Atom>]),
    ) {
        let mut seeds: Vec<Option<Atom>> = vec![None; it.params.len()];
        carried.iter().zip(adjoints).for_each(|(k, adjoint)| seeds[*k] = Some(*adjoint));
        through.iter().zip(around).for_each(|(k, adjoint)| seeds[*k] = *adjoint);
        let saved = self.forward(&it.body);
        self.backward(&it.body, &saved, &seeds);
        // The adjoint of an accumulator has been passed on already, around the loop.
        for k in through {
            self.adjoints.of.remove(&it.params[*k].0);
        }
    }

    /// The adjoint of a loop's result, which has the sizes of what the loop variable starts from.
    fn loop_seed(&mut self, result: Var, it: &Loop, k: usize) -> Atom {
        let (last, first) = (self.copier.atom(result.into()), self.copier.atom(it.params[k].1));
        self.target.agree(Agreement::Carried, last, first);
        self.adjoints.take_or_zero(&self.copier, result)
    }

    /// A loop that carries `initial`, and in which adjoints of variables from outside these bodies are added to.
    /// `bound` are the variables that are not from outside; `policy` says what derivatives of this loop keep.
    pub(super) fn backwards(
        &mut self,
        count: Atom,
        initial: &[Atom],
        bodies: &[&Body],
        bound: &[Var],
        policy: Policy,
        inside: impl FnOnce(&mut Self, Atom, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let target = self.target;
        let touched = self.adjoints.touched(&self.copier, bodies, bound);
        let before: Vec<Adjoint> = touched.iter().map(|v| self.adjoints.adjoint_or_zero(&self.copier, *v)).collect();
        let (params, now) = target.carried(initial.iter().copied().chain(before.iter().map(|a| a.atom())));
        let around = self.adjoints.enter_loop(&touched);
        let j = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let (carried, adjoints) = now.split_at(initial.len());
            for ((v, adjoint), now) in touched.iter().zip(&before).zip(adjoints) {
                self.adjoints.of.insert(*v, adjoint.with(*now));
            }
            let mut results = inside(self, j.into(), carried);
            results.extend(touched.iter().map(|v| self.adjoints.of[v].atom()));
            results
        });
        self.adjoints.leave(around);
        let it = Loop { params, form: Form::For(j, count), body, policy };
        let mut results = target.emit(Op::Loop(Box::new(it)));
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
