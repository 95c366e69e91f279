//! Patterns: what parameters, `let`, `case` and loops destructure.
//!
//! Law: a parameter is a name, `_`, a constant, or in brackets; a type and the parts of a constructor need brackets
//! there (tests/language/syntax.rs).

use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Literal, Pattern, PatternKind, QualifiedName, TypeExpression, TypeKind};
use crate::futhark::source::Name;

impl Parser<'_> {
    /// A pattern, perhaps with attributes before it and a type behind it; `arrows` says whether that may be the type of a
    /// function.
    pub(super) fn pattern(&mut self, arrows: bool) -> Parse<Pattern> {
        self.nested(|p| {
            let start = p.here();
            if p.kind() == Kind::OpenAttribute {
                let attribute = p.attribute()?;
                let inside = Box::new(p.pattern(arrows)?);
                return Ok(Pattern { kind: PatternKind::Attribute(attribute, inside), span: p.since(start) });
            }
            let pattern = if p.kind() == Kind::Constructor {
                let name = p.constructor();
                let mut parts = Vec::new();
                while p.begins_pattern() {
                    parts.push(p.inner_pattern()?);
                }
                Pattern { kind: PatternKind::Constructor(name, parts), span: p.since(start) }
            } else {
                p.inner_pattern()?
            };
            if !p.eat(Kind::Colon) {
                return Ok(pattern);
            }
            let of = if arrows { p.type_expression()? } else { p.type_term()? };
            Ok(Pattern { kind: PatternKind::Ascribe(Box::new(pattern), Box::new(of)), span: p.since(start) })
        })
    }

    pub(super) fn begins_pattern(&self) -> bool {
        match self.kind() {
            Kind::Name
            | Kind::Open
            | Kind::OpenBrace
            | Kind::Constructor
            | Kind::Number
            | Kind::Character
            | Kind::True
            | Kind::False => true,
            Kind::Operator => self.is_operator(0, "-") && self.kind_at(1) == Kind::Number,
            _ => false,
        }
    }

    /// A pattern that needs no brackets as a parameter.
    pub(super) fn inner_pattern(&mut self) -> Parse<Pattern> {
        self.nested(|p| {
            let start = p.here();
            let kind = match p.kind() {
                Kind::Name if p.text_at(0) == "_" => {
                    p.advance();
                    PatternKind::Wildcard
                }
                Kind::Name => PatternKind::Name(p.name("")?.0),
                Kind::Constructor => PatternKind::Constructor(p.constructor(), Vec::new()),
                Kind::Open if p.kind_at(1) == Kind::Operator && p.kind_at(2) == Kind::Close => {
                    PatternKind::Name(p.operator_name()?.0)
                }
                Kind::Open => {
                    p.advance();
                    let mut parts = p.list(start, Kind::Close, |p| p.pattern(true))?;
                    if parts.len() == 1 {
                        let inside = parts.remove(0);
                        return Ok(Pattern { kind: inside.kind, span: p.since(start) });
                    }
                    PatternKind::Tuple(parts)
                }
                Kind::OpenBrace => {
                    p.advance();
                    PatternKind::Record(p.list(start, Kind::CloseBrace, Self::field_pattern)?)
                }
                Kind::Operator if p.is_operator(0, "-") && p.kind_at(1) == Kind::Number => {
                    p.advance();
                    PatternKind::Literal(match p.number()? {
                        Literal::Integer(n, suffix) => Literal::Integer(-n, suffix),
                        Literal::Real(digits, suffix) => Literal::Real(Name::from(format!("-{digits}")), suffix),
                        other @ (Literal::Bool(_) | Literal::Character(_) | Literal::Text(_)) => other,
                    })
                }
                Kind::Number | Kind::Character | Kind::True | Kind::False => PatternKind::Literal(p.literal()?),
                Kind::OpenAttribute => {
                    return p.fail_with("a parameter", "an attribute and its pattern stand in brackets here");
                }
                _ => {
                    return p
                        .fail_with("a pattern", "a pattern is a name, `_`, `(p, q)`, `{x = p}`, `#c p` or a constant");
                }
            };
            Ok(Pattern { kind, span: p.since(start) })
        })
    }

    /// `x = p`, `x: t` or `x`.
    fn field_pattern(&mut self) -> Parse<(Name, Pattern)> {
        let start = self.here();
        let field = self.field_name()?;
        if self.eat(Kind::Equals) {
            return Ok((field, self.pattern(true)?));
        }
        self.stands_alone(&field)?;
        let pattern = self.name_pattern(start, field.clone());
        if self.eat(Kind::Colon) {
            let of = self.type_expression()?;
            let kind = PatternKind::Ascribe(Box::new(pattern), Box::new(of));
            return Ok((field, Pattern { kind, span: self.since(start) }));
        }
        Ok((field, pattern))
    }

    /// The type that a name is.
    pub(super) fn named_type(&self, name: QualifiedName) -> TypeExpression {
        TypeExpression { span: name.span, kind: TypeKind::Name(name, Vec::new()) }
    }
}
