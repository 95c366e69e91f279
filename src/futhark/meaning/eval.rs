//! The fold: what every form of expression means, in any meaning.
//!
//! Law: parts are evaluated from left to right, but what is updated comes after what it is updated with. Lets, the taken arm of a
//! conditional and the value of an assertion are evaluated without growing the stack (tests/language/interpret.rs, tests/language/chains.rs).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::frame::Frame;
use super::intrinsic::At;
use super::patterns::{position, replace};
use super::scopes::{Scopes, deep};
use super::types::Evaluated;
use super::value::{Callee, Captured, Value, unchecked};
use super::{Meaning, Outcome, Policy, Scalars, Section, operations};
use crate::array::Const;
use crate::futhark::core::{Definition, Expression, ExpressionKind, Index, Loop, LoopForm, Prim, Program, Range, Type};
use crate::futhark::source::{Message, Name, Span};

/// Evaluates the definitions of a program in a meaning.
#[derive(Debug)]
pub struct Evaluator<'p, M: Meaning> {
    pub(super) program: &'p Program,
    pub(super) meaning: &'p M,
    pub(super) scopes: &'p Scopes<'p>,
    /// The values of constants.
    constants: RefCell<Vec<Option<Value<'p, M::Data>>>>,
    /// How many calls of functions that call themselves are within each other now.
    pub(super) calls: Cell<u32>,
    /// Functions that the meaning knows by number.
    pub(super) kept: RefCell<Vec<KeptFunction<'p, M::Data>>>,
}

/// A value of a program, or what went wrong and where.
pub(super) type Evaluation<'p, M> = Outcome<Value<'p, <M as Scalars>::Data>>;

/// What a program that runs says of a hole.
const REACHED: &str = "this hole is reached, and has no value";

/// A function that is kept, and the types of its parameters.
pub(super) type KeptFunction<'p, D> = (Value<'p, D>, Vec<Rc<Evaluated<D>>>);

/// What an evaluator needs of a program beside it; it must outlive the evaluator.
#[derive(Debug)]
pub struct Prepared<'p>(Scopes<'p>);

impl<'p> Prepared<'p> {
    /// Finds where the variables of a program live.
    #[must_use]
    pub fn of(program: &'p Program) -> Self {
        Prepared(Scopes::of(program))
    }
}

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// An evaluator of this program in this meaning.
    #[must_use]
    pub fn new(program: &'p Program, prepared: &'p Prepared<'p>, meaning: &'p M) -> Self {
        let constants = RefCell::new(program.definitions.iter().map(|_| None).collect());
        Evaluator {
            program,
            meaning,
            scopes: &prepared.0,
            constants,
            calls: Cell::new(0),
            kept: RefCell::new(Vec::new()),
        }
    }

    /// The value of a definition at these sizes and types. `at` is the place of the use.
    pub(super) fn definition(&self, definition: Definition, instance: At<M::Data>, at: Span) -> Evaluation<'p, M> {
        match self.program.place(definition) {
            Some(place) => self.defined(place, instance, at),
            None => unchecked(at, "a definition"),
        }
    }

    /// The value of the definition at a place.
    pub(super) fn defined(&self, place: usize, instance: At<M::Data>, at: Span) -> Evaluation<'p, M> {
        let defined = &self.program.definitions[place];
        let plain = defined.scheme.sizes.is_empty() && defined.scheme.types.is_empty();
        if plain && let Some(value) = &self.constants.borrow()[place] {
            return Ok(value.clone());
        }
        let Some(unit) = self.scopes.definition(&defined.body) else { return unchecked(at, "a definition") };
        let frame = Frame::of_instance(self, unit, &defined.scheme, instance, Captured::nothing());
        if !plain {
            return frame.eval(&defined.body);
        }
        let value = self.meaning.everywhere(|| frame.eval(&defined.body))?;
        self.constants.borrow_mut()[place] = Some(value.clone());
        Ok(value)
    }

    /// The leaf that the unit is.
    pub(super) fn unit(&self) -> M::Data {
        self.meaning.constant(Const::Bool(true))
    }

    /// Some value of a type, for the payloads of constructors that a value does not have.
    fn nothing(&self, of: &Evaluated<M::Data>, at: Span) -> Evaluation<'p, M> {
        let leaves = of.leaves().into_iter().map(|leaf| {
            let zero = self.meaning.constant(leaf.kind.zero());
            leaf.shape.iter().rev().try_fold(zero, |value, size| {
                let none = || self.meaning.constant(Const::I64(0));
                self.meaning.replicate(at, &size.clone().unwrap_or_else(none), value)
            })
        });
        Value::of(leaves.collect::<Outcome<_>>()?, of, at)
    }
}

impl<'p, M: Meaning> Frame<'_, 'p, M> {
    /// The value of an expression that is a scalar or an array of scalars.
    pub(super) fn data(&self, e: &'p Expression) -> Outcome<M::Data> {
        self.eval(e)?.into_data(e.span)
    }

    /// The value of an expression.
    pub(super) fn eval(&self, e: &'p Expression) -> Evaluation<'p, M> {
        deep(|| self.eval_within(e))
    }

    fn eval_within(&self, mut e: &'p Expression) -> Evaluation<'p, M> {
        let m = self.evaluator.meaning;
        loop {
            let at = e.span;
            return match &e.kind {
                ExpressionKind::Let(pattern, value, body) => {
                    let value = self.eval(value)?;
                    self.bind(pattern, value)?;
                    e = body;
                    continue;
                }
                ExpressionKind::LetPolymorphic(local, scheme, value, body) => {
                    let Some(unit) = self.evaluator.scopes.definition(value) else {
                        return unchecked(at, "a definition");
                    };
                    let of = Callee::Generic(scheme, value, unit, self.capture(unit));
                    self.set(*local, Some(Value::function(of)));
                    e = body;
                    continue;
                }
                ExpressionKind::If(condition, yes, no) => {
                    let condition = self.data(condition)?;
                    if let Some(known) = m.decide(&condition) {
                        e = if known { yes } else { no };
                        continue;
                    }
                    let leaves = m.branch(at, &condition, &mut |taken| {
                        self.eval(if taken { yes } else { no })?.into_leaves(at)
                    })?;
                    self.assemble(leaves, &e.of, at)
                }
                ExpressionKind::Assert(condition, value) => {
                    let condition_at = condition.span;
                    let condition = self.data(condition)?;
                    m.require(condition_at, &condition, "assert", "the assertion does not hold")?;
                    e = value;
                    continue;
                }
                ExpressionKind::Match(value, cases) => {
                    let value = self.eval(value)?;
                    self.first_fit(&value, cases, &e.of, at)
                }
                ExpressionKind::Constant(constant) => {
                    let kind = self.kind(&e.of, at)?;
                    Ok(Value::Data(m.constant(constant.of(kind))))
                }
                ExpressionKind::Local(local) => self.variable(e, *local),
                ExpressionKind::LocalInstance(local, instance) => {
                    let value = self.variable(e, *local)?;
                    self.instance(value, instance, at)
                }
                ExpressionKind::Definition(definition, instance) => {
                    self.evaluator.definition(*definition, self.at_instance(instance, at)?, at)
                }
                ExpressionKind::Intrinsic(name, instance) => {
                    self.evaluator.intrinsic_value(name, self.at_instance(instance, at)?, at)
                }
                ExpressionKind::Size(size) => match self.size(size, at)? {
                    Some(size) => Ok(Value::Data(size)),
                    None => unchecked(at, "a size that is known"),
                },
                ExpressionKind::Record(fields) => self.record(fields, &e.of, at),
                ExpressionKind::Field(record, name) => self.field(record, name, at),
                ExpressionKind::RecordUpdate(record, path, value) => {
                    let value = self.eval(value)?;
                    let of = &record.of;
                    let record = self.eval(record)?;
                    replace(record, of, path, value, at)
                }
                ExpressionKind::Constructor(name, payload) => self.constructor(name, payload, &e.of, at),
                ExpressionKind::Array(elements) => self.array(elements, &e.of, at),
                ExpressionKind::Range(range) => self.range(range, at),
                ExpressionKind::Index(array, sections) => {
                    let array = self.eval(array)?;
                    let sections = self.sections(sections)?;
                    array.each(at, &mut |leaf| m.section(at, leaf, &sections))
                }
                ExpressionKind::Update(array, sections, value) => {
                    let sections = self.sections(sections)?;
                    let value = self.eval(value)?;
                    let array = self.eval(array)?;
                    array.both(value, at, &mut |array, value| m.update(at, array, &sections, value))
                }
                ExpressionKind::Primitive(name, kind, operands) => {
                    let operands: Vec<_> = operands.iter().map(|x| self.data(x)).collect::<Outcome<_>>()?;
                    Ok(Value::Data(operations::apply(m, at, name, *kind, &operands)?))
                }
                ExpressionKind::Convert(operand) => self.convert(operand, &e.of, at),
                ExpressionKind::Equal(first, second) => {
                    let of = self.evaluated(&first.of, at)?;
                    let (first, second) = (self.eval(first)?, self.eval(second)?);
                    Ok(Value::Data(self.evaluator.equal(at, &of, first, second)?))
                }
                ExpressionKind::Lambda(_) => self.closure(e),
                ExpressionKind::Apply { function, argument } => {
                    let function = self.eval(function)?;
                    let argument = self.eval(argument)?;
                    self.evaluator.apply(function, argument, at)
                }
                ExpressionKind::Loop(it) => self.iterate(it, at),
                ExpressionKind::Coerce(value) => self.coerce(value, &e.of, at),
                ExpressionKind::Hole => self.hole(&e.of, at),
            };
        }
    }

    fn field(&self, record: &'p Expression, name: &Name, at: Span) -> Evaluation<'p, M> {
        let value = self.eval(record)?;
        let field = position(&record.of, name, at)?;
        match value {
            Value::Record(fields) => match Rc::try_unwrap(fields) {
                Ok(mut fields) if field < fields.len() => Ok(fields.swap_remove(field)),
                Ok(_) => unchecked(at, "a field"),
                Err(fields) => fields.get(field).cloned().map_or_else(|| unchecked(at, "a field"), Ok),
            },
            Value::Data(_) | Value::Sum(_) | Value::Function(_) => unchecked(at, "a record"),
        }
    }

    fn range(&self, range: &'p Range, at: Span) -> Evaluation<'p, M> {
        let kind = self.kind(&range.start.of, at)?;
        let start = self.data(&range.start)?;
        let second = range.second.as_ref().map(|second| self.data(second)).transpose()?;
        let end = self.data(&range.end)?;
        Ok(Value::Data(self.evaluator.meaning.range(at, kind, &start, second.as_ref(), &end, range.kind)?))
    }

    fn convert(&self, operand: &'p Expression, of: &Type, at: Span) -> Evaluation<'p, M> {
        let (from, to) = (self.kind(&operand.of, at)?, self.kind(of, at)?);
        let operand = self.data(operand)?;
        Ok(Value::Data(operations::convert(self.evaluator.meaning, at, from, to, operand)?))
    }

    fn closure(&self, e: &'p Expression) -> Evaluation<'p, M> {
        let Some(unit) = self.evaluator.scopes.lambda(e) else { return unchecked(e.span, "a lambda") };
        let of = Callee::Closure(unit, self.capture(unit));
        Ok(Value::function(of))
    }

    fn coerce(&self, value: &'p Expression, of: &Type, at: Span) -> Evaluation<'p, M> {
        let value = self.eval(value)?;
        let of = self.evaluated(of, at)?;
        self.evaluator.check_sizes(at, &of, &value, 0, "the array")?;
        Ok(value)
    }

    /// What is not written yet: some value, where whether it is reached is not known.
    fn hole(&self, of: &Type, at: Span) -> Evaluation<'p, M> {
        let m = self.evaluator.meaning;
        m.require(at, &m.constant(Const::Bool(false)), "hole", REACHED)?;
        let of = self.evaluated(of, at)?;
        if of.has_function() {
            return Err(Message::error("hole", at, REACHED));
        }
        self.evaluator.nothing(&of, at)
    }

    fn record(&self, fields: &'p [(Name, Expression)], of: &Type, at: Span) -> Evaluation<'p, M> {
        if fields.is_empty() {
            return Ok(Value::Data(self.evaluator.unit()));
        }
        let mut values = fields
            .iter()
            .map(|(name, field)| Ok((position(of, name, at)?, self.eval(field)?)))
            .collect::<Outcome<Vec<_>>>()?;
        values.sort_by_key(|(position, _)| *position);
        Ok(Value::Record(Rc::new(values.into_iter().map(|(_, value)| value).collect())))
    }

    fn constructor(&self, name: &Name, payload: &'p [Expression], of: &Type, at: Span) -> Evaluation<'p, M> {
        let payload: Vec<_> = payload.iter().map(|part| self.eval(part)).collect::<Outcome<_>>()?;
        let Type::Sum(constructors) = of else { return unchecked(at, "the type of a sum") };
        let Some(number) = constructors.iter().position(|(known, _)| known == name) else {
            return unchecked(at, "a constructor of the type");
        };
        let mut payloads = Vec::with_capacity(constructors.len());
        for (other, (_, types)) in constructors.iter().enumerate() {
            if other == number {
                payloads.push(Vec::new());
                continue;
            }
            let empty = types.iter().map(|of| self.evaluator.nothing(&*self.evaluated(of, at)?, at));
            payloads.push(empty.collect::<Outcome<_>>()?);
        }
        payloads[number] = payload;
        let tag = self.evaluator.meaning.constant(Const::I64(number as i64));
        Ok(Value::Sum(Rc::new((tag, payloads))))
    }

    fn array(&self, elements: &'p [Expression], of: &Type, at: Span) -> Evaluation<'p, M> {
        let values = elements.iter().map(|element| self.eval(element)?.into_leaves(at));
        let values: Vec<Vec<M::Data>> = values.collect::<Outcome<_>>()?;
        let of = self.evaluated(of, at)?;
        let Evaluated::Array(_, element) = &*of else { return unchecked(at, "the type of an array") };
        let mut columns: Vec<Vec<M::Data>> =
            element.leaves().iter().map(|_| Vec::with_capacity(values.len())).collect();
        for value in values {
            columns.iter_mut().zip(value).for_each(|(column, leaf)| column.push(leaf));
        }
        let m = self.evaluator.meaning;
        let leaves = columns.into_iter().zip(element.leaves()).map(|(column, leaf)| m.array(at, column, &leaf));
        Value::of(leaves.collect::<Outcome<_>>()?, element, at)
    }

    fn sections(&self, sections: &'p [Index]) -> Outcome<Vec<Section<M::Data>>> {
        let mut found = Vec::with_capacity(sections.len());
        for section in sections {
            found.push(match section {
                Index::At(index) => Section::At(self.index(index)?),
                Index::Slice(start, end, step) => {
                    let part = |e: &'p Option<Expression>| e.as_ref().map(|e| self.index(e)).transpose();
                    Section::Slice(part(start)?, part(end)?, part(step)?)
                }
            });
        }
        Ok(found)
    }

    /// An index, of any kind of integer, as an `i64`.
    fn index(&self, e: &'p Expression) -> Outcome<M::Data> {
        let kind = self.kind(&e.of, e.span)?;
        let index = self.data(e)?;
        operations::convert(self.evaluator.meaning, e.span, kind, Prim::I64, index)
    }

    fn iterate(&self, it: &'p Loop, at: Span) -> Evaluation<'p, M> {
        let m = self.evaluator.meaning;
        let initial = self.eval(&it.initial)?.into_leaves(at)?;
        let bound = it.policy.bound.as_ref().map(|bound| self.index(bound)).transpose()?;
        let policy = Policy { strip_mine: it.policy.strip_mine, bound, true_dependencies: it.policy.true_dependencies };
        // Only the form matters here: sizes may change.
        let of = self.evaluated(&it.pattern.of, at)?;
        let enter = |leaves| {
            let value = Value::of(leaves, &of, at)?;
            self.bind_sizes(&it.sizes, &it.pattern.of, &value, 0, at)?;
            self.bind(&it.pattern, value)
        };
        let leaves = match &it.form {
            LoopForm::For(local, bound) => {
                let kind = self.kind(&bound.of, at)?;
                let bound = self.data(bound)?;
                m.repeat(at, kind, &bound, initial, &policy, &mut |i, leaves| {
                    self.set(*local, Some(Value::Data(i)));
                    enter(leaves)?;
                    self.eval(&it.body)?.into_leaves(at)
                })?
            }
            LoopForm::In(pattern, array) => {
                let array = self.eval(array)?;
                let count = m.size(array.leaf(at)?, 0);
                m.repeat(at, Prim::I64, &count, initial, &policy, &mut |i, leaves| {
                    let element = array.clone().each(at, &mut |leaf| m.section(at, leaf, &[Section::At(i.clone())]))?;
                    self.bind(pattern, element)?;
                    enter(leaves)?;
                    self.eval(&it.body)?.into_leaves(at)
                })?
            }
            LoopForm::While(condition) => {
                let mut asks = |leaves| {
                    enter(leaves)?;
                    Ok(vec![self.data(condition)?])
                };
                let mut body = |leaves| {
                    enter(leaves)?;
                    self.eval(&it.body)?.into_leaves(at)
                };
                m.repeat_while(at, initial, &policy, &mut asks, &mut body)?
            }
        };
        Value::of(leaves, &of, at)
    }
}
