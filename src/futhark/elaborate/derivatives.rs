//! Derivatives: the function becomes a program of its own, is transformed, and the result is written where it is called.
//!
//! Law: the parameters of that program are the arguments, which are differentiated by, and the variables from outside
//! that the function mentions, which are constants; so derivatives nest to any depth in any mix without confusion.
//! Derivatives that the program gives itself are used by the innermost derivative that goes through them, if that is one of
//! reverse mode, and by no other (tests/language/elaborate.rs).

use super::operand::{Of, Operand, atoms, operands};
use super::site::{Site, ill_typed, reduction};
use crate::array::{Atom, Body, Custom, Lambda, Op, Program, Role, Stm, Var, dependences, index};
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Both, Call, Code, Derivative, Derivatives, Kept, Mode, Outcome};
use crate::futhark::source::{Message, Span};
use crate::transform::reached;

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
        let outside = self.inside.borrow().backwards;
        if mode == Mode::Reverse && outside.is_none() {
            let variables = self.variables();
            self.inside.borrow_mut().backwards = Some(variables);
        }
        let traced = self.traced(at, params, &mut |arguments| function(arguments));
        self.inside.borrow_mut().backwards = outside;
        let traced = traced?;
        let (mut program, free) = self.inside.borrow().builder.alone(&traced.lambda);
        let by: Vec<usize> = (0..arguments.len()).collect();
        if outside.is_none() {
            with_dependents(&mut program, by.len(), plain_iotas);
        }
        let derivative = match mode {
            Mode::Forward => {
                with_dependents(&mut program, by.len(), |body, of| without_own_derivatives(body, of, mode));
                program.pushed(&by)
            }
            Mode::Reverse => program.pulled(&by).map(|mut derivative| {
                with_dependents(&mut derivative, by.len(), |body, of| without_own_derivatives(body, of, mode));
                derivative
            }),
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
        adjoint: Kept,
        arguments: Vec<Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let params: Vec<Of> = arguments.iter().map(|argument| argument.of.clone()).collect();
        let traced = self.traced(at, params.clone(), &mut |arguments| function(arguments))?;
        let results = traced.results.len();
        let mut of_pullback = params;
        for _ in ["the results", "their adjoints"] {
            of_pullback.extend(traced.results.iter().cloned());
            if traced.checked {
                of_pullback.push(Of::scalar(Prim::I64));
            }
        }
        let pullback = self.traced(at, of_pullback, &mut |mut operands| {
            let mut adjoints = operands.split_off(arguments.len() + results + usize::from(traced.checked));
            adjoints.truncate(results);
            let mut given = operands.split_off(arguments.len());
            given.truncate(results);
            given.extend(adjoints);
            let answers = call(adjoint, given)?;
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

impl Site {
    /// `iota` where reverse mode may go through it: the adjoint of the size is, by the language, the sum of those of the elements.
    pub(super) fn iota_with_adjoint(&self, at: Span, count: &Operand) -> Outcome<Op> {
        let array = Of::array(Prim::I64, vec![None]);
        let function = self.traced(at, vec![count.of.clone()], &mut |count| {
            Ok(vec![Operand { atom: self.one(at, Op::Iota(count[0].atom))?, of: array.clone() }])
        })?;
        let pullback = self.traced(at, vec![count.of.clone(), array.clone(), array.clone()], &mut |given| {
            let sum = self.on_scalars(at, [Prim::I64; 2], |[a, b]| self.add(at, a, b))?;
            let sum = self.one(at, Op::Reduce(reduction(sum, index(0), given[2].atom)))?;
            Ok(vec![Operand::scalar(sum, Prim::I64)])
        })?;
        let arguments = vec![count.atom];
        Ok(Op::Custom(Box::new(Custom { function: function.lambda, pullback: pullback.lambda, arguments })))
    }
}

/// Writes `iota` of what does not depend on these as it is.
fn plain_iotas(body: &mut Body, of: &Dependents) {
    for stm in &mut body.stms {
        if let Op::Custom(it) = &stm.op
            && let [Stm { op: Op::Iota(_), .. }] = it.function.body.stms[..]
            && !of.has(it.arguments[0])
        {
            stm.op = Op::Iota(it.arguments[0]);
        }
        stm.op.bodies_mut().for_each(|inside| plain_iotas(inside, of));
    }
}

/// Changes a program in which functions have derivatives of their own, by what depends on its first parameters.
fn with_dependents(program: &mut Program, params: usize, change: impl FnOnce(&mut Body, &Dependents)) {
    fn has_own(body: &Body) -> bool {
        body.stms.iter().any(|stm| matches!(stm.op, Op::Custom(_)) || stm.op.bodies().any(has_own))
    }
    if has_own(&program.function.body) {
        let of = Dependents::of(program, params);
        change(&mut program.function.body, &of);
    }
}

/// What depends on the first parameters of a program.
struct Dependents(Vec<bool>);

impl Dependents {
    fn of(program: &Program, params: usize) -> Self {
        fn along(body: &Body, edges: &mut Vec<(Var, Var)>) {
            for stm in &body.stms {
                let mut edge = |to: Var, from: Atom| edges.extend(from.var().map(|from| (from, to)));
                dependences(stm, &mut |to, from, role| {
                    if matches!(role, Role::Value | Role::Destination) {
                        edge(to, from);
                    }
                });
                if let Op::Custom(it) = &stm.op {
                    it.function.params.iter().zip(&it.arguments).for_each(|(param, argument)| edge(*param, *argument));
                }
                stm.op.bodies().for_each(|inside| along(inside, edges));
            }
        }
        let (function, mut edges) = (&program.function, Vec::new());
        along(&function.body, &mut edges);
        let from = function.params[..params].to_vec();
        Dependents(reached(program.types.len(), from, || edges.iter().copied()))
    }

    fn has(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.0[var.0 as usize])
    }
}

/// Writes functions with derivatives of their own, of arguments among these, as what they compute, and those in them if forward
/// mode goes through them: it has no use for such derivatives. After reverse mode they have had their use: derivatives of
/// higher order are those of what was computed.
fn without_own_derivatives(body: &mut Body, of: &Dependents, mode: Mode) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in core::mem::take(&mut body.stms) {
        match stm.op {
            Op::Custom(mut it) if it.arguments.iter().any(|argument| of.has(*argument)) => {
                if mode == Mode::Forward {
                    without_own_derivatives(&mut it.function.body, of, mode);
                }
                let Custom { function: Lambda { params, body: inner }, arguments, .. } = *it;
                let copy = |(var, atom)| Stm { vars: [var].into_iter().collect(), op: Op::Copy(atom), span: stm.span };
                stms.extend(params.into_iter().zip(arguments).map(copy));
                stms.extend(inner.stms);
                stms.extend(stm.vars.into_iter().zip(inner.results).map(copy));
            }
            mut op => {
                op.bodies_mut().for_each(|inside| without_own_derivatives(inside, of, mode));
                stm.op = op;
                stms.push(stm);
            }
        }
    }
    body.stms = stms;
}
