//! The rule of loops: the states are kept, and a loop goes through them backwards.
//!
//! Law: the return sweep's iteration `n − 1 − j` has the state that the forward sweep's iteration `j` had, and
//! executes its body again; so a loop keeps the variables of each iteration and nothing of what is inside the body
//! ("Reverse AD for a Functional Array Language", *Tape by Redundant Execution & Checkpointing*). Memory: the number
//! of iterations times the size of the variables that change. The state after an iteration is the one that the return
//! sweep was in before, and not computed again. Other policies are loops rewritten as nests of loops
//! before this rule is applied.
//!
//! How many states a loop that asks without a bound will have is not known when it begins. It has a ring of
//! [places](Policy::places), which holds the last states when the loop ends; if there were more, these alone are computed
//! again, and kept in an array that is long enough. So loops that are short run as often as if their number were known.

use super::arrays::from_end;
use super::{Adjoint, Reverse};
use crate::array::{Agreement, Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Stm, Type, Var, index};
use crate::transform::checkpoint::{held, states};
use crate::transform::target::Target;

/// The states that a loop has been through.
pub(super) struct Checkpoints {
    /// The number of iterations.
    count: Atom,
    /// For each loop variable how its states are known again.
    states: Vec<State>,
    /// Where states are, if the number of iterations was not known beforehand.
    ring: Option<Ring>,
}

/// The last states lie in a ring of places, each where the number of its iteration says.
#[derive(Clone, Copy)]
struct Ring {
    places: Atom,
    /// How many states came before those in the ring.
    earlier: Atom,
}

/// How the value of a loop variable in an iteration is known again.
#[derive(Clone, Copy)]
enum State {
    /// It is never needed.
    Unused,
    /// It does not change.
    Same(Atom),
    /// From an array of the values of all iterations; or from the ring, and an array of what came before it.
    Kept(Atom, Option<Atom>),
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

impl Ring {
    fn place(&self, target: &Target, i: Atom) -> Atom {
        target.indices(ScalarOp::Integer(IntegerRow::Rem), i, self.places)
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
        let changing = states(self.copier.source, it);
        let is_unbounded = matches!(it.form, Form::While { bound: None, .. });
        let room = match &it.form {
            Form::For(_, bound) | Form::While { bound: Some(bound), .. } => {
                target.scalar(ScalarOp::Integer(IntegerRow::Max), &[self.copier.atom(*bound), index(0)])
            }
            Form::While { bound: None, .. } => self.places(it),
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
        for (param, first) in &it.params {
            if !self.copier.kept(*first) {
                self.copier.leave_out(*param);
            }
        }
        let mut params: Vec<(Var, Atom)> =
            kept.iter().zip(&initial).map(|((param, _), first)| (self.copier.parameter(*param), *first)).collect();
        let values = params.len();
        params.extend(target.carried(stores.iter().copied()).0);

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
        let body = target.body(|| {
            let place = if is_unbounded && !changing.is_empty() {
                Ring { places: room, earlier: index(0) }.place(target, i)
            } else {
                i
            };
            let updated = self.keep(it, &changing, &params[values..], place);
            self.copier.stms(&it.body.stms);
            let mut results = self.copier.kept_atoms(&it.body.results);
            results.extend(updated);
            if asks {
                results.push(target.indices(ScalarOp::Add, i, index(1)));
            }
            results
        });
        let results = target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })));
        let count = if asks { results[results.len() - 1] } else { room };
        let ring = is_unbounded.then(|| {
            let more = target.indices(ScalarOp::Integer(IntegerRow::Sub), count, room);
            Ring { places: room, earlier: target.scalar(ScalarOp::Integer(IntegerRow::Max), &[more, index(0)]) }
        });
        let earlier = match ring {
            Some(ring) => self.again(it, &changing, &firsts, ring.earlier),
            None => Vec::new(),
        };
        self.copier.bind(stm, &results[..values]);
        for (n, (k, store)) in changing.iter().zip(&results[values..]).enumerate() {
            states[*k] = State::Kept(*store, earlier.get(n).copied());
        }
        Checkpoints { count, states, ring }
    }

    /// The arrays of states, with the states now in one place.
    fn keep(&self, it: &Loop, changing: &[usize], stores: &[(Var, Atom)], place: Atom) -> Vec<Atom> {
        let put = |(k, (store, _)): (&usize, &(Var, Atom))| {
            let now = self.copier.atom(it.params[*k].0.into());
            self.target.one(Op::Update((*store).into(), vec![place], now))
        };
        changing.iter().zip(stores).map(put).collect()
    }

    /// The number of places of a ring, by the elements of a state.
    fn places(&self, it: &Loop) -> Atom {
        let target = self.target;
        let (mut scalars, mut arrays) = (0, None);
        for k in held(self.copier.source, it) {
            let first = self.copier.atom(it.params[k].1);
            let sizes = (0..target.type_of(first).rank).map(|d| target.size(first, d));
            match sizes.reduce(|a, b| target.indices(ScalarOp::Mul, a, b)) {
                None => scalars += 1,
                Some(elements) => {
                    arrays = Some(arrays.map_or(elements, |sum| target.indices(ScalarOp::Add, sum, elements)));
                }
            }
        }
        let number = |n: u64| index(i64::try_from(n).expect("a number of places is small"));
        let Some(arrays) = arrays else { return number(Policy::places(scalars)) };
        let integer = |row: IntegerRow, a: Atom, b: Atom| target.indices(ScalarOp::Integer(row), a, b);
        let elements = integer(IntegerRow::Max, target.indices(ScalarOp::Add, arrays, number(scalars)), index(1));
        let fit = integer(IntegerRow::Quot, number(Policy::RING_ELEMENTS), elements);
        integer(IntegerRow::Max, integer(IntegerRow::Min, fit, number(Policy::RING_STATES)), index(1))
    }

    /// The first states of a loop, computed again.
    fn again(&mut self, it: &Loop, changing: &[usize], firsts: &[Atom], count: Atom) -> Vec<Atom> {
        let target = self.target;
        if changing.is_empty() {
            return Vec::new();
        }
        let is_value = |k: &usize| !self.copier.source.type_of(it.params[*k].0).accumulator;
        let (values, through): (Vec<usize>, Vec<usize>) = (0..it.params.len()).partition(is_value);
        let initial: Vec<Atom> = values.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        // What is added to an accumulator has been added.
        through.iter().for_each(|k| self.copier.leave_out(it.params[*k].0));
        let mut params: Vec<(Var, Atom)> =
            values.iter().zip(initial).map(|(k, first)| (self.copier.parameter(it.params[*k].0), first)).collect();
        for first in firsts {
            let store = target.one(Op::Replicate(count, *first));
            params.push((target.fresh(target.type_of(store)), store));
        }
        let j = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let updated = self.keep(it, changing, &params[values.len()..], j.into());
            self.copier.stms(&it.body.stms);
            values.iter().map(|k| self.copier.atom(it.body.results[*k])).chain(updated).collect()
        });
        let form = Form::For(j, count);
        let mut results = target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })));
        results.split_off(values.len())
    }

    pub(super) fn loop_backward(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        let target = self.target;
        let is_accumulator = |k: usize| self.copier.source.type_of(it.params[k].0).accumulator;
        let carried: Vec<usize> =
            (0..it.params.len()).filter(|k| self.active.var(it.params[*k].0) && !is_accumulator(*k)).collect();
        let through: Vec<usize> = (0..it.params.len()).filter(|k| is_accumulator(*k)).collect();
        let around = self.taken_around(stm, it, &through);

        let bound = bound_by(it);
        let mut first: Vec<Atom> = carried.iter().map(|k| self.loop_seed(stm.vars[*k], it, *k)).collect();
        // The results that become the states after an iteration, each with which of those that are kept it becomes.
        let mut after: Vec<(Var, usize)> = Vec::new();
        let mut kept = 0;
        for (k, state) in checkpoints.states.iter().enumerate() {
            if let (State::Kept(..), Atom::Var(result)) = (state, it.body.results[k]) {
                after.push((result, kept));
                first.push(self.copier.atom(stm.vars[k].into()));
            }
            kept += usize::from(matches!(state, State::Kept(..)));
        }
        let results =
            self.backwards(checkpoints.count, &first, &[&it.body], &bound, Policy::KeepAll, |reverse, j, now| {
                let (adjoints, known) = now.split_at(carried.len());
                let i = from_end(target, checkpoints.count, j);
                if let Form::For(var, _) = &it.form {
                    reverse.copier.set(*var, i);
                }
                let before = checkpoints.at(target, i);
                let mut values = before.iter();
                for ((param, _), state) in it.params.iter().zip(&checkpoints.states) {
                    match state {
                        State::Unused => reverse.copier.leave_out(*param),
                        State::Same(value) => reverse.copier.set(*param, *value),
                        State::Kept(..) => {
                            reverse.copier.set(*param, *values.next().expect("a state is kept"));
                        }
                    }
                }
                after.iter().zip(known).for_each(|((var, _), value)| reverse.copier.tell(*var, *value));
                reverse.return_through(it, (&carried, adjoints), (&through, &around));
                after.iter().for_each(|(var, _)| reverse.copier.untell(*var));
                let taken = |(k, adjoint): (&usize, &Atom)| {
                    reverse.take(it.params[*k].0).unwrap_or_else(|| target.zeros_like(*adjoint))
                };
                let adjoints = carried.iter().zip(adjoints).map(taken);
                adjoints.chain(after.iter().map(|(_, kept)| before[*kept])).collect()
            });
        for (k, result) in carried.iter().zip(results) {
            self.add(it.params[*k].1, result);
        }
    }

    /// Takes the adjoints of accumulators that go through a loop, and passes them on around it, to what they begin with.
    pub(super) fn taken_around(&mut self, stm: &Stm, it: &Loop, through: &[usize]) -> Vec<Option<Atom>> {
        let around: Vec<Option<Atom>> = through.iter().map(|k| self.take(stm.vars[*k])).collect();
        for (k, adjoint) in through.iter().zip(&around) {
            if let Some(adjoint) = adjoint {
                self.add(it.params[*k].1, *adjoint);
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
            self.adjoints.remove(&it.params[*k].0);
        }
    }

    /// The adjoint of a loop's result, which must have the sizes of what the loop variable starts from: the states are kept
    /// in one array, so an array that changes its size is an error when the program runs, even where no state is read again.
    fn loop_seed(&mut self, result: Var, it: &Loop, k: usize) -> Atom {
        let (last, first) = (self.copier.atom(result.into()), self.copier.atom(it.params[k].1));
        self.target.agree(Agreement::Carried, last, first);
        self.take_or_zero(result)
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
        let touched = self.touched(bodies, bound);
        let before: Vec<Adjoint> = touched.iter().map(|v| self.adjoint_or_zero(*v)).collect();
        let (params, now) = target.carried(initial.iter().copied().chain(before.iter().map(|a| a.atom())));
        let outside = core::mem::take(&mut self.adjoints);
        let j = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let (carried, adjoints) = now.split_at(initial.len());
            for ((v, adjoint), now) in touched.iter().zip(&before).zip(adjoints) {
                self.adjoints.insert(*v, adjoint.with(*now));
            }
            let mut results = inside(self, j.into(), carried);
            results.extend(touched.iter().map(|v| self.adjoints[v].atom()));
            results
        });
        self.adjoints = outside;
        let it = Loop { params, form: Form::For(j, count), body, policy };
        let mut results = target.emit(Op::Loop(Box::new(it)));
        let adjoints = results.split_off(initial.len());
        for ((v, adjoint), result) in touched.iter().zip(before).zip(adjoints) {
            self.adjoints.insert(*v, adjoint.with(result));
        }
        results
    }
}
