//! Types, patterns, constants and attributes as text.
//!
//! Law: as of the whole printer; a level says what may stand without brackets, the higher the less
//! (laws: futhark_text::printed_is_read).

use core::fmt::{self, Write};

use super::Printer;
use crate::futhark::source::Name;
use crate::futhark::syntax::tree::{
    Attribute, Literal, Pattern, PatternKind, TypeArgument, TypeExpression, TypeKind, TypeParam, TypeParamKind,
};

/// Whether it is the name of an operator.
pub(super) fn is_operator(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

impl Printer<'_, '_> {
    /// 0: any; 1: no arrow; 2: no sum; 3: an atom.
    pub(super) fn type_expression(&mut self, of: &TypeExpression, level: u8) -> fmt::Result {
        let own = match &of.kind {
            TypeKind::Function(..) | TypeKind::Exists(..) => 0,
            TypeKind::Sum(_) => 1,
            TypeKind::Unique(_) | TypeKind::Array(..) => 2,
            TypeKind::Name(_, arguments) if !arguments.is_empty() => 2,
            TypeKind::Name(..) | TypeKind::Tuple(_) | TypeKind::Record(_) => 3,
        };
        self.bracketed(own < level, |p| match &of.kind {
            TypeKind::Name(name, arguments) => {
                p.qualified(name)?;
                for argument in arguments {
                    p.put(" ")?;
                    match argument {
                        TypeArgument::Size(size) => p.size(size.as_deref())?,
                        TypeArgument::Type(of) => p.type_expression(of, 3)?,
                    }
                }
                Ok(())
            }
            TypeKind::Array(size, of) => {
                p.size(size.as_deref())?;
                p.type_expression(of, 2)
            }
            TypeKind::Tuple(parts) => {
                p.put("(")?;
                p.separated(", ", parts, |p, part| p.type_expression(part, 0))?;
                p.put(")")
            }
            TypeKind::Record(fields) => {
                p.put("{")?;
                p.separated(", ", fields, |p, (field, of)| {
                    write!(p.out, "{field}: ")?;
                    p.type_expression(of, 0)
                })?;
                p.put("}")
            }
            TypeKind::Sum(constructors) => p.separated(" | ", constructors, |p, (name, payload)| {
                write!(p.out, "#{name}")?;
                payload.iter().try_for_each(|of| {
                    p.put(" ")?;
                    p.type_expression(of, 3)
                })
            }),
            TypeKind::Function(name, param, result) => {
                match name {
                    Some(name) => {
                        write!(p.out, "({name}: ")?;
                        p.type_expression(param, 0)?;
                        p.put(")")?;
                    }
                    None => p.type_expression(param, 2)?,
                }
                p.put(" -> ")?;
                p.type_expression(result, 0)
            }
            TypeKind::Unique(of) => {
                p.put("*")?;
                // Two stars would be one operator.
                p.type_expression(of, if matches!(of.kind, TypeKind::Unique(_)) { 3 } else { 2 })
            }
            TypeKind::Exists(names, of) => {
                p.put("?")?;
                names.iter().try_for_each(|name| write!(p.out, "[{name}]"))?;
                p.put(".")?;
                p.type_expression(of, 0)
            }
        })
    }

    fn size(&mut self, size: Option<&crate::futhark::syntax::tree::Expression>) -> fmt::Result {
        self.put("[")?;
        if let Some(size) = size {
            self.expression(size, 0)?;
        }
        self.put("]")
    }

    /// `[n] 't`, each with a space before it.
    pub(super) fn type_params(&mut self, params: &[TypeParam]) -> fmt::Result {
        params.iter().try_for_each(|param| match param.kind {
            TypeParamKind::Size => write!(self.out, " [{}]", param.name),
            // `'a'` would be a character.
            TypeParamKind::Type if param.name.len() == 2 && param.name.ends_with('\'') => {
                write!(self.out, " ' {}", param.name)
            }
            TypeParamKind::Type => write!(self.out, " '{}", param.name),
            TypeParamKind::SizeLifted => write!(self.out, " '~{}", param.name),
            TypeParamKind::Lifted => write!(self.out, " '^{}", param.name),
        })
    }

    /// 0: any; 1: no type, no attribute; 2: as a parameter.
    pub(super) fn pattern(&mut self, pattern: &Pattern, level: u8) -> fmt::Result {
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
            PatternKind::Tuple(parts) => {
                p.put("(")?;
                p.separated(", ", parts, |p, part| p.pattern(part, 0))?;
                p.put(")")
            }
            PatternKind::Record(fields) => {
                p.put("{")?;
                p.separated(", ", fields, |p, (field, part)| {
                    write!(p.out, "{field} = ")?;
                    p.pattern(part, 0)
                })?;
                p.put("}")
            }
            PatternKind::Constructor(name, parts) => {
                write!(p.out, "#{name}")?;
                parts.iter().try_for_each(|part| {
                    p.put(" ")?;
                    p.pattern(part, 2)
                })
            }
            PatternKind::Literal(literal) => p.literal(literal),
            PatternKind::Ascribe(inside, of) => {
                p.pattern(inside, 1)?;
                p.put(": ")?;
                p.type_expression(of, 0)
            }
            PatternKind::Attribute(attribute, inside) => {
                p.attribute(attribute)?;
                p.pattern(inside, 0)
            }
        })
    }

    /// A name where it is bound: an operator in brackets.
    pub(super) fn binding_name(&mut self, name: &Name) -> fmt::Result {
        if is_operator(name) { write!(self.out, "({name})") } else { self.put(name) }
    }

    /// `#[a(b)] `.
    pub(super) fn attribute(&mut self, attribute: &Attribute) -> fmt::Result {
        self.put("#[")?;
        self.attribute_inside(attribute)?;
        self.put("] ")
    }

    fn attribute_inside(&mut self, attribute: &Attribute) -> fmt::Result {
        match attribute {
            Attribute::Name(name) => self.put(name),
            Attribute::Integer(n) => write!(self.out, "{n}"),
            Attribute::Apply(name, arguments) => {
                write!(self.out, "{name}(")?;
                self.separated(", ", arguments, Self::attribute_inside)?;
                self.put(")")
            }
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) -> fmt::Result {
        let suffix = |suffix: &Option<Name>| suffix.clone().unwrap_or_else(|| Name::from(""));
        match literal {
            Literal::Bool(value) => write!(self.out, "{value}"),
            Literal::Integer(n, kind) => write!(self.out, "{n}{}", suffix(kind)),
            Literal::Real(digits, kind) => write!(self.out, "{digits}{}", suffix(kind)),
            Literal::Character(c) => {
                self.put("'")?;
                self.escaped(*c, '\'')?;
                self.put("'")
            }
            Literal::Text(text) => {
                self.put("\"")?;
                let mut chars = text.chars().peekable();
                while let Some(c) = chars.next() {
                    self.escaped(c, '"')?;
                    // A digit behind a number would be part of it.
                    if c.is_control() && chars.peek().is_some_and(char::is_ascii_digit) {
                        write!(self.out, "\\{}", u32::from(chars.next().expect("a digit was seen")))?;
                    }
                }
                self.put("\"")
            }
        }
    }

    fn escaped(&mut self, c: char, quote: char) -> fmt::Result {
        match c {
            '\n' => self.put("\\n"),
            '\t' => self.put("\\t"),
            '\r' => self.put("\\r"),
            '\\' => self.put("\\\\"),
            c if c == quote => write!(self.out, "\\{c}"),
            c if c.is_control() => write!(self.out, "\\{}", u32::from(c)),
            c => self.out.write_char(c),
        }
    }
}
