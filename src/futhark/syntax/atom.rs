//! Application and what it is applied to: names, constants, brackets and all that stands in them.
//!
//! Law: `a[i]` and `a.x` have no space before the sign; with one, `a [i]` is an application to an array. `(-x)` is the
//! negation of `x`; `(+ x)`, with any other operator, a function (tests/language/syntax.rs).

use super::number::unescape;
use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Expression, ExpressionKind, Literal, QualifiedName};
use crate::futhark::source::{Message, Name};

impl Parser<'_> {
    /// Whether an argument begins here; the name of an operator's module is none.
    fn begins_atom(&self) -> bool {
        match self.kind() {
            Kind::Name => self.operator_length(0).is_none(),
            Kind::Constructor
            | Kind::Number
            | Kind::Character
            | Kind::Text
            | Kind::Open
            | Kind::OpenBracket
            | Kind::OpenBrace
            | Kind::Hole
            | Kind::True
            | Kind::False => true,
            _ => false,
        }
    }

    /// A function and its arguments, of which the last may be a lambda without brackets.
    pub(super) fn application(&mut self) -> Parse<Expression> {
        let start = self.here();
        let constructor = (self.kind() == Kind::Constructor).then(|| self.constructor());
        let function = match constructor {
            Some(_) => None,
            None => Some(self.atom()?),
        };
        let mut arguments = Vec::new();
        loop {
            if self.begins_atom() {
                arguments.push(self.atom()?);
                self.taller()?;
            } else if self.kind() == Kind::Backslash && !(function.is_none() && arguments.is_empty()) {
                arguments.push(self.nested(Self::lambda)?);
                break;
            } else {
                break;
            }
        }
        arguments.shrink_to_fit();
        match (constructor, function) {
            (Some(name), _) => Ok(self.make(start, ExpressionKind::Constructor(name, arguments))),
            (None, Some(function)) if arguments.is_empty() => Ok(function),
            (None, Some(function)) => Ok(self.make(start, ExpressionKind::Apply(Box::new(function), arguments))),
            (None, None) => unreachable!("an application has a head"),
        }
    }

    /// The name of the constructor that the next token is.
    pub(super) fn constructor(&mut self) -> Name {
        let name = self.intern(&self.text_at(0)[1..]);
        self.advance();
        name
    }

    /// A value with fields and indices behind it, without spaces.
    pub(super) fn atom(&mut self) -> Parse<Expression> {
        self.nested(|p| {
            let start = p.here();
            let mut e = p.bare_atom()?;
            loop {
                if p.touches(0, Kind::Dot) && matches!(p.kind_at(1), Kind::Name | Kind::Number) {
                    p.advance();
                    let field = p.field_name()?;
                    e = p.make(start, ExpressionKind::Field(Box::new(e), field));
                } else if p.touches(0, Kind::OpenBracket) {
                    let indices = p.indices()?;
                    e = p.make(start, ExpressionKind::Index(Box::new(e), indices));
                } else {
                    return Ok(e);
                }
                p.taller()?;
            }
        })
    }

    fn bare_atom(&mut self) -> Parse<Expression> {
        let start = self.here();
        let kind = match self.kind() {
            Kind::Name => {
                let name = self.qualified("of a value")?;
                if self.touches(0, Kind::Dot) && self.touches(1, Kind::Open) {
                    self.advance();
                    let inside = self.parenthesised()?;
                    ExpressionKind::OpenIn(name, Box::new(inside))
                } else {
                    ExpressionKind::Name(name)
                }
            }
            Kind::Constructor => ExpressionKind::Constructor(self.constructor(), Vec::new()),
            Kind::Open => {
                let mut e = self.parenthesised()?;
                e.span = self.since(start);
                return Ok(e);
            }
            Kind::OpenBracket => {
                self.advance();
                ExpressionKind::Array(self.list(start, Kind::CloseBracket, Self::expression)?)
            }
            Kind::OpenBrace => self.record()?,
            Kind::Hole => {
                self.advance();
                ExpressionKind::Hole
            }
            Kind::Number | Kind::Character | Kind::Text | Kind::True | Kind::False => {
                ExpressionKind::Literal(self.literal()?)
            }
            _ => return self.no_expression(),
        };
        Ok(self.make(start, kind))
    }

    /// The message that an expression is missing here, with what may have been meant.
    fn no_expression<T>(&self) -> Parse<T> {
        let hint = match self.kind() {
            Kind::Def | Kind::Entry | Kind::Type | Kind::Module | Kind::OpenModule | Kind::Local | Kind::Import => {
                "the definition before is not complete; does its last `let` lack `in` and a result?"
            }
            Kind::End => "the last definition is not complete; does its last `let` lack `in` and a result?",
            Kind::In => "the value of the `let` is missing",
            Kind::Then | Kind::Else => "the condition or the value before it is missing",
            Kind::Operator => "an operator as a function stands in brackets: `(+)`",
            _ => return self.fail("an expression"),
        };
        self.fail_with("an expression", hint)
    }

    /// A constant, without a sign.
    pub(super) fn literal(&mut self) -> Parse<Literal> {
        let (kind, text) = (self.kind(), self.text_at(0));
        let literal = match kind {
            Kind::True => Literal::Bool(true),
            Kind::False => Literal::Bool(false),
            Kind::Number => return self.number(),
            Kind::Character | Kind::Text => {
                let inside = unescape(&text[1..text.len() - 1]);
                let mut chars = inside.as_deref().unwrap_or("").chars();
                match (kind, &inside, chars.next(), chars.next()) {
                    (Kind::Text, Some(inside), ..) => Literal::Text(Name::from(inside.as_str())),
                    (Kind::Character, Some(_), Some(c), None) => Literal::Character(c),
                    _ => {
                        let message = Message::error("syntax", self.here(), format!("{text} has an unknown escape"));
                        let hint = r#"after `\` stands one of `n t r \ " '`, a number, or `x` and a hexadecimal one"#;
                        return Err(Box::new(message.hint(hint)));
                    }
                }
            }
            _ => return self.fail("a constant"),
        };
        self.advance();
        Ok(literal)
    }

    /// `{x = a, y}`.
    fn record(&mut self) -> Parse<ExpressionKind> {
        let open = self.expect(Kind::OpenBrace, "and fields")?;
        let fields = self.list(open, Kind::CloseBrace, |p| {
            let span = p.here();
            let field = p.field_name()?;
            if p.eat(Kind::Equals) {
                return Ok((field, p.expression()?));
            }
            if p.kind() == Kind::Colon {
                return p.fail_with("`=` and the value of the field", "the type of a field has `:`, its value `=`");
            }
            p.stands_alone(&field)?;
            let name = QualifiedName { modules: Vec::new(), name: field.clone(), span };
            Ok((field, Expression { kind: ExpressionKind::Name(name), span }))
        })?;
        Ok(ExpressionKind::Record(fields))
    }

    /// What stands in brackets: the unit, a section, a tuple, or an expression.
    fn parenthesised(&mut self) -> Parse<Expression> {
        let open = self.expect(Kind::Open, "")?;
        let kind = if self.kind() == Kind::Dot {
            self.advance();
            ExpressionKind::SectionPath(self.part()?)
        } else if let Some(length) = self.operator_length(0).filter(|&length| {
            // `(-x)` is a negation, `(-)` a section.
            !matches!(self.text_at(0), "-" | "!") || self.kind_at(length) == Kind::Close
        }) {
            let name = self.operator(length);
            if self.kind() == Kind::Close {
                ExpressionKind::Section(name)
            } else {
                ExpressionKind::SectionRight(name, Box::new(self.nested(Self::updated)?))
            }
        } else if self.kind() == Kind::Close {
            ExpressionKind::Tuple(Vec::new())
        } else {
            let first = self.expression()?;
            if self.kind() == Kind::Comma {
                self.advance();
                let mut items = vec![first];
                items.extend(self.list(open, Kind::Close, Self::expression)?);
                if items.len() > 1 {
                    return Ok(self.make(open, ExpressionKind::Tuple(items)));
                }
                return Ok(items.remove(0));
            }
            match self.operator_length(0) {
                Some(length) if self.kind_at(length) == Kind::Close => {
                    ExpressionKind::SectionLeft(self.operator(length), Box::new(first))
                }
                _ => {
                    self.close(open, Kind::Close)?;
                    return Ok(first);
                }
            }
        };
        self.close(open, Kind::Close)?;
        Ok(self.make(open, kind))
    }
}
