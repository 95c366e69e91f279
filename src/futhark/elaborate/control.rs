//! Conditionals and loops.
//!
//! Law: both arms of a conditional are written, and a loop's body once. The number of a check that does not hold is one result
//! more of an arm, and one variable more of a loop (tests/language/elaborate.rs).

use super::operand::{Of, Operand};
use super::site::Site;
use crate::array::{Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, index};
use crate::futhark::meaning::{self, Code, Outcome};
use crate::futhark::source::Span;

/// What reverse mode keeps of a loop.
pub(super) fn kept(policy: &meaning::Policy<Operand>) -> Policy {
    match policy.strip_mine {
        Some(levels) if levels > 1 => Policy::StripMine(levels),
        Some(_) | None => Policy::KeepAll,
    }
}

impl Site {
    /// One of two arms.
    pub(super) fn branched(
        &self,
        at: Span,
        condition: &Operand,
        arm: &mut dyn FnMut(bool) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let mut taken = |which: bool| {
            self.open();
            let results = arm(which)?;
            let (body, checked) = self.close(at, results.iter().map(|x| x.atom).collect())?;
            let known: Vec<Of> = results.into_iter().map(|x| x.of.outside(variables)).collect();
            Ok((body, checked, known))
        };
        let ((mut yes, in_yes, mut known), (mut no, in_no, others)) = (taken(true)?, taken(false)?);
        if in_yes && !in_no {
            no.results.push(index(0));
        }
        if in_no && !in_yes {
            yes.results.push(index(0));
        }
        for (of, other) in known.iter_mut().zip(&others) {
            for (size, other) in of.shape.iter_mut().zip(&other.shape) {
                *size = size.filter(|size| Some(*size) == *other);
            }
        }
        let mut results = self.emit(at, Op::If(condition.atom, Box::new(yes), Box::new(no)))?;
        if (in_yes || in_no)
            && let Some(check) = results.pop()
        {
            self.add_check(check);
        }
        Ok(results.into_iter().zip(known).map(|(atom, of)| Operand { atom, of }).collect())
    }

    /// `loop variables = initial while condition(variables) do body(variables)`.
    pub(super) fn asking_loop(
        &self,
        at: Span,
        initial: Vec<Operand>,
        policy: &meaning::Policy<Operand>,
        asks: &mut Code<'_, Operand>,
        body: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let (mut params, state): (Vec<_>, Vec<Operand>) = initial.iter().map(|x| self.fresh(loose(&x.of))).unzip();
        self.open();
        let answer = asks(state.clone())?;
        let (condition, asked) = self.close(at, answer.iter().map(|x| x.atom).collect())?;
        if asked {
            return self.asking_ahead(at, initial, policy, asks, body);
        }
        self.open();
        let results = body(state.clone())?;
        let bound = policy.bound.as_ref().map(|bound| bound.atom);
        let policy = kept(policy);
        let (mut end, checked) = self.close(at, results.iter().map(|x| x.atom).collect())?;
        let mut first: Vec<Atom> = initial.iter().map(|x| x.atom).collect();
        if checked {
            let so_far = self.fresh_index();
            params.push(so_far);
            first.push(index(0));
            self.keep_check(&mut end, so_far.into());
        }
        let form = Form::While { condition, bound };
        let params = params.into_iter().zip(first).collect();
        let it = Loop { params, form, body: end, policy };
        self.looped(at, Op::Loop(Box::new(it)), &initial, checked, variables)
    }

    /// A loop whose condition has checks: the condition is evaluated before the loop and after each iteration, and its result is one
    /// variable more. Where a check does not hold the loop ends.
    fn asking_ahead(
        &self,
        at: Span,
        initial: Vec<Operand>,
        policy: &meaning::Policy<Operand>,
        asks: &mut Code<'_, Operand>,
        body: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let first = asks(initial.clone())?;
        let (mut params, state): (Vec<_>, Vec<Operand>) =
            initial.iter().chain(&first).map(|x| self.fresh(loose(&x.of))).unzip();
        let (state, go) = state.split_at(initial.len());
        let so_far = self.fresh_index();
        params.push(so_far);
        self.open();
        let results = body(state.to_vec())?;
        let bound = policy.bound.as_ref().map(|bound| bound.atom);
        let policy = kept(policy);
        let answer = asks(results.clone())?;
        let (mut end, checked) = self.close(at, results.iter().chain(&answer).map(|x| x.atom).collect())?;
        if !checked {
            end.results.push(index(0));
        }
        self.keep_check(&mut end, so_far.into());
        self.open();
        let goes_on = {
            let builder = &mut self.inside.borrow_mut().builder;
            let holds = builder.scalar(ScalarOp::Equal, &[so_far.into(), index(0)]);
            builder.scalar(ScalarOp::Mul, &[go[0].atom, holds])
        };
        let (condition, _) = self.close(at, vec![goes_on])?;
        let form = Form::While { condition, bound };
        let first: Vec<Atom> = initial.iter().chain(&first).map(|x| x.atom).chain([index(0)]).collect();
        let it = Loop { params: params.into_iter().zip(first).collect(), form, body: end, policy };
        self.looped(at, Op::Loop(Box::new(it)), &initial, true, variables)
    }

    /// `loop variables = initial for i < bound do body(i, variables)`.
    pub(super) fn counted_loop(
        &self,
        at: Span,
        kind: Prim,
        bound: Atom,
        initial: Vec<Operand>,
        policy: Policy,
        body: &mut dyn FnMut(Operand, Vec<Operand>) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let i = self.fresh_index();
        self.open();
        let (mut params, state): (Vec<_>, Vec<Operand>) = initial.iter().map(|x| self.fresh(loose(&x.of))).unzip();
        let number = self.cast(at, i.into(), kind)?;
        let results = body(Operand::scalar(number, kind), state.clone())?;
        let so_far = self.fresh_index();
        let (mut end, checked) = self.close(at, results.iter().map(|x| x.atom).collect())?;
        let mut first: Vec<Atom> = initial.iter().map(|x| x.atom).collect();
        if checked {
            params.push(so_far);
            first.push(index(0));
            self.keep_check(&mut end, so_far.into());
        }
        let params = params.into_iter().zip(first).collect();
        let it = Loop { params, form: Form::For(i, bound), body: end, policy };
        self.looped(at, Op::Loop(Box::new(it)), &initial, checked, variables)
    }

    /// What a loop returns, and the check of its iterations.
    pub(super) fn looped(
        &self,
        at: Span,
        op: Op,
        initial: &[Operand],
        checked: bool,
        variables: usize,
    ) -> Outcome<Vec<Operand>> {
        let mut results = self.emit(at, op)?;
        if checked && let Some(check) = results.pop() {
            self.add_check(check);
        }
        let known = initial.iter().map(|x| loose(&x.of).outside(variables));
        Ok(results.into_iter().zip(known).map(|(atom, of)| Operand { atom, of }).collect())
    }

    /// Lets the last result of a body, the number of a check, be the larger of it and the number so far.
    pub(super) fn keep_check(&self, body: &mut Body, so_far: Atom) {
        let builder = &mut self.inside.borrow_mut().builder;
        if let Some(last) = body.results.last_mut() {
            builder.open_body();
            *last = builder.scalar(IntegerRow::Max, &[so_far, *last]);
            body.stms.extend(builder.close_body(Vec::new()).stms);
        }
    }
}

/// A variable of a loop: its sizes may change.
pub(super) fn loose(of: &Of) -> Of {
    let shape = if of.writes.is_some() { of.shape.clone() } else { vec![None; of.shape.len()] };
    Of { shape, ..of.clone() }
}
