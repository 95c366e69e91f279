//! The rule of loops: the states are kept, and a loop goes through them backwards.
//!
//! Law: the return sweep's iteration `n − 1 − j` has the state that the forward sweep's iteration `j` had, and
//! executes its body again; so a loop keeps the variables of each iteration and nothing of what is inside the body
//! ("Reverse AD for a Functional Array Language", *Tape by Redundant Execution & Checkpointing*). Memory: the number
//! of iterations times the size of the variables that change. The state after an iteration is the one that the return
//! sweep was in before, and not computed again. Other policies are loops rewritten as nests of loops
//! before this rule is applied.

use rustc_hash::FxHashSet;

use super::arrays::from_end;
use super::{Adjoint, Reverse};
use crate::array::{Agreement, Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Stm, Type, Var, index};
use crate::transform::flow::atoms_in;

/// The states that a loop has been through.
pub(super) struct Checkpoints {
    /// The number of iterations.
    count: Atom,
    /// For each loop variable how its states are known again.
    states: Vec<State>,
}

/// How the value of a loop variable in an iteration is known again.
#[derive(Clone, Copy)]
enum State {
    /// It is never needed.
    Unused,
    /// It does not change.
    Same(Atom),
    /// From an array of the values of all iterations.
    Kept(Atom),
}

impl Reverse<'_, '_> {
    /// Writes a loop that keeps its states.
    pub(super) fn loop_forward(&mut self, stm: &Stm, it: &Loop) -> Checkpoints {
        let target = self.target;
        let room = match &it.form {
            Form::For(_, bound) => self.copier.atom(*bound),
            Form::While { bound: Some(bound), .. } => self.copier.atom(*bound),
            Form::While { bound: None, .. } => self.copier.count(it),
        };
        let room = target.scalar(ScalarOp::Integer(IntegerRow::Max), &[room, index(0)]);

        let kept: Vec<&(Var, Atom)> = it.params.iter().filter(|(_, initial)| self.copier.kept(*initial)).collect();
        let initial: Vec<Atom> = kept.iter().map(|(_, a)| self.copier.atom(*a)).collect();
        let mut mentioned: FxHashSet<Atom> = FxHashSet::default();
        atoms_in(&it.body, &mut |a| mentioned.extend([a]));
        let mut states: Vec<State> = Vec::new();
        let mut stores: Vec<(usize, Atom)> = Vec::new();
        for (k, (param, first)) in it.params.iter().enumerate() {
            states.push(if !mentioned.contains(&Atom::Var(*param)) || self.copier.source.type_of(*param).accumulator {
                State::Unused
            } else if it.body.results[k] == Atom::Var(*param) {
                State::Same(self.copier.atom(*first))
            } else {
                stores.push((k, target.one(Op::Replicate(room, self.copier.atom(*first)))));
                State::Unused
            });
        }
        for (param, first) in &it.params {
            if !self.copier.kept(*first) {
                self.copier.leave_out(*param);
            }
        }
        let mut params: Vec<(Var, Atom)> =
            kept.iter().zip(initial).map(|((param, _), first)| (self.copier.parameter(*param), first)).collect();
        let values = params.len();
        let fresh = |first: Atom| (target.fresh(target.type_of(first)), first);
        params.extend(stores.iter().map(|(_, store)| fresh(*store)));

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
            let current = stores.iter().map(|(k, _)| self.copier.atom(it.params[*k].0.into())).collect::<Vec<_>>();
            let updated: Vec<Atom> = params[values..]
                .iter()
                .zip(current)
                .map(|((store, _), value)| target.one(Op::Update(Atom::Var(*store), vec![i], value)))
                .collect();
            self.copier.stms(&it.body.stms);
            let mut results = self.copier.kept_atoms(&it.body.results);
            results.extend(updated);
            if asks {
                results.push(target.indices(ScalarOp::Add, i, index(1)));
            }
            results
        });
        let results = target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })));
        self.copier.bind(stm, &results[..values]);
        for ((k, _), store) in stores.iter().zip(&results[values..]) {
            states[*k] = State::Kept(*store);
        }
        Checkpoints { count: if asks { results[results.len() - 1] } else { room }, states }
    }

    pub(super) fn loop_backward(&mut self, stm: &Stm, it: &Loop, checkpoints: &Checkpoints) {
        let target = self.target;
        let is_accumulator = |k: usize| self.copier.source.type_of(it.params[k].0).accumulator;
        let carried: Vec<usize> =
            (0..it.params.len()).filter(|k| self.active.var(it.params[*k].0) && !is_accumulator(*k)).collect();
        let through: Vec<usize> = (0..it.params.len()).filter(|k| is_accumulator(*k)).collect();
        let around: Vec<Option<Atom>> = through.iter().map(|k| self.take(stm.vars[*k])).collect();
        for (k, adjoint) in through.iter().zip(&around) {
            if let Some(adjoint) = adjoint {
                self.add(it.params[*k].1, *adjoint);
            }
        }

        let mut bound: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        if let Form::For(i, _) = &it.form {
            bound.push(*i);
        }
        let mut first: Vec<Atom> = carried.iter().map(|k| self.loop_seed(stm.vars[*k], it, *k)).collect();
        let mut after: Vec<(Var, Atom)> = Vec::new();
        for (k, state) in checkpoints.states.iter().enumerate() {
            if let (State::Kept(all), Atom::Var(result)) = (state, it.body.results[k]) {
                after.push((result, *all));
                first.push(self.copier.atom(stm.vars[k].into()));
            }
        }
        let results =
            self.backwards(checkpoints.count, &first, &[&it.body], &bound, Policy::KeepAll, |reverse, j, now| {
                let (adjoints, known) = now.split_at(carried.len());
                let i = from_end(target, checkpoints.count, j);
                if let Form::For(var, _) = &it.form {
                    reverse.copier.set(*var, i);
                }
                for ((param, _), state) in it.params.iter().zip(&checkpoints.states) {
                    match state {
                        State::Unused => reverse.copier.leave_out(*param),
                        State::Same(value) => reverse.copier.set(*param, *value),
                        State::Kept(all) => reverse.copier.set(*param, target.at(*all, &[i])),
                    }
                }
                let mut seeds: Vec<Option<Atom>> = vec![None; it.params.len()];
                carried.iter().zip(adjoints).for_each(|(k, adjoint)| seeds[*k] = Some(*adjoint));
                through.iter().zip(&around).for_each(|(k, adjoint)| seeds[*k] = *adjoint);
                after.iter().zip(known).for_each(|((var, _), value)| reverse.copier.tell(*var, *value));
                let saved = reverse.forward(&it.body);
                reverse.backward(&it.body, &saved, &seeds);
                after.iter().for_each(|(var, _)| reverse.copier.untell(*var));
                // The adjoint of an accumulator has been passed on already, around the loop.
                for k in &through {
                    reverse.adjoints.remove(&it.params[*k].0);
                }
                let taken = |(k, adjoint): (&usize, &Atom)| {
                    reverse.take(it.params[*k].0).unwrap_or_else(|| target.zeros_like(*adjoint))
                };
                let adjoints = carried.iter().zip(adjoints).map(taken);
                adjoints.chain(after.iter().map(|(_, all)| target.at(*all, &[i]))).collect()
            });
        for (k, result) in carried.iter().zip(results) {
            self.add(it.params[*k].1, result);
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
        let fresh = |first: Atom| (target.fresh(target.type_of(first)), first);
        let params: Vec<(Var, Atom)> =
            initial.iter().copied().chain(before.iter().map(|a| a.atom())).map(fresh).collect();
        let outside = core::mem::take(&mut self.adjoints);
        let j = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let now: Vec<Atom> = params.iter().map(|(param, _)| Atom::Var(*param)).collect();
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
