//! The fold: what every form of expression means, in any meaning.
//!
//! Law: parts are evaluated from left to right, but what is updated comes after what it is updated with. Lets, the taken arm of a
//! conditional and the value of an assertion are evaluated without growing the stack (tests/language/interpret.rs, tests/language/chains.rs).

use std::cell::RefCell;
use std::rc::Rc;

use super::intrinsic::At;
use super::patterns::{position, replace};
use super::scopes::{Scopes, Unit, deep};
use super::types::{Evaluated, Types};
use super::value::{Callee, Captured, Function, TAG, Value, unchecked};
use super::{Meaning, Outcome, Policy, Section};
use crate::futhark::core::{
    Constant, Definition, Expression, ExpressionKind, Index, Local, Loop, LoopForm, Prim, Program, Range, Type,
};
use crate::futhark::source::{Name, Span};

/// Evaluates the definitions of a program in a meaning.
#[derive(Debug)]
pub struct Evaluator<'p, M: Meaning> {
    pub(super) program: &'p Program,
    pub(super) meaning: &'p M,
    pub(super) scopes: &'p Scopes<'p>,
    /// The values of constants.
    constants: RefCell<Vec<Option<Value<'p, M::Data>>>>,
    /// Functions that the meaning knows by number.
    pub(super) kept: RefCell<Vec<KeptFunction<'p, M::Data>>>,
}

/// A function that is kept, and the types of its parameters.
pub(super) type KeptFunction<'p, D> = (Value<'p, D>, Vec<Rc<Evaluated<D>>>);

/// The variables of a unit that is being evaluated.
#[derive(Debug)]
pub(super) struct Frame<'p, D> {
    pub(super) unit: &'p Unit<'p>,
    pub(super) slots: Vec<Option<Value<'p, D>>>,
    pub(super) captured: Rc<Captured<'p, D>>,
}

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
        Evaluator { program, meaning, scopes: &prepared.0, constants, kept: RefCell::new(Vec::new()) }
    }

    /// The value of a definition at these sizes and types. `at` is the place of the use.
    pub(super) fn definition(
        &self,
        definition: Definition,
        sizes: Vec<Option<M::Data>>,
        types: Vec<Rc<Evaluated<M::Data>>>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let number = definition.0 as usize;
        let Some(defined) = self.program.definitions.get(number) else { return unchecked(at, "a definition") };
        let plain = defined.scheme.sizes.is_empty() && defined.scheme.types.is_empty();
        if plain && let Some(value) = &self.constants.borrow()[number] {
            return Ok(value.clone());
        }
        let Some(unit) = self.scopes.definition(&defined.body) else { return unchecked(at, "a definition") };
        let vars = defined.scheme.types.iter().map(|var| var.id);
        let types = vars.zip(types).fold(Types::none(), |types, (var, of)| types.with(var, of));
        let mut frame = Frame::new(unit, Rc::new(Captured { values: Vec::new(), types }));
        for (local, size) in defined.scheme.sizes.iter().zip(sizes) {
            self.set(&mut frame, *local, size.map(Value::Data));
        }
        if !plain {
            return self.eval(&defined.body, &mut frame);
        }
        let value = self.meaning.everywhere(|| self.eval(&defined.body, &mut frame))?;
        self.constants.borrow_mut()[number] = Some(value.clone());
        Ok(value)
    }

    pub(super) fn set(&self, frame: &mut Frame<'p, M::Data>, local: Local, value: Option<Value<'p, M::Data>>) {
        if let Some(place) = self.scopes.place(local)
            && place.used
            && place.unit == frame.unit.number
        {
            frame.slots[place.slot as usize] = value;
        }
    }

    fn slot<'f>(&self, frame: &'f mut Frame<'p, M::Data>, local: Local) -> Option<&'f mut Option<Value<'p, M::Data>>> {
        let place = self.scopes.place(local).filter(|place| place.unit == frame.unit.number)?;
        frame.slots.get_mut(place.slot as usize)
    }

    /// The value of a variable, if it has one yet.
    pub(super) fn lookup<'f>(&self, frame: &'f Frame<'p, M::Data>, local: Local) -> Option<&'f Value<'p, M::Data>> {
        let place = self.scopes.place(local)?;
        if place.unit == frame.unit.number {
            return frame.slots.get(place.slot as usize)?.as_ref();
        }
        let at = frame.unit.captures.binary_search(&local).ok()?;
        frame.captured.values.get(at)?.as_ref()
    }

    fn variable(&self, e: &Expression, local: Local, frame: &mut Frame<'p, M::Data>) -> Outcome<Value<'p, M::Data>> {
        if M::CONCRETE
            && self.scopes.is_last(e)
            && let Some(value) = self.slot(frame, local).and_then(Option::take)
        {
            return Ok(value);
        }
        self.lookup(frame, local)
            .map_or_else(|| unchecked(e.span, "a variable with a value"), |value| Ok(value.clone()))
    }

    /// What a function that is made here knows of the variables around it.
    fn capture(&self, unit: &Unit<'p>, frame: &Frame<'p, M::Data>) -> Rc<Captured<'p, M::Data>> {
        let values = unit.captures.iter().map(|local| self.lookup(frame, *local).cloned()).collect();
        Rc::new(Captured { values, types: frame.captured.types.clone() })
    }

    /// The value of an expression that is a scalar or an array of scalars.
    pub(super) fn data(&self, e: &'p Expression, frame: &mut Frame<'p, M::Data>) -> Outcome<M::Data> {
        self.eval(e, frame)?.into_data(e.span)
    }

    /// The value of an expression.
    pub(super) fn eval(&self, e: &'p Expression, frame: &mut Frame<'p, M::Data>) -> Outcome<Value<'p, M::Data>> {
        deep(|| self.eval_within(e, frame))
    }

    fn eval_within(&self, mut e: &'p Expression, frame: &mut Frame<'p, M::Data>) -> Outcome<Value<'p, M::Data>> {
        let m = self.meaning;
        loop {
            let at = e.span;
            return match &e.kind {
                ExpressionKind::Let(pattern, value, body) => {
                    let value = self.eval(value, frame)?;
                    self.bind(pattern, value, frame)?;
                    e = body;
                    continue;
                }
                ExpressionKind::LetPolymorphic(local, scheme, value, body) => {
                    let Some(unit) = self.scopes.definition(value) else { return unchecked(at, "a definition") };
                    let of = Callee::Generic(scheme, value, unit, self.capture(unit, frame));
                    let function = Function { of, arguments: Vec::new() };
                    self.set(frame, *local, Some(Value::Function(Rc::new(function))));
                    e = body;
                    continue;
                }
                ExpressionKind::If(condition, yes, no) => {
                    let condition = self.data(condition, frame)?;
                    if let Some(known) = m.decide(&condition) {
                        e = if known { yes } else { no };
                        continue;
                    }
                    let leaves = m.branch(at, &condition, &mut |taken| {
                        self.eval(if taken { yes } else { no }, frame)?.into_leaves(at)
                    })?;
                    self.assemble(leaves, &e.of, frame, at)
                }
                ExpressionKind::Assert(condition, value) => {
                    let condition_at = condition.span;
                    let condition = self.data(condition, frame)?;
                    m.require(condition_at, &condition, "the assertion does not hold")?;
                    e = value;
                    continue;
                }
                ExpressionKind::Match(value, cases) => {
                    let value = self.eval(value, frame)?;
                    self.first_fit(&value, cases, &e.of, frame, at)
                }
                ExpressionKind::Constant(constant) => {
                    let kind = self.kind(&e.of, frame, at)?;
                    Ok(Value::Data(m.constant(*constant, kind)))
                }
                ExpressionKind::Local(local) => self.variable(e, *local, frame),
                ExpressionKind::LocalInstance(local, instance) => {
                    let value = self.variable(e, *local, frame)?;
                    self.instance(value, instance, frame, at)
                }
                ExpressionKind::Definition(definition, instance) => {
                    let (sizes, types) = self.at_instance(instance, frame, at)?;
                    self.definition(*definition, sizes, types, at)
                }
                ExpressionKind::Intrinsic(name, instance) => {
                    let (sizes, types) = self.at_instance(instance, frame, at)?;
                    self.intrinsic_value(name, At { sizes, types }, at)
                }
                ExpressionKind::Size(size) => match self.size(size, frame, at)? {
                    Some(size) => Ok(Value::Data(size)),
                    None => unchecked(at, "a size that is known"),
                },
                ExpressionKind::Record(fields) => self.record(fields, &e.of, frame, at),
                ExpressionKind::Field(record, name) => self.field(record, name, frame, at),
                ExpressionKind::RecordUpdate(record, path, value) => {
                    let value = self.eval(value, frame)?;
                    let of = &record.of;
                    let record = self.eval(record, frame)?;
                    replace(record, of, path, value, at)
                }
                ExpressionKind::Constructor(name, payload) => self.constructor(name, payload, &e.of, frame, at),
                ExpressionKind::Array(elements) => self.array(elements, &e.of, frame, at),
                ExpressionKind::Range(range) => self.range(range, frame, at),
                ExpressionKind::Index(array, sections) => {
                    let array = self.eval(array, frame)?;
                    let sections = self.sections(sections, frame)?;
                    array.each(at, &mut |leaf| m.section(at, leaf, &sections))
                }
                ExpressionKind::Update(array, sections, value) => {
                    let sections = self.sections(sections, frame)?;
                    let value = self.eval(value, frame)?;
                    let array = self.eval(array, frame)?;
                    array.both(value, at, &mut |array, value| m.update(at, array, &sections, value))
                }
                ExpressionKind::Primitive(name, kind, operands) => {
                    let operands: Vec<_> = operands.iter().map(|x| self.data(x, frame)).collect::<Outcome<_>>()?;
                    Ok(Value::Data(super::operations::apply(m, at, name, *kind, &operands)?))
                }
                ExpressionKind::Convert(operand) => self.convert(operand, &e.of, frame, at),
                ExpressionKind::Equal(first, second) => {
                    let of = self.evaluated(&first.of, frame, at)?;
                    let (first, second) = (self.eval(first, frame)?, self.eval(second, frame)?);
                    Ok(Value::Data(self.equal(at, &of, first, second)?))
                }
                ExpressionKind::Lambda(_) => self.closure(e, frame),
                ExpressionKind::Apply { function, argument } => {
                    let function = self.eval(function, frame)?;
                    let argument = self.eval(argument, frame)?;
                    self.apply(function, argument, at)
                }
                ExpressionKind::Loop(it) => self.iterate(it, frame, at),
                ExpressionKind::Coerce(value) => self.coerce(value, &e.of, frame, at),
            };
        }
    }

    fn field(
        &self,
        record: &'p Expression,
        name: &Name,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let value = self.eval(record, frame)?;
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

    fn range(&self, range: &'p Range, frame: &mut Frame<'p, M::Data>, at: Span) -> Outcome<Value<'p, M::Data>> {
        let kind = self.kind(&range.start.of, frame, at)?;
        let start = self.data(&range.start, frame)?;
        let second = range.second.as_ref().map(|second| self.data(second, frame)).transpose()?;
        let end = self.data(&range.end, frame)?;
        Ok(Value::Data(self.meaning.range(at, kind, &start, second.as_ref(), &end, range.kind)?))
    }

    fn convert(
        &self,
        operand: &'p Expression,
        of: &Type,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let (from, to) = (self.kind(&operand.of, frame, at)?, self.kind(of, frame, at)?);
        let operand = self.data(operand, frame)?;
        Ok(Value::Data(super::operations::convert(self.meaning, at, from, to, operand)?))
    }

    fn closure(&self, e: &'p Expression, frame: &mut Frame<'p, M::Data>) -> Outcome<Value<'p, M::Data>> {
        let Some(unit) = self.scopes.lambda(e) else { return unchecked(e.span, "a lambda") };
        let of = Callee::Closure(unit, self.capture(unit, frame));
        Ok(Value::Function(Rc::new(Function { of, arguments: Vec::new() })))
    }

    fn coerce(
        &self,
        value: &'p Expression,
        of: &Type,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let value = self.eval(value, frame)?;
        let of = self.evaluated(of, frame, at)?;
        self.check_sizes(at, &of, &value, 0, "the array")?;
        Ok(value)
    }

    /// The kind of scalar that a type is.
    fn kind(&self, of: &Type, frame: &Frame<'p, M::Data>, at: Span) -> Outcome<Prim> {
        match of {
            Type::Prim(kind) => Ok(*kind),
            Type::Var(var) => match frame.captured.types.get(var.id).map(|of| &**of) {
                Some(Evaluated::Prim(kind)) => Ok(*kind),
                Some(Evaluated::Array(..) | Evaluated::Record(_) | Evaluated::Sum(_) | Evaluated::Function) | None => {
                    unchecked(at, "the type of a scalar")
                }
            },
            Type::Array(..)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Function { .. }
            | Type::Accumulator(_)
            | Type::Unknown(_) => unchecked(at, "the type of a scalar"),
        }
    }

    /// The leaf that the unit is.
    pub(super) fn unit(&self) -> M::Data {
        self.meaning.constant(Constant::Bool(true), Prim::Bool)
    }

    fn record(
        &self,
        fields: &'p [(Name, Expression)],
        of: &Type,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        if fields.is_empty() {
            return Ok(Value::Data(self.unit()));
        }
        let mut values = fields
            .iter()
            .map(|(name, field)| Ok((position(of, name, at)?, self.eval(field, frame)?)))
            .collect::<Outcome<Vec<_>>>()?;
        values.sort_by_key(|(position, _)| *position);
        Ok(Value::Record(Rc::new(values.into_iter().map(|(_, value)| value).collect())))
    }

    fn constructor(
        &self,
        name: &Name,
        payload: &'p [Expression],
        of: &Type,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let payload: Vec<_> = payload.iter().map(|part| self.eval(part, frame)).collect::<Outcome<_>>()?;
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
            let empty = types.iter().map(|of| self.nothing(&*self.evaluated(of, frame, at)?, at));
            payloads.push(empty.collect::<Outcome<_>>()?);
        }
        payloads[number] = payload;
        let tag = self.meaning.constant(Constant::Integer(number as i128), TAG);
        Ok(Value::Sum(Rc::new((tag, payloads))))
    }

    /// Some value of a type, for the payloads of constructors that a value does not have.
    fn nothing(&self, of: &Evaluated<M::Data>, at: Span) -> Outcome<Value<'p, M::Data>> {
        let leaves = of.leaves().into_iter().map(|leaf| {
            let zero = if leaf.kind == Prim::Bool {
                Constant::Bool(false)
            } else if leaf.kind.is_real() {
                Constant::Real(0.0)
            } else {
                Constant::Integer(0)
            };
            let zero = self.meaning.constant(zero, leaf.kind);
            leaf.shape.iter().rev().try_fold(zero, |value, size| {
                let none = || self.meaning.constant(Constant::Integer(0), Prim::I64);
                self.meaning.replicate(at, &size.clone().unwrap_or_else(none), value)
            })
        });
        Value::of(leaves.collect::<Outcome<_>>()?, of, at)
    }

    fn array(
        &self,
        elements: &'p [Expression],
        of: &Type,
        frame: &mut Frame<'p, M::Data>,
        at: Span,
    ) -> Outcome<Value<'p, M::Data>> {
        let values = elements.iter().map(|element| self.eval(element, frame)?.into_leaves(at));
        let values: Vec<Vec<M::Data>> = values.collect::<Outcome<_>>()?;
        let of = self.evaluated(of, frame, at)?;
        let Evaluated::Array(_, element) = &*of else { return unchecked(at, "the type of an array") };
        let mut columns: Vec<Vec<M::Data>> =
            element.leaves().iter().map(|_| Vec::with_capacity(values.len())).collect();
        for value in values {
            columns.iter_mut().zip(value).for_each(|(column, leaf)| column.push(leaf));
        }
        let leaves =
            columns.into_iter().zip(element.leaves()).map(|(column, leaf)| self.meaning.array(at, column, &leaf));
        Value::of(leaves.collect::<Outcome<_>>()?, element, at)
    }

    fn sections(&self, sections: &'p [Index], frame: &mut Frame<'p, M::Data>) -> Outcome<Vec<Section<M::Data>>> {
        let mut found = Vec::with_capacity(sections.len());
        for section in sections {
            found.push(match section {
                Index::At(index) => Section::At(self.index(index, frame)?),
                Index::Slice(start, end, step) => {
                    let mut part = |e: &'p Option<Expression>| e.as_ref().map(|e| self.index(e, frame)).transpose();
                    Section::Slice(part(start)?, part(end)?, part(step)?)
                }
            });
        }
        Ok(found)
    }

    /// An index, of any kind of integer, as an `i64`.
    fn index(&self, e: &'p Expression, frame: &mut Frame<'p, M::Data>) -> Outcome<M::Data> {
        let kind = self.kind(&e.of, frame, e.span)?;
        let index = self.data(e, frame)?;
        if kind == Prim::I64 { Ok(index) } else { self.meaning.convert(e.span, kind, Prim::I64, index) }
    }

    fn iterate(&self, it: &'p Loop, frame: &mut Frame<'p, M::Data>, at: Span) -> Outcome<Value<'p, M::Data>> {
        let m = self.meaning;
        let initial = self.eval(&it.initial, frame)?.into_leaves(at)?;
        let bound = it.policy.bound.as_ref().map(|bound| self.index(bound, frame)).transpose()?;
        let policy = Policy { strip_mine: it.policy.strip_mine, bound, true_dependencies: it.policy.true_dependencies };
        // Only the form matters here: sizes may change.
        let of = self.evaluated(&it.pattern.of, frame, at)?;
        let enter = |leaves, frame: &mut Frame<'p, M::Data>| {
            let value = Value::of(leaves, &of, at)?;
            self.bind_sizes(&it.sizes, &it.pattern.of, &value, 0, frame, at)?;
            self.bind(&it.pattern, value, frame)
        };
        let leaves = match &it.form {
            LoopForm::For(local, bound) => {
                let kind = self.kind(&bound.of, frame, at)?;
                let bound = self.data(bound, frame)?;
                m.repeat(at, kind, &bound, initial, &policy, &mut |i, leaves| {
                    self.set(frame, *local, Some(Value::Data(i)));
                    enter(leaves, frame)?;
                    self.eval(&it.body, frame)?.into_leaves(at)
                })?
            }
            LoopForm::In(pattern, array) => {
                let array = self.eval(array, frame)?;
                let count = m.size(array.leaf(at)?, 0);
                m.repeat(at, Prim::I64, &count, initial, &policy, &mut |i, leaves| {
                    let element = array.clone().each(at, &mut |leaf| m.section(at, leaf, &[Section::At(i.clone())]))?;
                    self.bind(pattern, element, frame)?;
                    enter(leaves, frame)?;
                    self.eval(&it.body, frame)?.into_leaves(at)
                })?
            }
            LoopForm::While(condition) => {
                // The condition and the body share the frame, one after the other.
                let frame = RefCell::new(&mut *frame);
                let mut asks = |leaves| {
                    let frame = &mut **frame.borrow_mut();
                    enter(leaves, frame)?;
                    Ok(vec![self.data(condition, frame)?])
                };
                let mut body = |leaves| {
                    let frame = &mut **frame.borrow_mut();
                    enter(leaves, frame)?;
                    self.eval(&it.body, frame)?.into_leaves(at)
                };
                m.repeat_while(at, initial, &policy, &mut asks, &mut body)?
            }
        };
        Value::of(leaves, &of, at)
    }
}
