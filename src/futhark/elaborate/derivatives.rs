//! Derivatives: the function becomes a program of its own, is transformed, and the result is written where it is called.
//!
//! Law: the parameters of that program are the arguments, which are differentiated by, and the variables from outside
//! that the function mentions, which are constants; so derivatives nest to any depth in any mix without confusion.
//! Forward mode ignores derivatives that the program gives itself (tests/language/elaborate.rs).

use super::operand::{Of, Operand, atoms, operands};
use super::site::{Site, ill_typed};
use crate::array::{Atom, Body, Custom, Lambda, Op, Stm, index};
use crate::futhark::meaning::{Both, Call, Code, Derivative, Derivatives, Kept, Mode, Outcome};
use crate::futhark::source::{Message, Span};

impl Derivatives for Site {
    fn derivative(
        &self,
        at: Span,
        Derivative { mode, many }: Derivative,
        function: &mut Code<'_, Operand>,
        arguments: Vec<Operand>,
        seeds: Vec<Operand>,
        _: &Call<'_, Operand>,
    ) -> Outcome<Both<Operand>> {
        let params = arguments.iter().map(|argument| argument.of.clone()).collect();
        let traced = self.traced(at, params, &mut |arguments| function(arguments))?;
        let (mut program, free) = self.inside.borrow().builder.alone(&traced.lambda);
        if mode == Mode::Forward {
            without_own_derivatives(&mut program.function.body);
        }
        let by: Vec<usize> = (0..arguments.len()).collect();
        let derivative = match mode {
            Mode::Forward => program.pushed(&by),
            Mode::Reverse => program.pulled(&by),
        };
        let derivative = derivative.and_then(|one| if many { program.many(&one) } else { Ok(one) });
        let derivative = derivative.map_err(|error| Message::error("derivative", at, error.to_string()))?;
        let count = match (many, seeds.first()) {
            (true, Some(seed)) => Some(self.size_of(at, seed, 0)?),
            _ => None,
        };
        let mut given = atoms(&arguments);
        given.extend(free.into_iter().map(Atom::Var));
        given.extend(atoms(&seeds));
        if traced.checked && mode == Mode::Reverse {
            // The number of a check that does not hold has no adjoint.
            given.push(match count {
                Some(count) => self.one(at, Op::Replicate(count, index(0)))?,
                None => index(0),
            });
        }
        if given.len() != derivative.function.params.len() {
            return Err(ill_typed(at, "a derivative takes other arguments"));
        }
        let (_, mut answers) = self.inside.borrow_mut().builder.inline(&derivative, &given);
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
            Mode::Reverse => arguments.into_iter().map(|argument| argument.of).collect(),
        };
        let felt = felt.into_iter().map(|of| if many { of.arrayed(count) } else { of });
        Ok((operands(answers, traced.results), operands(derivatives, felt)))
    }

    fn with_vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        results: usize,
        adjoint: Kept,
        arguments: Vec<Operand>,
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
        let custom = Custom { function: traced.lambda, pullback: pullback.lambda, arguments: atoms(&arguments) };
        Ok(operands(self.emit_checked(at, Op::Custom(Box::new(custom)), traced.checked)?, traced.results))
    }
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
