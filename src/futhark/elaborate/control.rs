//! Conditionals and loops.
//!
//! Law: both arms of a conditional are written, and a loop's body once. The number of a check that does not hold is one result
//! more of an arm, and one variable more of a loop (tests/language/elaborate.rs).

use super::operand::{Of, Operand, atoms, known_truth, operands};
use super::site::{Site, ill_typed};
use crate::array::{Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Var, index};
use crate::futhark::meaning::{self, Code, Control, Outcome};
use crate::futhark::source::{Message, Span};

/// How many applications of functions a program may hold: without recursion, only definitions that double each other reach it.
const MOST_STEPS: u64 = 1_000_000;

/// What reverse mode keeps of a loop.
fn kept(policy: &meaning::Policy<Operand>) -> Policy {
    match policy.strip_mine {
        Some(levels) if levels > 1 => Policy::StripMine(levels),
        Some(_) | None => Policy::KeepAll,
    }
}

impl Control for Site {
    fn branch(
        &self,
        at: Span,
        condition: &Operand,
        arm: &mut dyn FnMut(bool) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let mut taken = |which: bool| {
            self.open();
            let results = arm(which)?;
            let (body, checked) = self.close(at, atoms(&results))?;
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
        let op = Op::If(condition.atom, Box::new(yes), Box::new(no));
        Ok(operands(self.emit_checked(at, op, in_yes || in_no)?, known))
    }

    fn repeat(
        &self,
        at: Span,
        kind: Prim,
        bound: &Operand,
        initial: Vec<Operand>,
        policy: &meaning::Policy<Operand>,
        body: &mut dyn FnMut(Operand, Vec<Operand>) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        let bound = self.cast(at, bound.atom, Prim::I64)?;
        let variables = self.variables();
        let i = self.fresh_index();
        self.open();
        let (params, state) = self.variables_of(&initial);
        let number = self.cast(at, i.into(), kind)?;
        let results = body(Operand::scalar(number, kind), state)?;
        let (body, checked) = self.close(at, atoms(&results))?;
        let params = with_initial(params, &initial);
        let it = Loop { params, form: Form::For(i, bound), body, policy: kept(policy) };
        self.with_checks(at, it, &initial, checked, variables)
    }

    fn repeat_while(
        &self,
        at: Span,
        initial: Vec<Operand>,
        policy: &meaning::Policy<Operand>,
        asks: &mut Code<'_, Operand>,
        body: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let variables = self.variables();
        let (params, state) = self.variables_of(&initial);
        self.open();
        let answer = asks(state.clone())?;
        let (condition, asked) = self.close(at, atoms(&answer))?;
        if asked {
            return self.asking_ahead(at, initial, policy, asks, body);
        }
        self.open();
        let results = body(state)?;
        let (body, checked) = self.close(at, atoms(&results))?;
        let form = Form::While { condition, bound: policy.bound.as_ref().map(|bound| bound.atom) };
        let it = Loop { params: with_initial(params, &initial), form, body, policy: kept(policy) };
        self.with_checks(at, it, &initial, checked, variables)
    }

    fn require(&self, at: Span, condition: &Operand, code: &'static str, text: &str) -> Outcome<()> {
        if known_truth(condition.atom) == Some(false) && self.is_conditional() {
            // Whether it is reached is known when the program runs.
            self.fail(at, code, text.into());
            return Ok(());
        }
        self.check(at, condition.atom, code, text.into())
    }

    fn same_size(&self, at: Span, wanted: &Operand, found: &Operand, what: &str) -> Outcome<()> {
        self.same(at, wanted.atom, found.atom, what)
    }

    fn everywhere<T>(&self, constant: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        self.outermost(constant)
    }

    fn step(&self, at: Span) -> Outcome<()> {
        let steps = &mut self.inside.borrow_mut().steps;
        *steps += 1;
        if *steps <= MOST_STEPS {
            return Ok(());
        }
        let text = format!("the program would hold more than {MOST_STEPS} applications of functions");
        Err(Message::error("limit", at, text).hint("each call of a function is a copy of it in the compiled program"))
    }
}

impl Site {
    /// New variables for those of a loop.
    fn variables_of(&self, initial: &[Operand]) -> (Vec<Var>, Vec<Operand>) {
        initial.iter().map(|x| self.fresh(loose(&x.of))).unzip()
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
        let mut all = initial.clone();
        all.extend(asks(initial)?);
        let (params, mut state) = self.variables_of(&all);
        let go = state.pop().ok_or_else(|| ill_typed(at, "a condition has a result"))?;
        self.open();
        let mut results = body(state)?;
        results.extend(asks(results.clone())?);
        let (mut body, checked) = self.close(at, atoms(&results))?;
        if !checked {
            body.results.push(index(0));
        }
        let so_far = self.keep_check(&mut body);
        self.open();
        let goes_on = {
            let builder = &mut self.inside.borrow_mut().builder;
            let holds = builder.scalar(ScalarOp::Equal, &[so_far.into(), index(0)]);
            builder.scalar(ScalarOp::Mul, &[go.atom, holds])
        };
        let (condition, _) = self.close(at, vec![goes_on])?;
        let form = Form::While { condition, bound: policy.bound.as_ref().map(|bound| bound.atom) };
        let mut params = with_initial(params, &all);
        params.push((so_far, index(0)));
        all.pop();
        self.looped(at, Loop { params, form, body, policy: kept(policy) }, &all, true, variables)
    }

    /// What a loop returns; the check of a body is one variable more.
    fn with_checks(
        &self,
        at: Span,
        mut it: Loop,
        initial: &[Operand],
        checked: bool,
        variables: usize,
    ) -> Outcome<Vec<Operand>> {
        if checked {
            let so_far = self.keep_check(&mut it.body);
            it.params.push((so_far, index(0)));
        }
        self.looped(at, it, initial, checked, variables)
    }

    /// What a loop returns, and the check of its iterations.
    fn looped(
        &self,
        at: Span,
        it: Loop,
        initial: &[Operand],
        checked: bool,
        variables: usize,
    ) -> Outcome<Vec<Operand>> {
        let results = self.emit_checked(at, Op::Loop(Box::new(it)), checked)?;
        Ok(operands(results, initial.iter().map(|x| loose(&x.of).outside(variables))))
    }

    /// Lets the last result of a body, the number of a check, be the larger of it and the number so far, a new variable.
    fn keep_check(&self, body: &mut Body) -> Var {
        let so_far = self.fresh_index();
        let builder = &mut self.inside.borrow_mut().builder;
        if let Some(last) = body.results.last_mut() {
            builder.open_body();
            *last = builder.scalar(IntegerRow::Max, &[so_far.into(), *last]);
            body.stms.extend(builder.close_body(Vec::new()).stms);
        }
        so_far
    }
}

/// The variables of a loop with what they are before it.
fn with_initial(params: Vec<Var>, initial: &[Operand]) -> Vec<(Var, Atom)> {
    params.into_iter().zip(atoms(initial)).collect()
}

/// A variable of a loop: its sizes may change.
fn loose(of: &Of) -> Of {
    let shape = if of.writes.is_some() { of.shape.clone() } else { vec![None; of.shape.len()] };
    Of { shape, ..of.clone() }
}
