//! Patterns: what they bind, and when they fit.
//!
//! Law: a pattern that fits binds each of its variables once; the sizes it names are those of the value
//! (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::{Evaluation, Evaluator};
use super::frame::Frame;
use super::value::{Value, unchecked};
use super::{Meaning, Outcome};
use crate::array::{Const, ScalarOp};
use crate::futhark::core::{Expression, Pattern, PatternKind, Type};
use crate::futhark::source::{Name, Span};

/// More cases than this become a tree of branches, which nest less deep than a chain.
const MOST_IN_A_CHAIN: usize = 16;

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// The condition under which one of the patterns fits; `None` if one always does.
    fn one_fits(
        &self,
        cases: &[(Pattern, Expression)],
        value: &Value<'p, M::Data>,
        at: Span,
    ) -> Outcome<Option<M::Data>> {
        let mut found: Option<M::Data> = None;
        for (pattern, _) in cases {
            let Some(condition) = self.fits(pattern, value)? else { return Ok(None) };
            found = Some(match found {
                None => condition,
                Some(before) => self.meaning.scalar(at, ScalarOp::Add, &[before, condition])?,
            });
        }
        Ok(found)
    }

    /// The condition under which a pattern fits; `None` if it always does.
    fn fits(&self, pattern: &Pattern, value: &Value<'p, M::Data>) -> Outcome<Option<M::Data>> {
        let (m, at) = (self.meaning, pattern.span);
        let mut found = None;
        let mut also = |condition: M::Data| {
            let both = match found.take() {
                None => condition,
                Some(before) => m.scalar(at, ScalarOp::Mul, &[before, condition])?,
            };
            found = Some(both);
            Outcome::Ok(())
        };
        match &pattern.kind {
            PatternKind::Local(_) | PatternKind::Wildcard => {}
            PatternKind::Record(fields) => {
                for (name, field) in fields {
                    let Value::Record(values) = value else { return unchecked(at, "a record") };
                    let Some(value) = values.get(position(&pattern.of, name, at)?) else {
                        return unchecked(at, "a field");
                    };
                    self.fits(field, value)?.map_or(Ok(()), &mut also)?;
                }
            }
            PatternKind::Constructor(name, parts) => {
                let (number, payload) = payload(value, &pattern.of, name, at)?;
                if !matches!(&pattern.of, Type::Sum(constructors) if constructors.len() == 1) {
                    let wanted = m.constant(Const::I64(number as i64));
                    also(m.equal(at, value.leaf(at)?, &wanted)?)?;
                }
                for (part, value) in parts.iter().zip(payload) {
                    self.fits(part, value)?.map_or(Ok(()), &mut also)?;
                }
            }
            PatternKind::Constant(constant) => {
                let Type::Prim(kind) = pattern.of else { return unchecked(at, "the type of a scalar") };
                also(m.equal(at, value.leaf(at)?, &m.constant(constant.of(kind)))?)?;
            }
        }
        Ok(found)
    }
}

impl<'p, M: Meaning> Frame<'_, 'p, M> {
    /// Binds the variables of a pattern that fits.
    pub(super) fn bind(&self, pattern: &'p Pattern, value: Value<'p, M::Data>) -> Outcome<()> {
        let at = pattern.span;
        self.bind_sizes(&pattern.binds, &pattern.of, &value, 0, at)?;
        match &pattern.kind {
            PatternKind::Local(local) => self.set(*local, Some(value)),
            PatternKind::Wildcard | PatternKind::Constant(_) => {}
            PatternKind::Record(fields) => {
                if fields.is_empty() {
                    return Ok(());
                }
                let Value::Record(values) = value else { return unchecked(at, "a record") };
                let mut values: Vec<_> = Rc::unwrap_or_clone(values).into_iter().map(Some).collect();
                for (name, field) in fields {
                    let value = values.get_mut(position(&pattern.of, name, at)?).and_then(Option::take);
                    self.bind(field, value.map_or_else(|| unchecked(at, "a field"), Ok)?)?;
                }
            }
            PatternKind::Constructor(name, parts) => {
                let payload = payload(&value, &pattern.of, name, at)?.1.clone();
                parts.iter().zip(payload).try_for_each(|(part, value)| self.bind(part, value))?;
            }
        }
        Ok(())
    }

    /// The first case whose pattern fits; the last one does if no other.
    pub(super) fn first_fit(
        &self,
        value: &Value<'p, M::Data>,
        cases: &'p [(Pattern, Expression)],
        of: &Type,
        at: Span,
    ) -> Evaluation<'p, M> {
        for (number, (pattern, body)) in cases.iter().enumerate() {
            let rest = &cases[number + 1..];
            let condition = if rest.is_empty() { None } else { self.evaluator.fits(pattern, value)? };
            match condition.as_ref().map_or(Some(true), |condition| self.evaluator.meaning.decide(condition)) {
                Some(false) => {}
                Some(true) => {
                    self.bind(pattern, value.clone())?;
                    return self.eval(body);
                }
                None if rest.len() > MOST_IN_A_CHAIN => {
                    let (first, last) = cases[number..].split_at(rest.len() / 2);
                    let Some(condition) = self.evaluator.one_fits(first, value, at)? else {
                        return self.first_fit(value, first, of, at);
                    };
                    let leaves = self.evaluator.meaning.branch(at, &condition, &mut |taken| {
                        self.first_fit(value, if taken { first } else { last }, of, at)?.into_leaves(at)
                    })?;
                    return self.assemble(leaves, of, at);
                }
                None => {
                    let Some(condition) = &condition else { return unchecked(at, "a condition") };
                    let leaves = self.evaluator.meaning.branch(at, condition, &mut |taken| {
                        if taken {
                            self.bind(pattern, value.clone())?;
                            self.eval(body)?.into_leaves(at)
                        } else {
                            self.first_fit(value, rest, of, at)?.into_leaves(at)
                        }
                    })?;
                    return self.assemble(leaves, of, at);
                }
            }
        }
        unchecked(at, "a case that fits")
    }
}

/// The payload of a constructor in a value of a sum type, and its number.
fn payload<'v, 'p, D>(
    value: &'v Value<'p, D>,
    of: &Type,
    name: &Name,
    at: Span,
) -> Outcome<(usize, &'v Vec<Value<'p, D>>)> {
    let (Value::Sum(sum), Type::Sum(constructors)) = (value, of) else { return unchecked(at, "a sum") };
    let number = constructors.iter().position(|(known, _)| known == name);
    let payload = number.and_then(|number| Some((number, sum.1.get(number)?)));
    payload.map_or_else(|| unchecked(at, "a constructor of the type"), Ok)
}

/// Where a field stands in a record.
pub(super) fn position(of: &Type, name: &Name, at: Span) -> Outcome<usize> {
    let Type::Record(fields) = of else { return unchecked(at, "the type of a record") };
    fields.iter().position(|(known, _)| known == name).map_or_else(|| unchecked(at, "a field of the record"), Ok)
}

/// The record with another value in the field at the end of a path.
pub(super) fn replace<'p, D: Clone>(
    record: Value<'p, D>,
    of: &Type,
    path: &[Name],
    value: Value<'p, D>,
    at: Span,
) -> Outcome<Value<'p, D>> {
    let Some((name, rest)) = path.split_first() else { return Ok(value) };
    let field = position(of, name, at)?;
    let (Value::Record(fields), Type::Record(types)) = (record, of) else { return unchecked(at, "a record") };
    let mut fields = Rc::unwrap_or_clone(fields);
    let Some(old) = fields.get(field).cloned() else { return unchecked(at, "a field") };
    fields[field] = replace(old, &types[field].1, rest, value, at)?;
    Ok(Value::Record(Rc::new(fields)))
}
