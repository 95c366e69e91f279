//! Values of the core language over the leaves of a meaning.
//!
//! Law: to split a value into leaves and to put it together by its type is the identity. A value in an array has
//! the form of a value alone: its leaves have more dimensions, and nothing else changes (tests/language/interpret.rs).

use std::rc::Rc;

use super::Outcome;
use super::intrinsic::{At, Intrinsic};
use super::scopes::Unit;
use super::types::{Evaluated, Types};
use crate::futhark::core::{Expression, Prim, Scheme};
use crate::futhark::source::{Message, Span};

/// A function that the evaluator keeps for a meaning, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept(pub(super) usize);

/// A value of a program, over leaves of type `D`.
#[derive(Debug)]
pub enum Value<'p, D> {
    /// A scalar, or an array of scalars, or the unit.
    Data(D),
    /// A record with at least one field, in order of their names; or an array of such.
    Record(Rc<Vec<Value<'p, D>>>),
    /// A sum, or an array of such: which constructor, by number, and the payloads of every constructor, of which only
    /// those of this one mean something.
    Sum(Rc<(D, Vec<Vec<Value<'p, D>>>)>),
    /// A function.
    Function(Rc<Function<'p, D>>),
}

impl<D: Clone> Clone for Value<'_, D> {
    fn clone(&self) -> Self {
        match self {
            Value::Data(data) => Value::Data(data.clone()),
            Value::Record(fields) => Value::Record(fields.clone()),
            Value::Sum(sum) => Value::Sum(sum.clone()),
            Value::Function(function) => Value::Function(function.clone()),
        }
    }
}

/// A function, with the arguments it has been given so far.
#[derive(Debug)]
pub struct Function<'p, D> {
    pub(super) of: Callee<'p, D>,
    pub(super) arguments: Vec<Value<'p, D>>,
}

/// What is called when there are enough arguments.
#[derive(Debug)]
pub(super) enum Callee<'p, D> {
    /// Lambdas, one right in the other, with the values of their free variables.
    Closure(&'p Unit<'p>, Rc<Captured<'p, D>>),
    /// A function that meanings know, at these sizes and types.
    Intrinsic(Intrinsic, Rc<At<D>>),
    /// A local definition, still for all sizes and types.
    Generic(&'p Scheme, &'p Expression, &'p Unit<'p>, Rc<Captured<'p, D>>),
}

impl<D> Clone for Callee<'_, D> {
    fn clone(&self) -> Self {
        match self {
            Callee::Closure(unit, captured) => Callee::Closure(unit, captured.clone()),
            Callee::Intrinsic(which, types) => Callee::Intrinsic(*which, types.clone()),
            Callee::Generic(scheme, body, unit, captured) => Callee::Generic(scheme, body, unit, captured.clone()),
        }
    }
}

/// The values of the free variables of a unit, in the order of [`Unit::captures`], and its types.
#[derive(Debug)]
pub(super) struct Captured<'p, D> {
    pub(super) values: Vec<Option<Value<'p, D>>>,
    pub(super) types: Types<D>,
}

impl<D> Captured<'_, D> {
    /// That there is nothing around.
    pub(super) fn nothing() -> Self {
        Captured { values: Vec::new(), types: Types::none() }
    }
}

/// The invariant that a checked program keeps.
pub(super) fn unchecked<T>(at: Span, what: &str) -> Outcome<T> {
    let hint = "this is a mistake of the checker, not of the program";
    Err(Message::error("internal", at, format!("{what} was expected here")).hint(hint))
}

impl<'p, D: Clone> Value<'p, D> {
    /// A function without arguments yet.
    pub(super) fn function(of: Callee<'p, D>) -> Self {
        Value::Function(Rc::new(Function { of, arguments: Vec::new() }))
    }

    /// The leaf that a scalar or an array of scalars is.
    ///
    /// # Errors
    /// If it is something else, which the checker excludes.
    pub fn into_data(self, at: Span) -> Outcome<D> {
        match self {
            Value::Data(data) => Ok(data),
            Value::Record(_) | Value::Sum(_) | Value::Function(_) => unchecked(at, "a scalar or an array of scalars"),
        }
    }

    /// Its leaves, in the order of the types.
    ///
    /// # Errors
    /// If a function is in it, which the checker excludes.
    pub fn into_leaves(self, at: Span) -> Outcome<Vec<D>> {
        // Most values are one leaf.
        if let Value::Data(data) = self {
            return Ok(vec![data]);
        }
        let mut leaves = Vec::new();
        self.collect(at, &mut leaves)?;
        Ok(leaves)
    }

    fn collect(self, at: Span, leaves: &mut Vec<D>) -> Outcome<()> {
        match self {
            Value::Data(data) => leaves.push(data),
            Value::Record(fields) => {
                Rc::unwrap_or_clone(fields).into_iter().try_for_each(|field| field.collect(at, leaves))?;
            }
            Value::Sum(sum) => {
                let (tag, payloads) = Rc::unwrap_or_clone(sum);
                leaves.push(tag);
                payloads.into_iter().flatten().try_for_each(|payload| payload.collect(at, leaves))?;
            }
            Value::Function(_) => return unchecked(at, "a value without functions"),
        }
        Ok(())
    }

    /// A leaf of it; all of them have the outer sizes of the array that this is.
    pub(super) fn leaf(&self, at: Span) -> Outcome<&D> {
        match self {
            Value::Data(data) => Ok(data),
            Value::Record(fields) => fields.first().map_or_else(|| unchecked(at, "a field"), |field| field.leaf(at)),
            Value::Sum(sum) => Ok(&sum.0),
            Value::Function(_) => unchecked(at, "a value without functions"),
        }
    }

    /// The value of this type that has these leaves.
    pub(super) fn of(leaves: Vec<D>, of: &Evaluated<D>, at: Span) -> Outcome<Self> {
        let mut leaves = leaves.into_iter();
        Value::assemble(&mut leaves, of, at)
    }

    fn assemble(leaves: &mut impl Iterator<Item = D>, of: &Evaluated<D>, at: Span) -> Outcome<Self> {
        let next = |leaves: &mut dyn Iterator<Item = D>| leaves.next().map_or_else(|| unchecked(at, "a leaf"), Ok);
        Ok(match of {
            Evaluated::Prim(_) => Value::Data(next(leaves)?),
            Evaluated::Record(fields) if fields.is_empty() => Value::Data(next(leaves)?),
            Evaluated::Array(_, element) => Value::assemble(leaves, element, at)?,
            Evaluated::Record(fields) => {
                let fields = fields.iter().map(|field| Value::assemble(leaves, field, at)).collect::<Outcome<_>>()?;
                Value::Record(Rc::new(fields))
            }
            Evaluated::Sum(constructors) => {
                let tag = next(leaves)?;
                let payloads = constructors
                    .iter()
                    .map(|payload| payload.iter().map(|of| Value::assemble(leaves, of, at)).collect())
                    .collect::<Outcome<_>>()?;
                Value::Sum(Rc::new((tag, payloads)))
            }
            Evaluated::Function => return unchecked(at, "a value without functions"),
        })
    }

    /// The value with every leaf replaced.
    pub(super) fn each(self, at: Span, change: &mut dyn FnMut(D) -> Outcome<D>) -> Outcome<Self> {
        Ok(match self {
            Value::Data(data) => Value::Data(change(data)?),
            Value::Record(fields) => {
                let fields = Rc::unwrap_or_clone(fields).into_iter();
                Value::Record(Rc::new(fields.map(|field| field.each(at, change)).collect::<Outcome<_>>()?))
            }
            Value::Sum(sum) => {
                let (tag, payloads) = Rc::unwrap_or_clone(sum);
                let tag = change(tag)?;
                let payloads = payloads
                    .into_iter()
                    .map(|payload| payload.into_iter().map(|value| value.each(at, change)).collect())
                    .collect::<Outcome<_>>()?;
                Value::Sum(Rc::new((tag, payloads)))
            }
            Value::Function(_) => return unchecked(at, "a value without functions"),
        })
    }

    /// Two values of one form made one, leaf by leaf.
    pub(super) fn both(self, other: Self, at: Span, join: &mut dyn FnMut(D, D) -> Outcome<D>) -> Outcome<Self> {
        let mut others = other.into_leaves(at)?.into_iter();
        self.each(at, &mut |first| {
            let second = others.next().map_or_else(|| unchecked(at, "a leaf"), Ok)?;
            join(first, second)
        })
    }
}

/// The kind that tags of sums are of.
pub(super) const TAG: Prim = Prim::I64;
