//! Parts of values along paths of fields and indices: as functions, replaced in a value, replaced in a variable.
//!
//! Law: what stands in a path is worked out once, from left to right; what is on the way to the part is not kept beside the new
//! value, so that an array that nothing else holds can be changed in place (tests/language/check.rs, tests/language/interpret.rs).

use super::report::Role;
use super::scope::{Value, plain};
use super::sections::parameter;
use super::substitute::with_sizes;
use super::{Checked, Checker};
use crate::futhark::core::{Expression, ExpressionKind, Index, Pattern, PatternKind, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, ExpressionKind as Tree, Step};

impl Checker {
    /// `(.a.b[i])`: the function that takes a part.
    pub(super) fn section_path(&mut self, path: &[Step], expected: Option<&Type>, span: Span) -> Checked<Expression> {
        let part = path.iter().fold(parameter(span), |of, step| {
            let kind = match step {
                Step::Field(name) => Tree::Field(Box::new(of), name.clone()),
                Step::Index(indices) => Tree::Index(Box::new(of), indices.clone()),
            };
            tree::Expression { kind, span }
        });
        self.section(part, expected, span)
    }

    /// `let x.a[i] = value`.
    pub(super) fn let_update(
        &mut self,
        name: &Name,
        path: &[Step],
        value: &tree::Expression,
        span: Span,
    ) -> Checked<()> {
        let whole = self.name(&plain(name, span))?;
        let updated = self.replaced(whole, path, value, span)?;
        let (local, of) = (self.unifier.local(name), updated.of.clone());
        self.bind(Pattern::variable(local, of.clone(), span), updated);
        self.scopes.env.values.insert(name.clone(), Value::Local(local, of));
        Ok(())
    }

    /// The value with another in the place of the part at the end of a path.
    pub(super) fn replaced(
        &mut self,
        whole: Expression,
        path: &[Step],
        value: &tree::Expression,
        span: Span,
    ) -> Checked<Expression> {
        match path.split_first() {
            None => self.check(value, &whole.of, Role::Update),
            Some((Step::Index(indices), rest)) => self.element_replaced(whole, indices, rest, value, span),
            Some((Step::Field(_), _)) => {
                let is_field = |step: &Step| matches!(step, Step::Field(_));
                let (fields, rest) = path.split_at(path.iter().take_while(|step| is_field(step)).count());
                let names = fields.iter().map(|step| match step {
                    Step::Field(name) => name.clone(),
                    Step::Index(_) => unreachable!("only fields are taken"),
                });
                self.field_replaced(whole, &names.collect::<Vec<_>>(), rest, value, span)
            }
        }
    }

    fn element_replaced(
        &mut self,
        array: Expression,
        written: &[tree::Index],
        rest: &[Step],
        value: &tree::Expression,
        span: Span,
    ) -> Checked<Expression> {
        let (part, mut indices, open) = self.indices(&array.of, written, span)?;
        let of = array.of.clone();
        let unknown = open.iter().map(|local| (*local, self.unifier.unknown_size(span))).collect();
        if rest.is_empty() {
            let value = self.check(value, &with_sizes(&part, &unknown), Role::Update)?;
            return Ok(Expression {
                kind: ExpressionKind::Update(Box::new(array), indices, Box::new(value)),
                of,
                span,
            });
        }
        // The indices are used twice, and so is the array.
        for part in indices.iter_mut().flat_map(Index::parts_mut) {
            *part = self.named(part.clone(), "i");
        }
        let array = self.named(array, "array");
        let kind = ExpressionKind::Index(Box::new(array.clone()), indices.clone());
        let mut found = Expression { kind, of: part, span };
        if !open.is_empty() {
            found = self.bound(found, "slice", open);
        }
        let value = self.replaced(found, rest, value, span)?;
        Ok(Expression { kind: ExpressionKind::Update(Box::new(array), indices, Box::new(value)), of, span })
    }

    fn field_replaced(
        &mut self,
        record: Expression,
        names: &[Name],
        rest: &[Step],
        value: &tree::Expression,
        span: Span,
    ) -> Checked<Expression> {
        let of = record.of.clone();
        if let (Some((name, inner)), false, Type::Record(fields)) =
            (names.split_first(), rest.is_empty(), self.unifier.head(&of))
            && fields.iter().any(|(field, _)| field == name)
        {
            // Its fields become variables, so that nothing but the update holds the part.
            let mut parts = Vec::with_capacity(fields.len());
            let mut patterns = Vec::with_capacity(fields.len());
            for (field, of) in fields.into_inner() {
                let local = self.unifier.local(&field);
                patterns.push((field.clone(), Pattern::variable(local, of.clone(), span)));
                parts.push((field, Expression::variable(local, of, span)));
            }
            let kind = PatternKind::Record(patterns);
            self.bind(Pattern { kind, of: of.clone(), binds: Vec::new(), span }, record);
            for (_, part) in parts.iter_mut().filter(|(field, _)| field == name) {
                let before = part.clone();
                *part = if inner.is_empty() {
                    self.replaced(before, rest, value, span)?
                } else {
                    self.field_replaced(before, inner, rest, value, span)?
                };
            }
            return Ok(Expression { kind: ExpressionKind::Record(parts), of, span });
        }
        let record = self.named(record, "record");
        let mut part = record.clone();
        for name in names {
            part = self.unifier.field(part, name, span)?;
        }
        let value = self.replaced(part, rest, value, span)?;
        Ok(Expression {
            kind: ExpressionKind::RecordUpdate(Box::new(record), names.to_vec(), Box::new(value)),
            of,
            span,
        })
    }
}
