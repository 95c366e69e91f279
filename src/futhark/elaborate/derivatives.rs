//! Derivatives: the function becomes a program of its own, is transformed, and the result is written where it is called.
//!
//! Law: the parameters of that program are the arguments, which are differentiated by, and the variables from outside
//! that the function mentions, which are constants; so derivatives nest to any depth in any mix without confusion.
//! Forward mode ignores derivatives that the program gives itself (tests/language/elaborate.rs).

use super::operand::{Of, Operand};
use super::site::{Site, ill_typed};
use crate::array::{Atom, Body, Custom, Lambda, Op, Program, Stm, index};
use crate::error;
use crate::futhark::meaning::{Call, Code, Kept, Outcome};
use crate::futhark::source::{Message, Span};

/// A mode of differentiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Forward,
    Reverse,
}

impl Mode {
    fn of(self, program: &Program, positions: &[usize], many: bool) -> error::Result<Program> {
        let derivative = match self {
            Mode::Forward => program.pushed(positions)?,
            Mode::Reverse => program.pulled(positions)?,
        };
        if many { program.many(&derivative) } else { Ok(derivative) }
    }
}

impl Site {
    /// The results of a function, and their tangents or the adjoints of the arguments for these seeds; for many seeds at once
    /// each is an array of them.
    pub(super) fn differentiated(
        &self,
        at: Span,
        mode: Mode,
        many: bool,
        function: &mut Code<'_, Operand>,
        arguments: &[Operand],
        seeds: &[Operand],
    ) -> Outcome<(Vec<Operand>, Vec<Operand>)> {
        let params = arguments.iter().map(|argument| argument.of.clone()).collect();
        let traced = self.traced(at, params, &mut |arguments| function(arguments))?;
        let (mut program, free) = self.inside.borrow().builder.alone(&traced.lambda);
        if mode == Mode::Forward {
            without_own_derivatives(&mut program.function.body);
        }
        let by: Vec<usize> = (0..arguments.len()).collect();
        let derivative = mode.of(&program, &by, many).map_err(|error| failed(at, &error))?;
        let count = match (many, seeds.first()) {
            (true, Some(seed)) => Some(self.size_of(at, seed, 0)?),
            _ => None,
        };
        let mut operands: Vec<Atom> = arguments.iter().map(|argument| argument.atom).collect();
        operands.extend(free.into_iter().map(Atom::Var));
        operands.extend(seeds.iter().map(|seed| seed.atom));
        if traced.checked && mode == Mode::Reverse {
            // The number of a check that does not hold has no adjoint.
            operands.push(match count {
                Some(count) => self.one(at, Op::Replicate(count, index(0)))?,
                None => index(0),
            });
        }
        if operands.len() != derivative.function.params.len() {
            return Err(ill_typed(at, "a derivative takes other arguments"));
        }
        let (_, mut answers) = self.inside.borrow_mut().builder.inline(&derivative, &operands);
        let mut derivatives = answers.split_off(traced.results.len() + usize::from(traced.checked));
        if traced.checked {
            if let Some(check) = answers.pop() {
                self.add_check(check);
            }
            if mode == Mode::Forward {
                derivatives.pop();
            }
        }
        let felt: Vec<Of> = match mode {
            Mode::Forward => traced.results.clone(),
            Mode::Reverse => arguments.iter().map(|argument| argument.of.clone()).collect(),
        };
        let values = answers.into_iter().zip(traced.results).map(|(atom, of)| Operand { atom, of });
        let derivatives = derivatives.into_iter().zip(felt).map(|(atom, of)| {
            let of = if many { of.arrayed(count) } else { of };
            Operand { atom, of }
        });
        Ok((values.collect(), derivatives.collect()))
    }

    /// A function whose reverse derivative is given.
    pub(super) fn with_own_derivative(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        results: usize,
        adjoint: Kept,
        arguments: &[Operand],
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let params: Vec<Of> = arguments.iter().map(|argument| argument.of.clone()).collect();
        let traced = self.traced(at, params.clone(), &mut |arguments| {
            let mut all = function(arguments)?;
            all.truncate(results);
            Ok(all)
        })?;
        // The residual is computed again from the arguments, which is at most once more what the function takes.
        let mut of_pullback = params;
        of_pullback.extend(traced.results.iter().cloned());
        if traced.checked {
            of_pullback.push(Of::scalar(crate::futhark::core::Prim::I64));
        }
        let pullback = self.traced(at, of_pullback, &mut |mut operands| {
            let mut adjoints = operands.split_off(arguments.len());
            adjoints.truncate(results);
            let mut residual = function(operands)?.split_off(results);
            // These checks have been made by the function itself.
            self.check_of_scope(at)?;
            residual.extend(adjoints);
            let answers = call(adjoint, residual)?;
            let Some(check) = self.check_of_scope(at)? else { return Ok(answers) };
            // A pullback returns adjoints alone: each is the only element, at 0, of an array that is read at the check's number.
            let checked = |answer: Operand| {
                let only = self.one(at, Op::Elements(vec![answer.atom]))?;
                Ok(Operand { atom: self.one(at, Op::Index(only, vec![check]))?, of: answer.of })
            };
            answers.into_iter().map(checked).collect()
        })?;
        let custom = Custom {
            function: traced.lambda,
            pullback: pullback.lambda,
            arguments: arguments.iter().map(|argument| argument.atom).collect(),
        };
        let mut answers = self.emit(at, Op::Custom(Box::new(custom)))?;
        if traced.checked
            && let Some(check) = answers.pop()
        {
            self.add_check(check);
        }
        Ok(answers.into_iter().zip(traced.results).map(|(atom, of)| Operand { atom, of }).collect())
    }
}

/// A program that cannot be differentiated.
fn failed(at: Span, error: &error::Error) -> Message {
    Message::error("derivative", at, error.to_string())
}

/// Writes functions with derivatives of their own as what they compute.
fn without_own_derivatives(body: &mut Body) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in core::mem::take(&mut body.stms) {
        stm.op.bodies_mut().for_each(without_own_derivatives);
        match stm.op {
            Op::Custom(it) => {
                let Custom { function: Lambda { params, body: inner }, arguments, .. } = *it;
                let copy = |(var, atom)| Stm { vars: [var].into_iter().collect(), op: Op::Copy(atom), span: stm.span };
                stms.extend(params.into_iter().zip(arguments).map(copy));
                stms.extend(inner.stms);
                stms.extend(stm.vars.into_iter().zip(inner.results).map(copy));
            }
            op => stms.push(Stm { op, ..stm }),
        }
    }
    body.stms = stms;
}
