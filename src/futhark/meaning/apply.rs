//! Functions applied, and the sizes and types that instances are at.
//!
//! Law: a function of several parameters, given one argument at a time, is called when the last is there. A size is a value like
//! any other; one that is not known yet is looked for only by those who need it (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::{Evaluator, Frame};
use super::types::Evaluated;
use super::value::{Callee, Captured, Function, Kept, Value, unchecked};
use super::{Meaning, Outcome};
use crate::array::{IntegerRow, ScalarOp};
use crate::futhark::core::{Constant, Instance, Local, Prim, Size, Type};
use crate::futhark::source::Span;

impl<'p, D> Frame<'p, D> {
    pub(super) fn new(unit: &'p super::scopes::Unit<'p>, captured: Rc<Captured<'p, D>>) -> Self {
        Frame { unit, slots: (0..unit.slots).map(|_| None).collect(), captured }
    }
}

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// A function applied to one argument.
    pub(super) fn apply(
        &self,
        function: Value<'p, M::Data>,
        argument: Value<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let Value::Function(function) = function else { return unchecked(at, "a function") };
        let Function { of, mut arguments } = Rc::try_unwrap(function)
            .unwrap_or_else(|shared| Function { of: shared.of.clone(), arguments: shared.arguments.clone() });
        arguments.push(argument);
        match of {
            Callee::Closure(unit, captured) if arguments.len() == unit.params.len() => {
                self.meaning.step(at)?;
                let mut frame = Frame::new(unit, captured);
                for (param, argument) in unit.params.iter().zip(arguments) {
                    self.bind(param, argument, &mut frame)?;
                }
                // What goes wrong in a function of the prelude went wrong where the user called it.
                self.eval(unit.body, &mut frame).map_err(|mut message| {
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

    /// An instance of a local definition.
    pub(super) fn instance(
        &self,
        generic: Value<'p, M::Data>,
        instance: &Instance,
        frame: &Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let Value::Function(function) = &generic else { return unchecked(at, "a local definition") };
        let Callee::Generic(scheme, body, unit, captured) = &function.of else {
            return unchecked(at, "a local definition");
        };
        let (sizes, types) = self.at_instance(instance, frame, at)?;
        let vars = scheme.types.iter().map(|var| var.id);
        let types = vars.zip(types).fold(captured.types.clone(), |types, (var, of)| types.with(var, of));
        let captured = Rc::new(Captured { values: captured.values.clone(), types });
        let mut inner = Frame::new(unit, captured);
        for (local, size) in scheme.sizes.iter().zip(sizes) {
            self.set(&mut inner, *local, size.map(Value::Data));
        }
        self.eval(body, &mut inner)
    }

    /// The sizes and types of an instance.
    #[expect(clippy::type_complexity, reason = "two lists, taken apart at once")]
    pub(super) fn at_instance(
        &self,
        instance: &Instance,
        frame: &Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<(Vec<Option<M::Data>>, Vec<Rc<Evaluated<M::Data>>>)> {
        let sizes = instance.sizes.iter().map(|size| self.size(size, frame, at)).collect::<Outcome<_>>()?;
        let types = instance.types.iter().map(|of| self.evaluated(of, frame, at)).collect::<Outcome<_>>()?;
        Ok((sizes, types))
    }

    /// The value of a size, if it is known yet.
    pub(super) fn size(&self, size: &Size, frame: &Frame<'p, M::Data>, at: Span) -> Outcome<Option<M::Data>> {
        let operation = |op: ScalarOp, a: &Size, b: &Size| {
            let (Some(a), Some(b)) = (self.size(a, frame, at)?, self.size(b, frame, at)?) else { return Ok(None) };
            self.meaning.scalar(at, op, Prim::I64, &[a, b]).map(Some)
        };
        match size {
            Size::Constant(n) => Ok(Some(self.meaning.constant(Constant::Integer((*n).into()), Prim::I64))),
            Size::Local(local) => match self.lookup(frame, *local) {
                Some(value) => value.clone().into_data(at).map(Some),
                None => Ok(None),
            },
            Size::Sum(a, b) => operation(ScalarOp::Add, a, b),
            Size::Difference(a, b) => operation(IntegerRow::Sub.into(), a, b),
            Size::Product(a, b) => operation(ScalarOp::Mul, a, b),
            Size::Quotient(a, b) => operation(IntegerRow::Div.into(), a, b),
            Size::Unknown(_) => unchecked(at, "a known size"),
        }
    }

    /// A type with its sizes evaluated.
    pub(super) fn evaluated(&self, of: &Type, frame: &Frame<'p, M::Data>, at: Span) -> Outcome<Rc<Evaluated<M::Data>>> {
        Ok(Rc::new(match of {
            Type::Prim(kind) => Evaluated::Prim(*kind),
            Type::Array(size, element) => {
                Evaluated::Array(self.size(size, frame, at)?, self.evaluated(element, frame, at)?)
            }
            Type::Record(fields) => {
                let fields = fields.iter().map(|(_, of)| self.evaluated(of, frame, at));
                Evaluated::Record(fields.collect::<Outcome<_>>()?)
            }
            Type::Sum(constructors) => {
                let payload = |of: &[Type]| of.iter().map(|of| self.evaluated(of, frame, at)).collect();
                Evaluated::Sum(constructors.iter().map(|(_, of)| payload(of)).collect::<Outcome<_>>()?)
            }
            Type::Function { .. } => Evaluated::Function,
            Type::Var(var) => {
                let found = frame.captured.types.get(var.id).cloned();
                return found.map_or_else(|| unchecked(at, "a type in the place of a type parameter"), Ok);
            }
            Type::Accumulator(of) => return self.evaluated(of, frame, at),
            Type::Unknown(_) => return unchecked(at, "a known type"),
        }))
    }

    /// The value of this type that has these leaves.
    pub(super) fn assemble(
        &self,
        leaves: Vec<M::Data>,
        of: &Type,
        frame: &Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        Value::of(leaves, &*self.evaluated(of, frame, at)?, at)
    }

    /// Binds these sizes by matching a type with a value that is, in this many outer dimensions, an array of it.
    pub(super) fn bind_sizes(
        &self,
        sizes: &[Local],
        of: &Type,
        value: &Value<'p, M::Data>,
        outer: usize,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<()> {
        if sizes.is_empty() {
            return Ok(());
        }
        match (of, value) {
            (Type::Array(size, element), value) => {
                if let Size::Local(local) = &**size
                    && sizes.contains(local)
                {
                    let found = self.meaning.size(value.leaf(at)?, outer);
                    self.set(frame, *local, Some(Value::Data(found)));
                }
                self.bind_sizes(sizes, element, value, outer + 1, frame, at)
            }
            (Type::Accumulator(of), value) => self.bind_sizes(sizes, of, value, outer, frame, at),
            (Type::Record(fields), Value::Record(values)) => fields
                .iter()
                .zip(values.iter())
                .try_for_each(|((_, of), value)| self.bind_sizes(sizes, of, value, outer, frame, at)),
            (Type::Sum(constructors), Value::Sum(sum)) => constructors
                .iter()
                .zip(&sum.1)
                .flat_map(|((_, types), payload)| types.iter().zip(payload))
                .try_for_each(|(of, value)| self.bind_sizes(sizes, of, value, outer, frame, at)),
            (Type::Record(_) | Type::Sum(_), _) => Ok(()),
            (Type::Prim(_) | Type::Var(_) | Type::Function { .. } | Type::Unknown(_), _) => Ok(()),
        }
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
