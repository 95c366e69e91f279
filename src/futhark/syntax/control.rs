//! Expressions that begin with a word or a sign of their own: `let`, `if`, `loop`, `match`, `assert`, lambdas.
//!
//! Law: each goes on as far to the right as it can. A `let` is followed by `in` or by another `let`; a chain of them is
//! read without recursion (tests/language/syntax.rs).

use super::binding::Binding;
use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Expression, ExpressionKind, Loop, LoopForm};
use crate::futhark::chain::Rest;

impl Parser<'_> {
    /// A chain of `let`s and its result.
    pub(super) fn lets(&mut self) -> Parse<Expression> {
        let mut chain = Vec::new();
        while self.kind() == Kind::Let {
            let start = self.here();
            self.advance();
            self.longer(chain.len())?;
            chain.push((start, self.binding()?));
            if self.kind() != Kind::Let && !self.eat(Kind::In) {
                let hint = "a `let` is followed by `in` and the result, or by another `let`";
                return self.fail_with("`in` or another `let`", hint);
            }
        }
        let mut body = self.expression()?;
        for (start, binding) in chain.into_iter().rev() {
            let rest = Rest::new(body);
            let kind = match binding {
                Binding::Pattern(sizes, pattern, value) => {
                    ExpressionKind::Let(sizes, Box::new(pattern), Box::new(value), rest)
                }
                Binding::Function(function) => ExpressionKind::LetFunction(Box::new(function), rest),
                Binding::Update(name, path, value) => ExpressionKind::LetUpdate(name, path, Box::new(value), rest),
            };
            body = self.make(start, kind);
        }
        Ok(body)
    }

    pub(super) fn conditional(&mut self) -> Parse<Expression> {
        let start = self.expect(Kind::If, "")?;
        let condition = Box::new(self.expression()?);
        self.expect(Kind::Then, "after the condition of an `if`")?;
        let yes = Box::new(self.expression()?);
        if self.kind() != Kind::Else {
            return self.fail_with("`else`", "an `if` is a value, and has one in both cases");
        }
        self.advance();
        let no = Box::new(self.expression()?);
        Ok(self.make(start, ExpressionKind::If(condition, yes, no)))
    }

    /// `loop [n] pattern = initial form do body`.
    pub(super) fn iteration(&mut self) -> Parse<Expression> {
        let start = self.expect(Kind::Loop, "")?;
        let sizes = self.sizes()?;
        let pattern = self.pattern(true)?;
        let initial = if self.eat(Kind::Equals) { Some(self.expression()?) } else { None };
        let form = match self.kind() {
            Kind::While => {
                self.advance();
                LoopForm::While(self.expression()?)
            }
            Kind::For if self.kind_at(1) == Kind::Name && self.is_operator(2, "<") => {
                self.advance();
                let (name, span) = self.name("of a counter")?;
                self.advance();
                LoopForm::For(name, span, self.expression()?)
            }
            Kind::For => {
                self.advance();
                let pattern = self.pattern(true)?;
                self.expect(Kind::In, "and an array after the pattern of `for`; a counter is `for i < n`")?;
                LoopForm::In(pattern, self.expression()?)
            }
            _ => {
                let hint = "a loop is `loop x = start for i < n do …`, `… for x in xs do …`, or `… while c do …`";
                return self.fail_with("`for` or `while`", hint);
            }
        };
        self.expect(Kind::Do, "and the body of the loop")?;
        let body = self.expression()?;
        Ok(self.make(start, ExpressionKind::Loop(Box::new(Loop { sizes, pattern, initial, form, body }))))
    }

    pub(super) fn cases(&mut self) -> Parse<Expression> {
        let start = self.expect(Kind::Match, "")?;
        let value = Box::new(self.expression()?);
        let mut cases = Vec::new();
        while self.kind() == Kind::Case {
            self.advance();
            let pattern = self.pattern(false)?;
            self.expect(Kind::Arrow, "after the pattern of a `case`")?;
            cases.push((pattern, self.expression()?));
        }
        if cases.is_empty() {
            return self.fail_with("`case`", "a match is `match x case p -> a case q -> b`");
        }
        Ok(self.make(start, ExpressionKind::Match(value, cases)))
    }

    pub(super) fn assertion(&mut self) -> Parse<Expression> {
        let start = self.expect(Kind::Assert, "")?;
        let condition = Box::new(self.atom()?);
        let value = Box::new(self.atom()?);
        Ok(self.make(start, ExpressionKind::Assert(condition, value)))
    }

    /// `\p q: t -> e`.
    pub(super) fn lambda(&mut self) -> Parse<Expression> {
        let start = self.expect(Kind::Backslash, "")?;
        let mut params = vec![self.inner_pattern()?];
        params.extend(self.params()?);
        let result = if self.eat(Kind::Colon) { Some(Box::new(self.type_term()?)) } else { None };
        self.expect(Kind::Arrow, "after the parameters of a function")?;
        let body = Box::new(self.within(params.len(), Self::expression)?);
        Ok(self.make(start, ExpressionKind::Lambda(params, result, body)))
    }
}
