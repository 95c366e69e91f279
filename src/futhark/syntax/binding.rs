//! What `def`, `entry` and `let` bind: functions, constants, operators, patterns, elements of arrays.
//!
//! Law: `let x[i] = v` replaces an element, `let f [n] x = v` is a function of any size (tests/language/syntax.rs).

use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Attribute, Expression, Pattern, PatternKind, Step, TypeParam, TypeParamKind, ValueDeclaration};
use crate::futhark::source::{Name, Span};

/// What a `let` within an expression binds.
pub(super) enum Binding {
    /// `let [n] p = e`.
    Pattern(Vec<TypeParam>, Pattern, Expression),
    /// `let f x = e`.
    Function(ValueDeclaration),
    /// `let x[i].y = e`.
    Update(Name, Vec<Step>, Expression),
}

impl Parser<'_> {
    /// What stands behind the `let` of an expression.
    pub(super) fn binding(&mut self) -> Parse<Binding> {
        match self.kind() {
            Kind::Name if self.touches(1, Kind::Dot) || self.touches(1, Kind::OpenBracket) && self.updates() => {
                let (name, _) = self.name("")?;
                let mut path = Vec::new();
                self.steps(&mut path)?;
                path.iter().try_for_each(|_| self.taller())?;
                let value = self.value()?;
                return Ok(Binding::Update(name, path, value));
            }
            Kind::Name if !matches!(self.kind_at(1), Kind::Equals | Kind::Colon) => {
                return Ok(Binding::Function(self.value_declaration(false)?));
            }
            Kind::Open
                if self.kind_at(1) == Kind::Operator
                    && self.kind_at(2) == Kind::Close
                    && !matches!(self.kind_at(3), Kind::Equals | Kind::Colon) =>
            {
                return Ok(Binding::Function(self.value_declaration(false)?));
            }
            Kind::OpenBracket if self.kind_at(1) == Kind::Name && self.kind_at(2) == Kind::Comma => {
                return self
                    .fail_with("a pattern", "an array is not taken apart by a pattern: take its elements, as `xs[0]`");
            }
            _ => {}
        }
        let sizes = self.sizes()?;
        let pattern = self.pattern(true)?;
        if let Some(length) = self.operator_length(0) {
            return Ok(Binding::Function(self.infix(pattern, length, false)?));
        }
        let value = self.value()?;
        Ok(Binding::Pattern(sizes, pattern, value))
    }

    /// Whether all brackets behind the next token are followed by `=`, or by a field.
    fn updates(&self) -> bool {
        let (mut ahead, mut depth) = (1, 0_usize);
        loop {
            match self.kind_at(ahead) {
                Kind::OpenBracket | Kind::OpenAttribute => depth += 1,
                Kind::CloseBracket => depth -= 1,
                Kind::End => return true,
                _ => {}
            }
            ahead += 1;
            if depth == 0 && !self.touches(ahead, Kind::OpenBracket) {
                return self.kind_at(ahead) == Kind::Equals || self.touches(ahead, Kind::Dot);
            }
        }
    }

    /// `= e`.
    fn value(&mut self) -> Parse<Expression> {
        if self.is_operator(0, "==") {
            return self.fail_with("`=` and a value", "`==` compares, `=` defines");
        }
        self.expect(Kind::Equals, "and a value")?;
        self.expression()
    }

    /// What stands behind `def`, `entry`, or the `let` of a function.
    pub(super) fn value_declaration(&mut self, entry: bool) -> Parse<ValueDeclaration> {
        let operator = self.kind() == Kind::Open && self.kind_at(1) == Kind::Operator && self.kind_at(2) == Kind::Close;
        let (name, name_span) = if operator {
            self.operator_name()?
        } else if self.kind() == Kind::Open || self.kind() == Kind::Name && self.operator_length(1).is_some() {
            let left = self.inner_pattern()?;
            let Some(length) = self.operator_length(0) else {
                let hint = "a definition has one name: `def f x = …`, `def (+++) x y = …` or `def x +++ y = …`";
                return self.fail_with("an operator", hint);
            };
            return self.infix(left, length, entry);
        } else {
            self.name("of what is defined")?
        };
        let type_params = self.type_params()?;
        let params = self.params()?;
        self.definition(entry, (name, name_span), type_params, params)
    }

    /// The parameters of a function, if any.
    pub(super) fn params(&mut self) -> Parse<Vec<Pattern>> {
        let mut params = Vec::new();
        while self.begins_pattern() {
            params.push(self.inner_pattern()?);
        }
        params.shrink_to_fit();
        Ok(params)
    }

    /// `+++ q: t = e`, with the first parameter read.
    fn infix(&mut self, left: Pattern, length: usize, entry: bool) -> Parse<ValueDeclaration> {
        let operator = self.operator(length);
        if !operator.modules.is_empty() {
            return self.fail("an operator without a module in its definition");
        }
        let right = self.inner_pattern()?;
        self.definition(entry, (operator.name, operator.span), Vec::new(), vec![left, right])
    }

    fn definition(
        &mut self,
        entry: bool,
        (name, name_span): (Name, Span),
        type_params: Vec<TypeParam>,
        params: Vec<Pattern>,
    ) -> Parse<ValueDeclaration> {
        let result = if self.eat(Kind::Colon) { Some(self.type_expression()?) } else { None };
        let body = self.within(params.len(), Self::value)?;
        Ok(ValueDeclaration { entry, name, name_span, type_params, params, result, body })
    }

    /// `(op)`.
    pub(super) fn operator_name(&mut self) -> Parse<(Name, Span)> {
        let open = self.expect(Kind::Open, "and an operator")?;
        let (span, text) = (self.here(), self.text_at(0));
        self.expect(Kind::Operator, "after `(`")?;
        self.close(open, Kind::Close)?;
        Ok((self.intern(text), span))
    }

    /// `[n][m]`, if any.
    pub(super) fn sizes(&mut self) -> Parse<Vec<TypeParam>> {
        let mut sizes = Vec::new();
        while self.kind() == Kind::OpenBracket {
            sizes.push(self.size_param()?);
        }
        Ok(sizes)
    }

    fn size_param(&mut self) -> Parse<TypeParam> {
        let open = self.expect(Kind::OpenBracket, "")?;
        let (name, span) = self.name("of a size")?;
        self.close(open, Kind::CloseBracket)?;
        Ok(TypeParam { kind: TypeParamKind::Size, name, span })
    }

    /// `[n] 't '~t '^t`, if any.
    pub(super) fn type_params(&mut self) -> Parse<Vec<TypeParam>> {
        let mut params = Vec::new();
        loop {
            let kind = match self.kind() {
                Kind::OpenBracket => {
                    params.push(self.size_param()?);
                    continue;
                }
                Kind::Tick => TypeParamKind::Type,
                Kind::TickTilde => TypeParamKind::SizeLifted,
                Kind::TickHat => TypeParamKind::Lifted,
                _ => return Ok(params),
            };
            self.advance();
            let (name, span) = self.name("of a type")?;
            params.push(TypeParam { kind, name, span });
        }
    }

    /// `#[a(b, 3)]`.
    pub(super) fn attribute(&mut self) -> Parse<Attribute> {
        let open = self.expect(Kind::OpenAttribute, "")?;
        let attribute = self.attribute_inside()?;
        self.close(open, Kind::CloseBracket)?;
        Ok(attribute)
    }

    fn attribute_inside(&mut self) -> Parse<Attribute> {
        self.nested(|p| {
            if p.kind() == Kind::Number {
                let Ok(number) = p.text_at(0).parse() else { return p.fail("a name or an integer") };
                p.advance();
                return Ok(Attribute::Integer(number));
            }
            let (name, _) = p.name("of an attribute")?;
            if p.kind() != Kind::Open {
                return Ok(Attribute::Name(name));
            }
            let open = p.expect(Kind::Open, "")?;
            Ok(Attribute::Apply(name, p.list(open, Kind::Close, Self::attribute_inside)?))
        })
    }

    /// The pattern that a name is.
    pub(super) fn name_pattern(&self, start: Span, name: Name) -> Pattern {
        Pattern { kind: PatternKind::Name(name), span: self.since(start) }
    }
}
