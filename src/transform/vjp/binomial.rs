//! The rule of loops under a memory budget: few states are kept, and those between are computed again.
//!
//! Law: with room for `s` states a loop of `n` iterations executes none of them more often than `r + 2` times, for the
//! least `r` with `C(s + r, s) ≥ n`, which no schedule with that room beats in its order (Griewank and Walther's *revolve*,
//! binomial checkpointing). The kept states are a stack; the next to be kept lies where the part before it can be
//! reversed with `r − 1` repetitions and all its room, and the part after it with `r` and one place less.

use super::Reverse;
use super::arrays::from_end;
use crate::array::{Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Stm, Type, Var, index};
use crate::transform::flow::mentions;
use crate::transform::target::Target;

const SUB: ScalarOp = ScalarOp::Integer(IntegerRow::Sub);

impl Reverse<'_, '_> {
    /// Writes a loop that keeps nothing; answers the number of its iterations.
    pub(super) fn binomial_forward(&mut self, stm: &Stm, it: &Loop) -> Atom {
        let count = match &it.form {
            Form::For(_, bound) => self.copier.atom(*bound),
            Form::While { .. } => self.copier.count(it),
        };
        self.copier.stm(stm);
        self.target.scalar(ScalarOp::Integer(IntegerRow::Max), &[count, index(0)])
    }

    /// The return sweep with room for so many states.
    pub(super) fn binomial_backward(&mut self, stm: &Stm, it: &Loop, count: Atom, states: u32) {
        let target = self.target;
        let room = index(i64::from(states.max(1)));
        let of_param = |k: usize| it.params[k].0;
        let (through, values): (Vec<usize>, Vec<usize>) =
            (0..it.params.len()).partition(|k| self.copier.source.type_of(of_param(*k)).accumulator);
        let (same, kept): (Vec<usize>, Vec<usize>) = values
            .iter()
            .copied()
            .filter(|k| mentions(&it.body, of_param(*k)))
            .partition(|k| it.body.results[*k] == of_param(*k).into());
        let carried: Vec<usize> = values.iter().copied().filter(|k| self.active.var(of_param(*k))).collect();

        let around: Vec<Option<Atom>> = through.iter().map(|k| self.take(stm.vars[*k])).collect();
        for (k, adjoint) in through.iter().zip(&around) {
            if let Some(adjoint) = adjoint {
                self.add(it.params[*k].1, *adjoint);
            }
        }
        let mut initial: Vec<Atom> = carried.iter().map(|k| self.take_or_zero(stm.vars[*k])).collect();
        let first: Vec<Atom> = kept.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        let constant: Vec<Atom> = same.iter().map(|k| self.copier.atom(it.params[*k].1)).collect();
        initial.extend(first.iter().map(|value| target.one(Op::Replicate(room, *value))));
        initial.extend([target.one(Op::Replicate(room, index(0))), index(0)]);

        let mut bound: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        if let Form::For(i, _) = &it.form {
            bound.push(*i);
        }
        let results = self.backwards(count, &initial, &[&it.body], &bound, |reverse, j, now| {
            let wanted = from_end(target, count, j);
            let (adjoints, stack) = now.split_at(carried.len());
            through.iter().for_each(|k| reverse.copier.leave_out(of_param(*k)));
            same.iter().zip(&constant).for_each(|(k, value)| reverse.copier.set(of_param(*k), *value));
            let (state, mut stack) = reverse.advance(it, &kept, room, wanted, stack);
            reverse.enter(it, &kept, &state, wanted);

            let mut seeds: Vec<Option<Atom>> = vec![None; it.params.len()];
            carried.iter().zip(adjoints).for_each(|(k, adjoint)| seeds[*k] = Some(*adjoint));
            through.iter().zip(&around).for_each(|(k, adjoint)| seeds[*k] = *adjoint);
            let saved = reverse.forward(&it.body);
            reverse.backward(&it.body, &saved, &seeds);
            for k in &through {
                reverse.adjoints.remove(&of_param(*k));
            }
            let mut results: Vec<Atom> = Vec::new();
            for (k, adjoint) in carried.iter().zip(adjoints) {
                results.push(reverse.take(of_param(*k)).unwrap_or_else(|| target.zeros_like(*adjoint)));
            }
            // A state that was kept for this iteration is not needed again; the first stays.
            let (positions, top) = (stack[kept.len()], stack[kept.len() + 1]);
            let here = target.scalar(ScalarOp::Equal, &[target.at(positions, &[top]), wanted]);
            let above = target.scalar(ScalarOp::Less, &[index(0), top]);
            let drop = target.scalar(ScalarOp::Mul, &[here, above]);
            let dropped = target.scalar(ScalarOp::Convert(Prim::I64), &[drop]);
            stack[kept.len() + 1] = target.indices(SUB, top, dropped);
            results.extend(stack);
            results
        });
        for (k, result) in carried.iter().zip(results) {
            self.add(it.params[*k].1, result);
        }
    }

    /// Says that the loop's body is entered with this state, in this iteration.
    fn enter(&mut self, it: &Loop, kept: &[usize], state: &[Atom], i: Atom) {
        kept.iter().zip(state).for_each(|(k, value)| self.copier.set(it.params[*k].0, *value));
        if let Form::For(var, _) = &it.form {
            self.copier.set(*var, i);
        }
    }

    /// The state before the wanted iteration, from the last that is kept, and the stack with those kept on the way.
    fn advance(
        &mut self,
        it: &Loop,
        kept: &[usize],
        room: Atom,
        wanted: Atom,
        stack: &[Atom],
    ) -> (Vec<Atom>, Vec<Atom>) {
        let target = self.target;
        let n = kept.len();
        let top = stack[n + 1];
        let state: Vec<Atom> = stack[..n].iter().map(|store| target.at(*store, &[top])).collect();
        let from = target.at(stack[n], &[top]);
        let fresh = |first: Atom| (target.fresh(target.type_of(first)), first);
        let params: Vec<(Var, Atom)> =
            state.into_iter().chain([from]).chain(stack.iter().copied()).map(fresh).collect();
        let now: Vec<Atom> = params.iter().map(|(param, _)| Atom::Var(*param)).collect();
        let (state, rest) = now.split_at(n);
        let (from, stack) = (rest[0], &rest[1..]);
        let condition = target.body(|| vec![target.scalar(ScalarOp::Less, &[from, wanted])]);
        let body = target.body(|| {
            let top = stack[n + 1];
            let free = target.indices(SUB, target.indices(SUB, room, index(1)), top);
            let has_room = target.scalar(ScalarOp::Less, &[index(0), free]);
            let far = target.indices(SUB, wanted, from);
            let steps = target.choose(has_room, || vec![split(target, far, free)], || vec![far])[0];
            let state = self.run(it, kept, state, from, steps);
            let at = target.indices(ScalarOp::Add, from, steps);
            let push = || {
                let next = target.indices(ScalarOp::Add, top, index(1));
                let put = |array: &Atom, value: Atom| target.one(Op::Update(*array, vec![next], value));
                let mut stack: Vec<Atom> =
                    stack.iter().zip(state.iter().copied().chain([at])).map(|(a, v)| put(a, v)).collect();
                stack.push(next);
                stack
            };
            let stack = target.choose(has_room, push, || stack.to_vec());
            [&state[..], &[at], &stack].concat()
        });
        let form = Form::While { condition, bound: None };
        let mut results = target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })));
        let stack = results.split_off(n + 1);
        results.truncate(n);
        (results, stack)
    }

    /// The state after so many iterations.
    fn run(&mut self, it: &Loop, kept: &[usize], state: &[Atom], from: Atom, steps: Atom) -> Vec<Atom> {
        let target = self.target;
        let fresh = |first: &Atom| (target.fresh(target.type_of(*first)), *first);
        let params: Vec<(Var, Atom)> = state.iter().map(fresh).collect();
        let now: Vec<Atom> = params.iter().map(|(param, _)| Atom::Var(*param)).collect();
        let j = target.fresh(Type::scalar(Prim::I64));
        let body: Body = target.body(|| {
            self.enter(it, kept, &now, target.indices(ScalarOp::Add, from, j.into()));
            self.copier.stms(&it.body.stms);
            kept.iter().map(|k| self.copier.atom(it.body.results[*k])).collect()
        });
        let form = Form::For(j, steps);
        target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })))
    }
}

/// How far to go to the next state that is kept, where one is `far` from the wanted one and `free` places are free.
fn split(target: &Target, far: Atom, free: Atom) -> Atom {
    let integer = || target.fresh(Type::scalar(Prim::I64));
    let (reach, before, r) = (integer(), integer(), integer());
    let length = target.indices(ScalarOp::Add, far, index(1));
    let places = target.indices(ScalarOp::Add, free, index(1));
    let condition = target.body(|| vec![target.scalar(ScalarOp::Less, &[reach.into(), length])]);
    let body = target.body(|| {
        // C(s + r, s) from C(s + r − 1, s).
        let next = target.indices(ScalarOp::Add, r.into(), index(1));
        let factor = target.indices(ScalarOp::Add, places, next);
        let product = target.indices(ScalarOp::Mul, reach.into(), factor);
        vec![target.indices(ScalarOp::Integer(IntegerRow::Quot), product, next), reach.into(), next]
    });
    let params = vec![(reach, index(1)), (before, index(1)), (r, index(0))];
    let form = Form::While { condition, bound: None };
    target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })))[1]
}
