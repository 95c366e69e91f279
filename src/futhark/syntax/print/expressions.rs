//! Expressions as text.
//!
//! Law: as of the whole printer. A level says what may stand without brackets: 0 anything; 1 no ascription; from 2 on
//! only operators at least so strong; 13 signs; 14 applications; 15 atoms (laws: futhark_text::printed_is_read).

use super::Printer;
use super::types::is_operator;
use crate::futhark::syntax::expression::{leans_right, strength};
use crate::futhark::syntax::tree::{
    Expression, ExpressionKind, Index, Literal, Loop, LoopForm, Pattern, QualifiedName, Range, RangeKind, Step,
    TypeParam, ValueDeclaration,
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
        | ExpressionKind::SectionPath(_)
        | ExpressionKind::OpenIn(..) => ATOM,
    }
}

impl Printer<'_, '_> {
    pub(super) fn expression(&mut self, e: &Expression, level: u8) -> &mut Self {
        self.bracketed(level_of(e) < level, |p| p.bare(e))
    }

    fn bare(&mut self, e: &Expression) -> &mut Self {
        match &e.kind {
            ExpressionKind::Literal(literal) => self.literal(literal),
            ExpressionKind::Name(name) => self.qualified(name),
            ExpressionKind::Hole => self.put("???"),
            ExpressionKind::Tuple(items) => self.items("(", items, ")"),
            ExpressionKind::Array(items) => self.items("[", items, "]"),
            ExpressionKind::Record(fields) => self
                .put("{")
                .separated(", ", fields, |p, (name, value)| p.put(name).put(" = ").expression(value, 0))
                .put("}"),
            ExpressionKind::Range(range) => self.range(range),
            ExpressionKind::Field(of, field) => {
                // `x.y` would be a name behind a module.
                let named =
                    matches!(of.kind, ExpressionKind::Name(_)) && !field.starts_with(|c: char| c.is_ascii_digit());
                self.base(of, named).put(".").put(field)
            }
            ExpressionKind::Index(of, indices) => self.base(of, false).indices(indices),
            ExpressionKind::Update(of, path, value) => {
                self.updated(of).put(" with ").path(path).put(" = ").expression(value, OPERATOR)
            }
            ExpressionKind::Apply(function, arguments) => {
                let constructor = matches!(function.kind, ExpressionKind::Constructor(..));
                self.bracketed(constructor, |p| p.expression(function, ATOM)).arguments(arguments)
            }
            ExpressionKind::Constructor(name, arguments) => self.put("#").put(name).arguments(arguments),
            // Two of them would begin a comment.
            ExpressionKind::Negate(value) => self.put("-").expression(value, APPLICATION),
            ExpressionKind::Not(value) => self.put("!").expression(value, APPLICATION),
            ExpressionKind::Binary(name, left, right) => self.binary(name, left, right),
            ExpressionKind::Section(name) => self.put("(").operator(name).put(")"),
            ExpressionKind::SectionLeft(name, left) => {
                self.put("(").expression(left, OPERATOR).put(" ").operator(name).put(")")
            }
            ExpressionKind::SectionRight(name, right) => {
                self.put("(").operator(name).put(" ").expression(right, 1).put(")")
            }
            ExpressionKind::SectionPath(path) => self.put("(.").path(path).put(")"),
            ExpressionKind::Lambda(params, result, body) => {
                self.put("\\").separated(" ", params, |p, param| p.pattern(param, 2));
                self.given(result.as_ref(), |p, result| p.put(": ").type_expression(result, 1));
                self.put(" -> ").expression(body, 0)
            }
            ExpressionKind::Let(sizes, pattern, value, body) => {
                self.put("let ").sizes(sizes).pattern(pattern, 0).put(" = ").inner(value, 0).after_let(body)
            }
            ExpressionKind::LetFunction(function, body) => self.put("let ").definition(function).after_let(body),
            ExpressionKind::LetUpdate(name, path, value, body) => {
                let point = if matches!(path.first(), Some(Step::Field(_))) { "." } else { "" };
                self.put("let ").put(name).put(point).path(path).put(" = ").inner(value, 0).after_let(body)
            }
            ExpressionKind::If(condition, yes, no) => {
                self.put("if ").expression(condition, 0).put(" then ").inner(yes, 0).put(" else ").expression(no, 0)
            }
            ExpressionKind::Match(value, cases) => self.matching(value, cases),
            ExpressionKind::Loop(it) => self.iteration(it),
            ExpressionKind::Ascribe(value, of) => self.expression(value, OPERATOR).put(" : ").type_expression(of, 0),
            ExpressionKind::Coerce(value, of) => self.expression(value, OPERATOR).put(" :> ").type_expression(of, 0),
            ExpressionKind::OpenIn(module, inside) => self.qualified(module).put(".(").expression(inside, 0).put(")"),
            ExpressionKind::Assert(condition, value) => {
                self.put("assert ").expression(condition, ATOM).put(" ").expression(value, ATOM)
            }
            ExpressionKind::Attribute(attribute, inside) => self.attribute(attribute).expression(inside, 0),
        }
    }

    /// An expression whose new lines begin further to the right.
    fn inner(&mut self, e: &Expression, level: u8) -> &mut Self {
        self.indented(|p| p.expression(e, level))
    }

    fn binary(&mut self, name: &QualifiedName, left: &Expression, right: &Expression) -> &mut Self {
        let strength = strength(&name.name);
        let own = OPERATOR + strength - 1;
        let right_leaning = leans_right(strength);
        self.expression(left, own + u8::from(right_leaning)).put(" ").operator(name).put(" ");
        self.expression(right, own + u8::from(!right_leaning))
    }

    fn matching(&mut self, value: &Expression, cases: &[(Pattern, Expression)]) -> &mut Self {
        self.put("match ").expression(value, OPERATOR);
        for (at, (pattern, result)) in cases.iter().enumerate() {
            // Another match would take the cases that follow.
            let level = if at + 1 == cases.len() { 0 } else { OPERATOR };
            self.line().put("case ").pattern(pattern, 1).put(" -> ").inner(result, level);
        }
        self
    }

    /// What fields and indices are taken of.
    fn base(&mut self, of: &Expression, named: bool) -> &mut Self {
        let number = matches!(&of.kind, ExpressionKind::Literal(Literal::Integer(..) | Literal::Real(..)));
        let constructor = matches!(of.kind, ExpressionKind::Constructor(..));
        self.bracketed(named || number || constructor, |p| p.expression(of, ATOM))
    }

    /// What `with` changes.
    fn updated(&mut self, of: &Expression) -> &mut Self {
        let again = matches!(of.kind, ExpressionKind::Update(..));
        self.expression(of, if again { 1 } else { OPERATOR })
    }

    fn items(&mut self, open: &str, items: &[Expression], close: &str) -> &mut Self {
        self.put(open).separated(", ", items, |p, item| p.expression(item, 0)).put(close)
    }

    fn arguments(&mut self, arguments: &[Expression]) -> &mut Self {
        self.each(arguments, |p, argument| p.put(" ").expression(argument, ATOM))
    }

    fn operator(&mut self, name: &QualifiedName) -> &mut Self {
        if is_operator(&name.name) { self.qualified(name) } else { self.put("`").qualified(name).put("`") }
    }

    fn range(&mut self, range: &Range) -> &mut Self {
        self.expression(&range.start, OPERATOR);
        self.given(range.second.as_ref(), |p, second| p.put("..").expression(second, OPERATOR));
        self.put(match range.kind {
            RangeKind::Inclusive => "...",
            RangeKind::Upto => "..<",
            RangeKind::Downto => "..>",
        });
        self.expression(&range.end, OPERATOR)
    }

    /// A path without the point that a section and a name have before its first field.
    fn path(&mut self, path: &[Step]) -> &mut Self {
        for (at, step) in path.iter().enumerate() {
            match step {
                Step::Field(field) => self.put(if at == 0 { "" } else { "." }).put(field),
                Step::Index(indices) => self.indices(indices),
            };
        }
        self
    }

    fn indices(&mut self, indices: &[Index]) -> &mut Self {
        self.put("[").separated(", ", indices, |p, index| match index {
            Index::At(at) => p.expression(at, OPERATOR),
            Index::Slice(first, end, step) => {
                p.given(first.as_ref(), |p, first| p.expression(first, OPERATOR)).put(":");
                p.given(end.as_ref(), |p, end| p.expression(end, OPERATOR));
                p.given(step.as_ref(), |p, step| p.put(":").expression(step, OPERATOR))
            }
        });
        self.put("]")
    }

    /// The body of a `let`, on lines of its own.
    fn after_let(&mut self, body: &Expression) -> &mut Self {
        let chain = matches!(
            body.kind,
            ExpressionKind::Let(..) | ExpressionKind::LetFunction(..) | ExpressionKind::LetUpdate(..)
        );
        self.line().put(if chain { "" } else { "in " }).expression(body, 0)
    }

    fn sizes(&mut self, sizes: &[TypeParam]) -> &mut Self {
        self.each(sizes, |p, size| p.put("[").put(&size.name).put("] "))
    }

    fn iteration(&mut self, it: &Loop) -> &mut Self {
        self.put("loop ").sizes(&it.sizes).pattern(&it.pattern, 0);
        self.given(it.initial.as_ref(), |p, initial| p.put(" = ").expression(initial, OPERATOR));
        match &it.form {
            LoopForm::For(name, _, count) => self.put(" for ").put(name).put(" < ").expression(count, OPERATOR),
            LoopForm::In(pattern, values) => {
                self.put(" for ").pattern(pattern, 0).put(" in ").expression(values, OPERATOR)
            }
            LoopForm::While(condition) => self.put(" while ").expression(condition, OPERATOR),
        };
        self.put(" do").indented(|p| p.line().expression(&it.body, 0))
    }

    /// What follows `def`, `entry` or `let`.
    pub(super) fn definition(&mut self, value: &ValueDeclaration) -> &mut Self {
        self.binding_name(&value.name).type_params(&value.type_params);
        self.each(&value.params, |p, param| p.put(" ").pattern(param, 2));
        self.given(value.result.as_ref(), |p, result| p.put(" : ").type_expression(result, 0));
        self.put(" =").indented(|p| {
            let on_lines = level_of(&value.body) == 1;
            if on_lines { p.line() } else { p.put(" ") }.expression(&value.body, 0)
        })
    }
}
