//! Patterns: the types that they say, and the variables that they bind.
//!
//! Law: a name is bound once in a pattern; a pattern that has to fit always is checked to do so
//! (tests/language/check.rs).

use super::report::{Role, counted};
use super::scope::Value;
use super::types::{distinct, field_order};
use super::unify::{Required, Unifier};
use super::{Checked, Checker, deep, fault};
use crate::futhark::core::{self, Pattern, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, PatternKind};

/// Refuses other meanings of `&&` and `||`, whose right operand is worked out only where it decides.
pub(super) fn not_a_connective(name: &Name, span: Span) -> Checked<()> {
    match &**name {
        "&&" | "||" if !span.is_prelude() => {
            let text = format!("`{name}` is the language's own, and cannot be anything else");
            fault("duplicate", span, text, "give it another name, as `&&&` or `|||`")
        }
        _ => Ok(()),
    }
}

impl Checker {
    /// The type of what a pattern takes, as far as the pattern says.
    pub(super) fn pattern_type(&mut self, pattern: &tree::Pattern) -> Checked<Type> {
        let span = pattern.span;
        deep(|| match &pattern.kind {
            PatternKind::Name(_) | PatternKind::Wildcard => Ok(self.unifier.unknown(Required::Nothing, span)),
            PatternKind::Tuple(components) => {
                Ok(Type::tuple(components.iter().map(|p| self.pattern_type(p)).collect::<Checked<_>>()?))
            }
            PatternKind::Record(fields) => {
                distinct(fields.iter().map(|(name, _)| name), "field", span)?;
                let mut record = Vec::with_capacity(fields.len());
                for (name, pattern) in fields {
                    record.push((name.clone(), self.pattern_type(pattern)?));
                }
                record.sort_by(|(a, _), (b, _)| field_order(a, b));
                Ok(Type::Record(record.into()))
            }
            PatternKind::Constructor(name, payload) => {
                let payload = payload.iter().map(|p| self.pattern_type(p)).collect::<Checked<_>>()?;
                Ok(self.unifier.unknown(Required::Constructors(vec![(name.clone(), payload)]), span))
            }
            PatternKind::Literal(literal) => Ok(self.literal(literal, span)?.of),
            PatternKind::Ascribe(pattern, of) => {
                let own = self.pattern_type(pattern)?;
                let of = self.type_expression(of)?;
                self.unifier.equate(&own, &of, Role::Pattern, span)?;
                Ok(of)
            }
            PatternKind::Attribute(_, pattern) => self.pattern_type(pattern),
        })
    }

    /// The pattern at a type that has been made equal to its own; its variables come into scope.
    pub(super) fn pattern(&mut self, pattern: &tree::Pattern, of: &Type) -> Checked<Pattern> {
        let mut names = Vec::new();
        let bound = self.pattern_within(pattern, of, &mut names)?;
        let span = pattern.span;
        distinct(names.iter(), "name", span)?;
        Ok(bound)
    }

    fn pattern_within(&mut self, pattern: &tree::Pattern, of: &Type, names: &mut Vec<Name>) -> Checked<Pattern> {
        let span = pattern.span;
        let kind = deep(|| {
            Ok(match &pattern.kind {
                PatternKind::Name(name) => {
                    not_a_connective(name, span)?;
                    let local = self.unifier.local(name);
                    names.push(name.clone());
                    self.scopes.env.bind(name, Value::Local(local, of.clone()));
                    core::PatternKind::Local(local)
                }
                PatternKind::Wildcard => core::PatternKind::Wildcard,
                PatternKind::Tuple(components) => {
                    let types = self.unifier.fields(of, components.len(), span)?;
                    let mut record = Vec::with_capacity(types.len());
                    for (component, (name, of)) in components.iter().zip(types) {
                        record.push((name, self.pattern_within(component, &of, names)?));
                    }
                    core::PatternKind::Record(record)
                }
                PatternKind::Record(fields) => {
                    let types = self.unifier.fields(of, fields.len(), span)?;
                    let mut record = Vec::with_capacity(types.len());
                    for (name, of) in types {
                        let Some((_, component)) = fields.iter().find(|(field, _)| *field == name) else {
                            return Err(self.unifier.no_field(&name, of, span));
                        };
                        record.push((name, self.pattern_within(component, &of, names)?));
                    }
                    core::PatternKind::Record(record)
                }
                PatternKind::Constructor(name, payload) => {
                    let types = self.unifier.payload(of, name, payload.len(), span)?;
                    let mut parts = Vec::with_capacity(types.len());
                    for (part, of) in payload.iter().zip(types) {
                        parts.push(self.pattern_within(part, &of, names)?);
                    }
                    core::PatternKind::Constructor(name.clone(), parts)
                }
                PatternKind::Literal(literal) => {
                    let value = self.literal(literal, span)?;
                    self.unifier.equate(&value.of, of, Role::Pattern, span)?;
                    match value.kind {
                        core::ExpressionKind::Constant(constant) => core::PatternKind::Constant(constant),
                        _ => return fault("pattern", span, "an array cannot be a pattern", "compare it with `==`"),
                    }
                }
                PatternKind::Ascribe(pattern, _) | PatternKind::Attribute(_, pattern) => {
                    self.pattern_within(pattern, of, names)?.kind
                }
            })
        })?;
        Ok(Pattern { kind, of: of.clone(), binds: Vec::new(), span })
    }
}

impl Unifier {
    /// The fields of a record of that many, as they are known.
    fn fields(&self, of: &Type, count: usize, span: Span) -> Checked<Vec<(Name, Type)>> {
        match self.head(of) {
            Type::Record(fields) if fields.len() == count => Ok(fields.into_inner()),
            _ => {
                fault("type", span, format!("this pattern does not fit the type {}", self.show(of)), "name each field")
            }
        }
    }

    fn no_field(&self, name: &Name, of: Type, span: Span) -> super::Fault {
        let text = format!("the pattern leaves out the field `{name}` of type {}", self.show(&of));
        Box::new(crate::futhark::source::Message::error("type", span, text).hint(format!("add `{name} = _`")))
    }

    /// The types of what a constructor holds.
    pub(super) fn payload(&self, of: &Type, name: &Name, count: usize, span: Span) -> Checked<Vec<Type>> {
        let constructors = match self.head(of) {
            Type::Sum(constructors) => constructors.into_inner(),
            Type::Unknown(unknown) => match &self.types[unknown as usize].required {
                Required::Constructors(constructors) => constructors.clone(),
                Required::Nothing | Required::OneOf(_) | Required::Fields(_) => Vec::new(),
            },
            _ => Vec::new(),
        };
        match constructors.into_iter().find(|(constructor, _)| constructor == name) {
            Some((_, payload)) if payload.len() == count => Ok(payload),
            Some((_, payload)) => {
                let text = format!("`#{name}` holds {}, but {count} are given", counted(payload.len(), "value"));
                fault("type", span, text, "give one for each")
            }
            None => {
                let text = format!("the type {} has no constructor `#{name}`", self.show(of));
                fault("type", span, text, "use one of its constructors")
            }
        }
    }
}
