//! Frames: the variables of what is being evaluated, and sizes and types in terms of them.
//!
//! Law: a size is a value like any other; one that is not known yet is looked for only by those who need it
//! (tests/language/interpret.rs).

use std::cell::RefCell;
use std::rc::Rc;

use super::eval::{Evaluation, Evaluator};
use super::intrinsic::At;
use super::scopes::Unit;
use super::types::Evaluated;
use super::value::{Callee, Captured, Value, unchecked};
use super::{Meaning, Outcome};
use crate::array::{Const, IntegerRow, ScalarOp};
use crate::futhark::core::{Expression, Instance, Local, Prim, Scheme, Size, Type};
use crate::futhark::source::Span;

/// A unit that is being evaluated, and its variables.
#[derive(Debug)]
pub(super) struct Frame<'e, 'p, M: Meaning> {
    pub(super) evaluator: &'e Evaluator<'p, M>,
    unit: &'p Unit<'p>,
    slots: RefCell<Vec<Option<Value<'p, M::Data>>>>,
    captured: Rc<Captured<'p, M::Data>>,
}

impl<'e, 'p, M: Meaning> Frame<'e, 'p, M> {
    pub(super) fn new(
        evaluator: &'e Evaluator<'p, M>,
        unit: &'p Unit<'p>,
        captured: Rc<Captured<'p, M::Data>>,
    ) -> Self {
        Frame { evaluator, unit, slots: RefCell::new((0..unit.slots).map(|_| None).collect()), captured }
    }

    /// The frame of a unit of this scheme at sizes and types, which join those that are known around it.
    pub(super) fn of_instance(
        evaluator: &'e Evaluator<'p, M>,
        unit: &'p Unit<'p>,
        scheme: &Scheme,
        instance: At<M::Data>,
        around: Captured<'p, M::Data>,
    ) -> Self {
        let vars = scheme.types.iter().map(|var| var.id);
        let types = vars.zip(instance.types).fold(around.types, |types, (var, of)| types.with(var, of));
        let frame = Frame::new(evaluator, unit, Rc::new(Captured { values: around.values, types }));
        for (local, size) in scheme.sizes.iter().zip(instance.sizes) {
            frame.set(*local, size.map(Value::Data));
        }
        frame
    }

    /// Where a variable lives in this frame, if it does.
    fn slot(&self, local: Local) -> Option<usize> {
        let place = self.evaluator.scopes.place(local).filter(|place| place.unit == self.unit.number)?;
        Some(place.slot as usize)
    }

    /// Gives a variable its value, if it is ever mentioned.
    pub(super) fn set(&self, local: Local, value: Option<Value<'p, M::Data>>) {
        if self.evaluator.scopes.place(local).is_some_and(|place| place.used) {
            self.put(local, value);
        }
    }

    /// Gives a variable its value.
    pub(super) fn put(&self, local: Local, value: Option<Value<'p, M::Data>>) {
        if let Some(slot) = self.slot(local) {
            self.slots.borrow_mut()[slot] = value;
        }
    }

    /// The value of a variable, if it has one yet.
    pub(super) fn lookup(&self, local: Local) -> Option<Value<'p, M::Data>> {
        match self.slot(local) {
            Some(slot) => self.slots.borrow()[slot].clone(),
            None => self.captured.values[self.unit.captures.binary_search(&local).ok()?].clone(),
        }
    }

    /// The value of a variable where it is used.
    pub(super) fn variable(&self, e: &Expression, local: Local) -> Evaluation<'p, M> {
        let taken = match self.slot(local) {
            Some(slot) if M::CONCRETE && self.evaluator.scopes.is_last(e) => self.slots.borrow_mut()[slot].take(),
            _ => None,
        };
        taken.or_else(|| self.lookup(local)).map_or_else(|| unchecked(e.span, "a variable with a value"), Ok)
    }

    /// What a function that is made here knows of the variables around it.
    pub(super) fn capture(&self, unit: &Unit<'p>) -> Rc<Captured<'p, M::Data>> {
        let values = unit.captures.iter().map(|local| self.lookup(*local)).collect();
        Rc::new(Captured { values, types: self.captured.types.clone() })
    }

    /// The kind of scalar that a type is.
    pub(super) fn kind(&self, of: &Type, at: Span) -> Outcome<Prim> {
        match of {
            Type::Prim(kind) => Ok(*kind),
            Type::Var(var) => match self.captured.types.get(var.id).map(|of| &**of) {
                Some(Evaluated::Prim(kind)) => Ok(*kind),
                Some(Evaluated::Array(..) | Evaluated::Record(_) | Evaluated::Sum(_) | Evaluated::Function) | None => {
                    unchecked(at, "the type of a scalar")
                }
            },
            Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Function(_)
            | Type::Accumulator(_)
            | Type::Unknown(_) => unchecked(at, "the type of a scalar"),
        }
    }

    /// An instance of a local definition.
    pub(super) fn instance(&self, generic: Value<'p, M::Data>, instance: &Instance, at: Span) -> Evaluation<'p, M> {
        let Value::Function(function) = &generic else { return unchecked(at, "a local definition") };
        let Callee::Generic(scheme, body, unit, captured) = &function.of else {
            return unchecked(at, "a local definition");
        };
        let around = Captured { values: captured.values.clone(), types: captured.types.clone() };
        let instance = self.at_instance(instance, at)?;
        Frame::of_instance(self.evaluator, unit, scheme, instance, around).eval(body)
    }

    /// The sizes and types of an instance.
    pub(super) fn at_instance(&self, instance: &Instance, at: Span) -> Outcome<At<M::Data>> {
        let sizes = instance.sizes.iter().map(|size| self.size(size, at)).collect::<Outcome<_>>()?;
        let types = instance.types.iter().map(|of| self.evaluated(of, at)).collect::<Outcome<_>>()?;
        Ok(At { sizes, types })
    }

    /// The value of a size, if it is known yet.
    pub(super) fn size(&self, size: &Size, at: Span) -> Outcome<Option<M::Data>> {
        let operation = |op: ScalarOp, a: &Size, b: &Size| {
            let (Some(a), Some(b)) = (self.size(a, at)?, self.size(b, at)?) else { return Ok(None) };
            self.evaluator.meaning.scalar(at, op, &[a, b]).map(Some)
        };
        match size {
            Size::Constant(n) => Ok(Some(self.evaluator.meaning.constant(Const::I64(*n)))),
            Size::Local(local) => {
                let constant = |place| self.evaluator.defined(place, At::NOTHING, at);
                let found = match self.lookup(*local) {
                    Some(value) => Some(value),
                    None => self.evaluator.scopes.constant(*local).map(constant).transpose()?,
                };
                found.map(|value| value.into_data(at)).transpose()
            }
            Size::Sum(a, b) => operation(ScalarOp::Add, a, b),
            Size::Difference(a, b) => operation(IntegerRow::Sub.into(), a, b),
            Size::Product(a, b) => operation(ScalarOp::Mul, a, b),
            Size::Quotient(a, b) => operation(IntegerRow::Div.into(), a, b),
            Size::Unknown(_) => unchecked(at, "a known size"),
        }
    }

    /// A type with its sizes evaluated.
    pub(super) fn evaluated(&self, of: &Type, at: Span) -> Outcome<Rc<Evaluated<M::Data>>> {
        Ok(Rc::new(match of {
            Type::Prim(kind) => Evaluated::Prim(*kind),
            Type::Array(size, element) => Evaluated::Array(self.size(size, at)?, self.evaluated(element, at)?),
            Type::Record(fields) => {
                let fields = fields.iter().map(|(_, of)| self.evaluated(of, at));
                Evaluated::Record(fields.collect::<Outcome<_>>()?)
            }
            Type::Sum(constructors) => {
                let payload = |of: &[Type]| of.iter().map(|of| self.evaluated(of, at)).collect();
                Evaluated::Sum(constructors.iter().map(|(_, of)| payload(of)).collect::<Outcome<_>>()?)
            }
            Type::Function(_) => Evaluated::Function,
            Type::Var(var) => {
                let found = self.captured.types.get(var.id).cloned();
                return found.map_or_else(|| unchecked(at, "a type in the place of a type parameter"), Ok);
            }
            Type::Accumulator(of) => return self.evaluated(of, at),
            Type::Unknown(_) => return unchecked(at, "a known type"),
        }))
    }

    /// The value of this type that has these leaves.
    pub(super) fn assemble(&self, leaves: Vec<M::Data>, of: &Type, at: Span) -> Evaluation<'p, M> {
        Value::of(leaves, &*self.evaluated(of, at)?, at)
    }

    /// Binds these sizes by matching a type with a value that is, in this many outer dimensions, an array of it.
    pub(super) fn bind_sizes(
        &self,
        sizes: &[Local],
        of: &Type,
        value: &Value<'p, M::Data>,
        outer: usize,
        at: Span,
    ) -> Outcome<()> {
        if sizes.is_empty() {
            return Ok(());
        }
        match (of, value) {
            (Type::Array(size, element), value) => {
                if let Size::Local(local) = size
                    && sizes.contains(local)
                {
                    let found = self.evaluator.meaning.size(value.leaf(at)?, outer);
                    self.set(*local, Some(Value::Data(found)));
                }
                self.bind_sizes(sizes, element, value, outer + 1, at)
            }
            (Type::Accumulator(of), value) => self.bind_sizes(sizes, of, value, outer, at),
            (Type::Record(fields), Value::Record(values)) => fields
                .iter()
                .zip(values.iter())
                .try_for_each(|((_, of), value)| self.bind_sizes(sizes, of, value, outer, at)),
            (Type::Sum(constructors), Value::Sum(sum)) => constructors
                .iter()
                .zip(&sum.1)
                .flat_map(|((_, types), payload)| types.iter().zip(payload))
                .try_for_each(|(of, value)| self.bind_sizes(sizes, of, value, outer, at)),
            (Type::Record(_) | Type::Sum(_), _) => Ok(()),
            (Type::Prim(_) | Type::Var(_) | Type::Function(_) | Type::Unknown(_), _) => Ok(()),
        }
    }
}
