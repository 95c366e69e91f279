//! Functions applied.
//!
//! Law: a function of several parameters, given one argument at a time, is called when the last is there
//! (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::{Evaluation, Evaluator};
use super::frame::Frame;
use super::types::Evaluated;
use super::value::{Callee, Function, Kept, Value, unchecked};
use super::{Meaning, Outcome, UNKNOWN_CALLS};
use crate::futhark::source::{Message, Span};

/// That functions that call themselves are too deep in each other.
fn too_many_calls(at: Span, most: u32, concrete: bool) -> Message {
    if concrete {
        let text = format!("a function calls itself more than {most} calls deep");
        return Message::error(UNKNOWN_CALLS, at, text).hint("does it end? A long recursion is better a `loop`");
    }
    let text =
        format!("how often this function calls itself is not known before the program runs, or over {most} times");
    Message::error(UNKNOWN_CALLS, at, text).hint("the interpreter runs it; a `loop` can be compiled")
}

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// A function applied to one argument.
    pub(super) fn apply(
        &self,
        function: Value<'p, M::Data>,
        argument: Value<'p, M::Data>,
        at: Span,
    ) -> Evaluation<'p, M> {
        let Value::Function(function) = function else { return unchecked(at, "a function") };
        let Function { of, mut arguments } = Rc::try_unwrap(function)
            .unwrap_or_else(|shared| Function { of: shared.of.clone(), arguments: shared.arguments.clone() });
        arguments.push(argument);
        match of {
            Callee::Closure(unit, captured) if arguments.len() == unit.params.len() => {
                self.meaning.step(at)?;
                let frame = Frame::new(self, unit, captured);
                for (param, argument) in unit.params.iter().zip(arguments) {
                    frame.bind(param, argument)?;
                }
                let calls = self.calls.get() + u32::from(unit.recursive);
                if calls > M::CALLS {
                    return Err(too_many_calls(at, M::CALLS, M::CONCRETE));
                }
                self.calls.set(calls);
                let result = frame.eval(unit.body);
                self.calls.set(calls - u32::from(unit.recursive));
                // What goes wrong in a function of the prelude went wrong where the user called it.
                result.map_err(|mut message| {
                    if message.span.is_prelude() && !at.is_prelude() {
                        message.span = at;
                    }
                    message
                })
            }
            Callee::Intrinsic(which, types) if arguments.len() == which.arity() => {
                self.meaning.step(at)?;
                self.intrinsic(which, &types, arguments, at)
            }
            Callee::Generic(..) => unchecked(at, "an instance"),
            of @ (Callee::Closure(..) | Callee::Intrinsic(..)) => {
                Ok(Value::Function(Rc::new(Function { of, arguments })))
            }
        }
    }

    /// A function of the program as a function from the leaves of its arguments, of these types, to those of its result.
    pub(super) fn code<'c>(
        &'c self,
        function: &'c Value<'p, M::Data>,
        params: &'c [Rc<Evaluated<M::Data>>],
        at: Span,
    ) -> impl FnMut(Vec<M::Data>) -> Outcome<Vec<M::Data>> + 'c {
        let counts: Vec<usize> = params.iter().map(|param| param.leaves().len()).collect();
        move |leaves| {
            let mut rest = leaves;
            let mut result = function.clone();
            for (param, count) in params.iter().zip(&counts) {
                let later = if *count >= rest.len() { Vec::new() } else { rest.split_off(*count) };
                result = self.apply(result, Value::of(core::mem::replace(&mut rest, later), param, at)?, at)?;
            }
            result.into_leaves(at)
        }
    }

    /// Keeps a function of parameters of these types for the meaning.
    pub(super) fn keep(&self, function: Value<'p, M::Data>, params: Vec<Rc<Evaluated<M::Data>>>) -> Kept {
        let mut kept = self.kept.borrow_mut();
        kept.push((function, params));
        Kept(kept.len() - 1)
    }

    /// Calls a function that was kept.
    pub(super) fn call(&self, kept: Kept, leaves: Vec<M::Data>, at: Span) -> Outcome<Vec<M::Data>> {
        let found = self.kept.borrow().get(kept.0).cloned();
        let (function, params) = found.map_or_else(|| unchecked(at, "a function that was kept"), Ok)?;
        self.code(&function, &params, at)(leaves)
    }

    /// Compares the sizes of a type with those of a value that is, in this many outer dimensions, an array of it.
    pub(super) fn check_sizes(
        &self,
        at: Span,
        of: &Evaluated<M::Data>,
        value: &Value<'p, M::Data>,
        outer: usize,
        what: &str,
    ) -> Outcome<()> {
        match (of, value) {
            (Evaluated::Array(size, element), value) => {
                if let Some(wanted) = size {
                    let found = self.meaning.size(value.leaf(at)?, outer);
                    self.meaning.same_size(at, wanted, &found, what)?;
                }
                self.check_sizes(at, element, value, outer + 1, what)
            }
            (Evaluated::Record(fields), Value::Record(values)) => fields
                .iter()
                .zip(values.iter())
                .try_for_each(|(of, value)| self.check_sizes(at, of, value, outer, what)),
            (Evaluated::Sum(constructors), Value::Sum(sum)) => constructors
                .iter()
                .zip(&sum.1)
                .flat_map(|(types, payload)| types.iter().zip(payload))
                .try_for_each(|(of, value)| self.check_sizes(at, of, value, outer, what)),
            (Evaluated::Record(_) | Evaluated::Sum(_) | Evaluated::Prim(_) | Evaluated::Function, _) => Ok(()),
        }
    }
}
