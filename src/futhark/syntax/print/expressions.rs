//! Expressions as text.
//!
//! Law: as of the whole printer. A level says what may stand without brackets: 0 anything; 1 no ascription; from 2 on
//! only operators at least so strong; 13 signs; 14 applications; 15 atoms (laws: futhark_text::printed_is_read).

use core::fmt;

use super::Printer;
use super::types::is_operator;
use crate::futhark::syntax::expression::{leans_right, strength};
use crate::futhark::syntax::tree::{
    Expression, ExpressionKind, Index, Literal, Loop, LoopForm, Pattern, QualifiedName, Range, RangeKind,
    TypeExpression, ValueDeclaration,
};

const OPERATOR: u8 = 2;
const SIGN: u8 = 13;
const APPLICATION: u8 = 14;
const ATOM: u8 = 15;

/// The highest level at which an expression stands without brackets.
fn level_of(e: &Expression) -> u8 {
    match &e.kind {
        ExpressionKind::Ascribe(..) | ExpressionKind::Coerce(..) => 0,
        ExpressionKind::Let(..)
        | ExpressionKind::LetFunction(..)
        | ExpressionKind::LetUpdate(..)
        | ExpressionKind::If(..)
        | ExpressionKind::Match(..)
        | ExpressionKind::Loop(_)
        | ExpressionKind::Lambda(..)
        | ExpressionKind::Attribute(..)
        | ExpressionKind::Update(..)
        | ExpressionKind::RecordUpdate(..)
        | ExpressionKind::Range(_)
        // Not an application, though it looks like one: it is no operand of a sign.
        | ExpressionKind::Assert(..) => 1,
        ExpressionKind::Binary(name, ..) => OPERATOR + strength(&name.name) - 1,
        ExpressionKind::Negate(_) | ExpressionKind::Not(_) => SIGN,
        ExpressionKind::Apply(..) => APPLICATION,
        ExpressionKind::Constructor(_, arguments) if !arguments.is_empty() => APPLICATION,
        ExpressionKind::Literal(_)
        | ExpressionKind::Name(_)
        | ExpressionKind::Hole
        | ExpressionKind::Tuple(_)
        | ExpressionKind::Record(_)
        | ExpressionKind::Array(_)
        | ExpressionKind::Field(..)
        | ExpressionKind::Index(..)
        | ExpressionKind::Constructor(..)
        | ExpressionKind::Section(_)
        | ExpressionKind::SectionLeft(..)
        | ExpressionKind::SectionRight(..)
        | ExpressionKind::SectionField(_)
        | ExpressionKind::SectionIndex(_)
        | ExpressionKind::OpenIn(..) => ATOM,
    }
}

impl Printer<'_, '_> {
    pub(super) fn expression(&mut self, e: &Expression, level: u8) -> fmt::Result {
        self.bracketed(level_of(e) < level, |p| p.bare(e))
    }

    fn bare(&mut self, e: &Expression) -> fmt::Result {
        match &e.kind {
            ExpressionKind::Literal(literal) => self.literal(literal),
            ExpressionKind::Name(name) => self.qualified(name),
            ExpressionKind::Hole => self.put("???"),
            ExpressionKind::Tuple(items) => self.items("(", items, ")"),
            ExpressionKind::Array(items) => self.items("[", items, "]"),
            ExpressionKind::Record(fields) => {
                self.put("{")?;
                self.separated(", ", fields, |p, (field, value)| {
                    write!(p.out, "{field} = ")?;
                    p.expression(value, 0)
                })?;
                self.put("}")
            }
            ExpressionKind::Range(range) => self.range(range),
            ExpressionKind::Field(of, field) => {
                // `x.y` would be a name behind a module.
                let named =
                    matches!(of.kind, ExpressionKind::Name(_)) && !field.starts_with(|c: char| c.is_ascii_digit());
                self.base(of, named)?;
                write!(self.out, ".{field}")
            }
            ExpressionKind::Index(of, indices) => {
                self.base(of, false)?;
                self.indices(indices)
            }
            ExpressionKind::Update(of, indices, value) => {
                self.updated(of)?;
                self.put(" with ")?;
                self.indices(indices)?;
                self.put(" = ")?;
                self.expression(value, OPERATOR)
            }
            ExpressionKind::RecordUpdate(of, path, value) => {
                self.updated(of)?;
                write!(self.out, " with {} = ", path.join("."))?;
                self.expression(value, OPERATOR)
            }
            ExpressionKind::Apply(function, arguments) => {
                let constructor = matches!(function.kind, ExpressionKind::Constructor(..));
                self.bracketed(constructor, |p| p.expression(function, ATOM))?;
                self.arguments(arguments)
            }
            ExpressionKind::Constructor(name, arguments) => {
                write!(self.out, "#{name}")?;
                self.arguments(arguments)
            }
            ExpressionKind::Negate(value) => {
                // Two of them would begin a comment.
                self.put("-")?;
                self.expression(value, APPLICATION)
            }
            ExpressionKind::Not(value) => {
                self.put("!")?;
                self.expression(value, APPLICATION)
            }
            ExpressionKind::Binary(name, left, right) => self.binary(name, left, right),
            ExpressionKind::Section(name) => self.bracketed(true, |p| p.operator(name)),
            ExpressionKind::SectionLeft(name, left) => self.bracketed(true, |p| {
                p.expression(left, OPERATOR)?;
                p.put(" ")?;
                p.operator(name)
            }),
            ExpressionKind::SectionRight(name, right) => self.bracketed(true, |p| {
                p.operator(name)?;
                p.put(" ")?;
                p.expression(right, 1)
            }),
            ExpressionKind::SectionField(path) => write!(self.out, "(.{})", path.join(".")),
            ExpressionKind::SectionIndex(indices) => self.bracketed(true, |p| {
                p.put(".")?;
                p.indices(indices)
            }),
            ExpressionKind::Lambda(params, result, body) => self.lambda(params, result.as_ref(), body),
            ExpressionKind::Let(sizes, pattern, value, body) => {
                self.put("let ")?;
                sizes.iter().try_for_each(|size| write!(self.out, "[{}] ", size.name))?;
                self.pattern(pattern, 0)?;
                self.put(" = ")?;
                self.indented(|p| p.expression(value, 0))?;
                self.after_let(body)
            }
            ExpressionKind::LetFunction(function, body) => {
                self.put("let ")?;
                self.definition(function)?;
                self.after_let(body)
            }
            ExpressionKind::LetUpdate(name, indices, value, body) => {
                write!(self.out, "let {name}")?;
                self.indices(indices)?;
                self.put(" = ")?;
                self.indented(|p| p.expression(value, 0))?;
                self.after_let(body)
            }
            ExpressionKind::If(condition, yes, no) => {
                self.put("if ")?;
                self.expression(condition, 0)?;
                self.put(" then ")?;
                self.indented(|p| p.expression(yes, 0))?;
                self.put(" else ")?;
                self.expression(no, 0)
            }
            ExpressionKind::Match(value, cases) => self.matching(value, cases),
            ExpressionKind::Loop(it) => self.iteration(it),
            ExpressionKind::Ascribe(value, of) => {
                self.expression(value, OPERATOR)?;
                self.put(" : ")?;
                self.type_expression(of, 0)
            }
            ExpressionKind::Coerce(value, of) => {
                self.expression(value, OPERATOR)?;
                self.put(" :> ")?;
                self.type_expression(of, 0)
            }
            ExpressionKind::OpenIn(module, inside) => {
                self.qualified(module)?;
                self.put(".(")?;
                self.expression(inside, 0)?;
                self.put(")")
            }
            ExpressionKind::Assert(condition, value) => {
                self.put("assert ")?;
                self.expression(condition, ATOM)?;
                self.put(" ")?;
                self.expression(value, ATOM)
            }
            ExpressionKind::Attribute(attribute, inside) => {
                self.attribute(attribute)?;
                self.expression(inside, 0)
            }
        }
    }

    fn binary(&mut self, name: &QualifiedName, left: &Expression, right: &Expression) -> fmt::Result {
        let strength = strength(&name.name);
        let own = OPERATOR + strength - 1;
        let right_leaning = leans_right(strength);
        self.expression(left, own + u8::from(right_leaning))?;
        self.put(" ")?;
        self.operator(name)?;
        self.put(" ")?;
        self.expression(right, own + u8::from(!right_leaning))
    }

    fn lambda(&mut self, params: &[Pattern], result: Option<&TypeExpression>, body: &Expression) -> fmt::Result {
        self.put("\\")?;
        self.separated(" ", params, |p, param| p.pattern(param, 2))?;
        if let Some(result) = result {
            self.put(": ")?;
            self.type_expression(result, 1)?;
        }
        self.put(" -> ")?;
        self.expression(body, 0)
    }

    fn matching(&mut self, value: &Expression, cases: &[(Pattern, Expression)]) -> fmt::Result {
        self.put("match ")?;
        self.expression(value, OPERATOR)?;
        for (at, (pattern, result)) in cases.iter().enumerate() {
            self.line()?;
            self.put("case ")?;
            self.pattern(pattern, 1)?;
            self.put(" -> ")?;
            // Another match would take the cases that follow.
            let level = if at + 1 == cases.len() { 0 } else { OPERATOR };
            self.indented(|p| p.expression(result, level))?;
        }
        Ok(())
    }

    /// What fields and indices are taken of.
    fn base(&mut self, of: &Expression, named: bool) -> fmt::Result {
        let number = matches!(&of.kind, ExpressionKind::Literal(Literal::Integer(..) | Literal::Real(..)));
        let constructor = matches!(of.kind, ExpressionKind::Constructor(..));
        self.bracketed(named || number || constructor, |p| p.expression(of, ATOM))
    }

    /// What `with` changes.
    fn updated(&mut self, of: &Expression) -> fmt::Result {
        let again = matches!(of.kind, ExpressionKind::Update(..) | ExpressionKind::RecordUpdate(..));
        self.expression(of, if again { 1 } else { OPERATOR })
    }

    fn items(&mut self, open: &str, items: &[Expression], close: &str) -> fmt::Result {
        self.put(open)?;
        self.separated(", ", items, |p, item| p.expression(item, 0))?;
        self.put(close)
    }

    fn arguments(&mut self, arguments: &[Expression]) -> fmt::Result {
        arguments.iter().try_for_each(|argument| {
            self.put(" ")?;
            self.expression(argument, ATOM)
        })
    }

    fn operator(&mut self, name: &QualifiedName) -> fmt::Result {
        if is_operator(&name.name) {
            return self.qualified(name);
        }
        self.put("`")?;
        self.qualified(name)?;
        self.put("`")
    }

    fn range(&mut self, range: &Range) -> fmt::Result {
        self.expression(&range.start, OPERATOR)?;
        if let Some(second) = &range.second {
            self.put("..")?;
            self.expression(second, OPERATOR)?;
        }
        self.put(match range.kind {
            RangeKind::Inclusive => "...",
            RangeKind::Upto => "..<",
            RangeKind::Downto => "..>",
        })?;
        self.expression(&range.end, OPERATOR)
    }

    fn indices(&mut self, indices: &[Index]) -> fmt::Result {
        self.put("[")?;
        self.separated(", ", indices, |p, index| match index {
            Index::At(at) => p.expression(at, OPERATOR),
            Index::Slice(first, end, step) => {
                first.iter().try_for_each(|first| p.expression(first, OPERATOR))?;
                p.put(":")?;
                end.iter().try_for_each(|end| p.expression(end, OPERATOR))?;
                step.iter().try_for_each(|step| {
                    p.put(":")?;
                    p.expression(step, OPERATOR)
                })
            }
        })?;
        self.put("]")
    }

    /// The body of a `let`, on lines of its own.
    fn after_let(&mut self, body: &Expression) -> fmt::Result {
        self.line()?;
        let chain = matches!(
            body.kind,
            ExpressionKind::Let(..) | ExpressionKind::LetFunction(..) | ExpressionKind::LetUpdate(..)
        );
        self.put(if chain { "" } else { "in " })?;
        self.expression(body, 0)
    }

    fn iteration(&mut self, it: &Loop) -> fmt::Result {
        self.put("loop ")?;
        it.sizes.iter().try_for_each(|size| write!(self.out, "[{}] ", size.name))?;
        self.pattern(&it.pattern, 0)?;
        if let Some(initial) = &it.initial {
            self.put(" = ")?;
            self.expression(initial, OPERATOR)?;
        }
        match &it.form {
            LoopForm::For(name, _, count) => {
                write!(self.out, " for {name} < ")?;
                self.expression(count, OPERATOR)?;
            }
            LoopForm::In(pattern, values) => {
                self.put(" for ")?;
                self.pattern(pattern, 0)?;
                self.put(" in ")?;
                self.expression(values, OPERATOR)?;
            }
            LoopForm::While(condition) => {
                self.put(" while ")?;
                self.expression(condition, OPERATOR)?;
            }
        }
        self.put(" do")?;
        self.indented(|p| {
            p.line()?;
            p.expression(&it.body, 0)
        })
    }

    /// What follows `def`, `entry` or `let`.
    pub(super) fn definition(&mut self, value: &ValueDeclaration) -> fmt::Result {
        self.binding_name(&value.name)?;
        self.type_params(&value.type_params)?;
        value.params.iter().try_for_each(|param| {
            self.put(" ")?;
            self.pattern(param, 2)
        })?;
        if let Some(result) = &value.result {
            self.put(" : ")?;
            self.type_expression(result, 0)?;
        }
        self.put(" =")?;
        self.indented(|p| {
            if level_of(&value.body) == 1 {
                p.line()?
            } else {
                p.put(" ")?
            }
            p.expression(&value.body, 0)
        })
    }
}
