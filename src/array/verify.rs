//! The verifier: what every program must keep, checked in one pass.
//!
//! Law: a program that passes runs without a panic in every executor (tests/laws/executors.rs, laws: program_parts).
//!
//! Each of these invariants holds, and nothing else is relied on:
//!
//! - **Variables.** A variable is bound once: as a parameter of the program, of a function or of a loop, as the index of
//!   a loop, or by a statement. It is used after it is bound, and within the body that binds it; a function inside may
//!   mention the variables around it. The program as a whole has no free variables. Every variable has a type.
//! - **Types.** A statement binds as many variables as its operation has results, of the types that
//!   [`result_types`](super::result_types) gives, which also checks operands and the arities of functions.
//! - **Names.** Each parameter of the program has one name.
//! - **Accumulators** are linear, so that they can be updated in place and in parallel. Each is used exactly once on
//!   every path: to be added to, to become an array again, to be copied or given to a loop or map, or as a result of a
//!   body. Two branches use the same ones. A body that may run many times, or not at all, reaches only those that it is
//!   given as parameters. Parameters and results of programs and of custom functions are not accumulators.
//! - **Depth.** Bodies nest at most [`MAX_DEPTH`] deep, so that recursion over them is safe.

use super::infer::{Reason, result_types};
use super::iteration::Form;
use super::operation::Op;
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::text;
use super::visit::Nested;
use crate::error::{Error, Result, Span};

/// How deep the bodies of a program may nest.
pub const MAX_DEPTH: usize = 200;

/// Runs what recurses over nested bodies, on more stack if there is little left.
pub(crate) fn deeper<T>(inside: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, inside)
}

impl Program {
    /// Checks that the program is well formed and well typed: the invariants are listed in the source file. Every way to make
    /// a program checks that, or keeps it; laws ask it of what derivatives and passes make.
    ///
    /// # Errors
    /// [`Error::IllTyped`], with the statement and what is wrong with it.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::F64};
    /// let cube = Program::trace(|x: F64| x * x * x)?;
    /// assert_eq!(cube.vjp()?.verify(), Ok(()));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn verify(&self) -> Result<()> {
        let mut verifier = Verifier {
            program: self,
            states: vec![State::Unbound; self.types.len()],
            consumed: Vec::new(),
            region: 0,
            depth: 0,
        };
        let Lambda { params, body } = &self.function;
        let whole = |reason| Error::IllTyped { statement: text::signature(self), span: Span::UNKNOWN, reason };
        if self.names.len() != params.len() {
            let reason = format!("the program has {} parameters and {} names", params.len(), self.names.len());
            return Err(whole(reason));
        }
        params.iter().try_for_each(|p| verifier.bind(*p)).map_err(whole)?;
        if params.iter().any(|p| self.type_of(*p).accumulator) {
            return Err(whole("a parameter of the program is an accumulator".into()));
        }
        verifier.body(body)?;
        if body.results.iter().any(|a| self.atom_type(*a).accumulator) {
            return Err(whole("a result of the program is an accumulator".into()));
        }
        Ok(())
    }
}

/// The result of a check without a statement of its own.
type Checked = core::result::Result<(), Reason>;

/// Where a variable is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unbound,
    /// In scope, and bound in the region of this number.
    Bound(usize),
    /// An accumulator in scope that was used.
    Consumed(usize),
    /// Bound by a body that has ended.
    Gone,
}

struct Verifier<'p> {
    program: &'p Program,
    states: Vec<State>,
    /// The accumulators used so far, in order.
    consumed: Vec<Var>,
    /// The number of bodies around this one that may run any number of times.
    region: usize,
    depth: usize,
}

impl Verifier<'_> {
    fn is_accumulator(&self, var: Var) -> bool {
        self.program.type_of(var).accumulator
    }

    fn name(&self, var: Var) -> String {
        text::name(self.program, var)
    }

    fn no_type(&self, var: Var) -> Reason {
        format!("{} has no type", self.name(var))
    }

    fn bind(&mut self, var: Var) -> Checked {
        match self.states.get(var.0 as usize) {
            None => Err(self.no_type(var)),
            Some(State::Unbound) => {
                self.states[var.0 as usize] = State::Bound(self.region);
                Ok(())
            }
            Some(State::Bound(_) | State::Consumed(_) | State::Gone) => {
                Err(format!("{} is bound twice", self.name(var)))
            }
        }
    }

    fn consume(&mut self, atom: Atom) -> Checked {
        let Atom::Var(var) = atom else { return Ok(()) };
        match self.states.get(var.0 as usize) {
            None => Err(self.no_type(var)),
            Some(State::Unbound) => Err(format!("{} is used before it is bound", self.name(var))),
            Some(State::Gone) => Err(format!("{} is used outside of the body that binds it", self.name(var))),
            Some(State::Consumed(_)) => Err(format!("the accumulator {} is used twice", self.name(var))),
            Some(State::Bound(region)) if self.is_accumulator(var) => {
                if *region != self.region {
                    return Err(format!(
                        "the accumulator {} is used in a body that may run many times: give it as a parameter",
                        self.name(var)
                    ));
                }
                self.states[var.0 as usize] = State::Consumed(*region);
                self.consumed.push(var);
                Ok(())
            }
            Some(State::Bound(_)) => Ok(()),
        }
    }

    /// Ends the life of a variable.
    fn end(&mut self, var: Var) -> Checked {
        let state = core::mem::replace(&mut self.states[var.0 as usize], State::Gone);
        if self.is_accumulator(var) && matches!(state, State::Bound(_)) {
            return Err(format!("the accumulator {} is not used: what is added to it would be lost", self.name(var)));
        }
        Ok(())
    }

    /// Checks a body in which everything it may use is bound.
    fn body(&mut self, body: &Body) -> Result<()> {
        let at_end =
            |reason| Error::IllTyped { statement: text::results(self.program, body), span: Span::UNKNOWN, reason };
        if self.depth == MAX_DEPTH {
            return Err(at_end(format!("bodies nest at most {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        deeper(|| body.stms.iter().try_for_each(|stm| self.statement(stm)))?;
        body.results.iter().try_for_each(|a| self.consume(*a)).map_err(at_end)?;
        body.stms.iter().flat_map(|stm| &stm.vars).try_for_each(|v| self.end(*v)).map_err(at_end)?;
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, stm: &Stm) -> Result<()> {
        let program = self.program;
        let here = |reason| Error::IllTyped { statement: text::head(program, stm), span: stm.span, reason };
        let mut used = Ok(());
        stm.op.atoms(|a| {
            if used.is_ok() {
                used = self.consume(a);
            }
        });
        used.map_err(here)?;
        self.inside(&stm.op, &here)?;
        allowed(program, &stm.op).map_err(here)?;
        let types = result_types(program, &stm.op).map_err(here)?;
        stm.vars.iter().try_for_each(|v| self.bind(*v)).map_err(here)?;
        if types.len() != stm.vars.len() {
            let reason = format!("{} variables are bound to {} results", stm.vars.len(), types.len());
            return Err(here(reason));
        }
        for (var, found) in stm.vars.iter().zip(types) {
            let wanted = program.type_of(*var);
            if found != wanted {
                return Err(here(format!("{} is of type {wanted} and bound to a {found}", self.name(*var))));
            }
        }
        Ok(())
    }

    /// Checks the bodies inside an operation.
    fn inside(&mut self, op: &Op, here: &impl Fn(Reason) -> Error) -> Result<()> {
        match op.nested() {
            Nested::Functions(functions) => functions.into_iter().try_for_each(|function| self.lambda(function, here)),
            Nested::Branches(yes, no) => self.branches(yes, no, here),
            Nested::Loop(it) => {
                let params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
                match &it.form {
                    Form::For(i, _) => self.region(&[params, vec![*i]].concat(), &it.body, here),
                    Form::While { condition, .. } => self.while_loop(&params, condition, &it.body, here),
                }
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda, here: &impl Fn(Reason) -> Error) -> Result<()> {
        self.region(&lambda.params, &lambda.body, here)
    }

    /// A body that may run any number of times, with its parameters.
    fn region(&mut self, params: &[Var], body: &Body, here: &impl Fn(Reason) -> Error) -> Result<()> {
        self.region += 1;
        params.iter().try_for_each(|p| self.bind(*p)).map_err(here)?;
        self.body(body)?;
        params.iter().try_for_each(|p| self.end(*p)).map_err(here)?;
        self.region -= 1;
        Ok(())
    }

    /// A loop whose parameters are seen by its condition too, which must leave the accumulators alone.
    fn while_loop(
        &mut self,
        params: &[Var],
        condition: &Body,
        body: &Body,
        here: &impl Fn(Reason) -> Error,
    ) -> Result<()> {
        self.region += 1;
        params.iter().try_for_each(|p| self.bind(*p)).map_err(here)?;
        self.region += 1; // Out of reach of the parameters that are accumulators.
        self.body(condition)?;
        self.region -= 1;
        self.body(body)?;
        params.iter().try_for_each(|p| self.end(*p)).map_err(here)?;
        self.region -= 1;
        Ok(())
    }

    /// Two bodies of which one runs.
    fn branches(&mut self, yes: &Body, no: &Body, here: &impl Fn(Reason) -> Error) -> Result<()> {
        let start = self.consumed.len();
        self.body(yes)?;
        let by_yes = self.of_outside(start);
        for var in &by_yes {
            if let State::Consumed(region) = self.states[var.0 as usize] {
                self.states[var.0 as usize] = State::Bound(region);
            }
        }
        self.consumed.truncate(start);
        self.body(no)?;
        let by_no = self.of_outside(start);
        match by_yes.iter().find(|v| !by_no.contains(v)).or(by_no.iter().find(|v| !by_yes.contains(v))) {
            Some(var) => Err(here(format!("the accumulator {} is used in one branch only", self.name(*var)))),
            None => Ok(()),
        }
    }

    /// The accumulators used since `start` that are still in scope.
    fn of_outside(&self, start: usize) -> Vec<Var> {
        self.consumed[start..].iter().copied().filter(|v| self.states[v.0 as usize] != State::Gone).collect()
    }
}

/// Refuses accumulators where the types alone would admit them.
fn allowed(program: &Program, op: &Op) -> Checked {
    let mut given = false;
    op.atoms(|a| given |= program.atom_type(a).accumulator);
    if given && matches!(op, Op::Size(..) | Op::Custom(_) | Op::Agree(_)) {
        return Err("an accumulator can only be added to, passed on, or become an array again".into());
    }
    Ok(())
}
