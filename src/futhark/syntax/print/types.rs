//! Types, patterns, constants and attributes as text.
//!
//! Law: as of the whole printer; a level says what may stand without brackets, the higher the less
//! (laws: futhark_text::printed_is_read).

use super::Printer;
use crate::futhark::source::Name;
use crate::futhark::syntax::tree::{
    Attribute, Expression, Literal, Pattern, PatternKind, TypeArgument, TypeExpression, TypeKind, TypeParam,
    TypeParamKind,
};

/// Whether it is the name of an operator.
pub(super) fn is_operator(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

impl Printer<'_, '_> {
    /// 0: any; 1: no arrow; 2: no sum; 3: an atom.
    pub(super) fn type_expression(&mut self, of: &TypeExpression, level: u8) -> &mut Self {
        let own = match &of.kind {
            TypeKind::Function(..) | TypeKind::Exists(..) => 0,
            TypeKind::Sum(_) => 1,
            TypeKind::Unique(_) | TypeKind::Array(..) => 2,
            TypeKind::Name(_, arguments) if !arguments.is_empty() => 2,
            TypeKind::Name(..) | TypeKind::Tuple(_) | TypeKind::Record(_) => 3,
        };
        self.bracketed(own < level, |p| match &of.kind {
            TypeKind::Name(name, arguments) => p.qualified(name).each(arguments, |p, argument| match argument {
                TypeArgument::Size(size) => p.put(" ").size(size.as_deref()),
                TypeArgument::Type(of) => p.put(" ").type_expression(of, 3),
            }),
            TypeKind::Array(size, of) => p.size(size.as_deref()).type_expression(of, 2),
            TypeKind::Tuple(parts) => p.put("(").separated(", ", parts, |p, part| p.type_expression(part, 0)).put(")"),
            TypeKind::Record(fields) => p
                .put("{")
                .separated(", ", fields, |p, (name, of)| p.put(name).put(": ").type_expression(of, 0))
                .put("}"),
            TypeKind::Sum(constructors) => p.separated(" | ", constructors, |p, (name, payload)| {
                p.put("#").put(name).each(payload, |p, of| p.put(" ").type_expression(of, 3))
            }),
            TypeKind::Function(name, param, result) => {
                p.parameter(name.as_ref(), |p, level| p.type_expression(param, level), 2);
                p.put(" -> ").type_expression(result, 0)
            }
            // Two stars would be one operator.
            TypeKind::Unique(of) => {
                p.put("*").type_expression(of, if matches!(of.kind, TypeKind::Unique(_)) { 3 } else { 2 })
            }
            TypeKind::Exists(names, of) => {
                p.put("?").each(names, |p, name| p.put("[").put(name).put("]"));
                p.put(".").type_expression(of, 0)
            }
        })
    }

    fn size(&mut self, size: Option<&Expression>) -> &mut Self {
        self.put("[").given(size, |p, size| p.expression(size, 0)).put("]")
    }

    /// `[n] 't`, each with a space before it.
    pub(super) fn type_params(&mut self, params: &[TypeParam]) -> &mut Self {
        self.each(params, |p, TypeParam { kind, name, .. }| {
            match kind {
                TypeParamKind::Size => p.put(" [").put(name).put("]"),
                // `'a'` would be a character, also with more behind it.
                TypeParamKind::Type if name.chars().nth(1) == Some('\'') => p.put(" ' ").put(name),
                TypeParamKind::Type => p.put(" '").put(name),
                TypeParamKind::SizeLifted => p.put(" '~").put(name),
                TypeParamKind::Lifted => p.put(" '^").put(name),
            }
        })
    }

    /// 0: any; 1: no type, no attribute; 2: as a parameter.
    pub(super) fn pattern(&mut self, pattern: &Pattern, level: u8) -> &mut Self {
        let own = match &pattern.kind {
            PatternKind::Ascribe(..) | PatternKind::Attribute(..) => 0,
            PatternKind::Constructor(_, parts) if !parts.is_empty() => 1,
            PatternKind::Literal(Literal::Integer(n, _)) if *n < 0 => 1,
            PatternKind::Literal(Literal::Real(digits, _)) if digits.starts_with('-') => 1,
            PatternKind::Name(_)
            | PatternKind::Wildcard
            | PatternKind::Tuple(_)
            | PatternKind::Record(_)
            | PatternKind::Constructor(..)
            | PatternKind::Literal(_) => 2,
        };
        self.bracketed(own < level, |p| match &pattern.kind {
            PatternKind::Name(name) => p.binding_name(name),
            PatternKind::Wildcard => p.put("_"),
            PatternKind::Tuple(parts) => p.put("(").separated(", ", parts, |p, part| p.pattern(part, 0)).put(")"),
            PatternKind::Record(fields) => {
                p.put("{").separated(", ", fields, |p, (name, part)| p.put(name).put(" = ").pattern(part, 0)).put("}")
            }
            PatternKind::Constructor(name, parts) => {
                p.put("#").put(name).each(parts, |p, part| p.put(" ").pattern(part, 2))
            }
            PatternKind::Literal(literal) => p.literal(literal),
            PatternKind::Ascribe(inside, of) => p.pattern(inside, 1).put(": ").type_expression(of, 0),
            PatternKind::Attribute(attribute, inside) => p.attribute(attribute).pattern(inside, 0),
        })
    }

    /// A name where it is bound: an operator in brackets.
    pub(super) fn binding_name(&mut self, name: &Name) -> &mut Self {
        if is_operator(name) { self.put("(").put(name).put(")") } else { self.put(name) }
    }

    /// `#[a(b)] `.
    pub(super) fn attribute(&mut self, attribute: &Attribute) -> &mut Self {
        self.put("#[").attribute_inside(attribute);
        self.put("] ")
    }

    fn attribute_inside(&mut self, attribute: &Attribute) -> &mut Self {
        match attribute {
            Attribute::Name(name) => self.put(name),
            Attribute::Integer(n) => self.show(n),
            Attribute::Apply(name, arguments) => {
                self.put(name).put("(").separated(", ", arguments, Self::attribute_inside).put(")")
            }
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) -> &mut Self {
        match literal {
            Literal::Bool(value) => self.show(value),
            Literal::Integer(n, kind) => self.show(n).put(kind.as_deref().unwrap_or("")),
            Literal::Real(digits, kind) => self.put(digits).put(kind.as_deref().unwrap_or("")),
            Literal::Character(c) => self.put("'").escaped(*c, '\'').put("'"),
            Literal::Text(text) => {
                self.put("\"");
                let mut is_number = false;
                for c in text.chars() {
                    // A digit behind a number would be part of it.
                    if is_number && c.is_ascii_digit() {
                        self.put("\\").show(u32::from(c));
                        continue;
                    }
                    self.escaped(c, '"');
                    is_number = c.is_control() && !"\n\t\r".contains(c);
                }
                self.put("\"")
            }
        }
    }

    fn escaped(&mut self, c: char, quote: char) -> &mut Self {
        match c {
            '\n' => self.put("\\n"),
            '\t' => self.put("\\t"),
            '\r' => self.put("\\r"),
            '\\' => self.put("\\\\"),
            c if c == quote => self.put("\\").show(c),
            c if c.is_control() => self.put("\\").show(u32::from(c)),
            c => self.show(c),
        }
    }
}
