//! Pipes, compositions and sections: functions and arguments in other orders.
//!
//! Law: what is before a pipe is looked at before the function that it goes to; what stands in a section is worked out
//! once (tests/language/check.rs).

use super::apply::{Argument, Callee};
use super::report::Role;
use super::scope::{plain, show_name};
use super::unify::Required;
use super::{Checked, Checker};
use crate::futhark::chain::Rest;
use crate::futhark::core::{Expression, Pattern, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, ExpressionKind as Tree, PatternKind};

/// The parameter of a section, which no text can name.
const PARAMETER: &str = "\u{b7}x";

/// Whether a parameter is that of a section.
pub(super) fn is_parameter(name: &Name) -> bool {
    **name == *PARAMETER
}

/// The parameter of a section where it is used.
pub(super) fn parameter(span: Span) -> tree::Expression {
    tree::Expression { kind: Tree::Name(plain(&Name::from(PARAMETER), span)), span }
}

impl Checker {
    /// `a |> f`: the argument is looked at first.
    pub(super) fn pipe(
        &mut self,
        function: &tree::Expression,
        argument: Argument<'_>,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let value = match argument {
            Argument::Written(written) => self.expression(written, None)?,
            Argument::Checked(value) => value,
        };
        match &function.kind {
            Tree::Lambda(params, result, body) => {
                let answer = self.unifier.unknown(Required::Nothing, span);
                let wanted = Type::function(value.of.clone(), answer);
                let lambda = self.lambda(params, result.as_deref(), body, Some(&wanted), None)?;
                self.apply(Callee::Value(lambda), "this function", vec![Argument::Checked(value)], expected, span)
            }
            _ => self.apply_to(function, Argument::Checked(value), expected, span),
        }
    }

    /// A function, perhaps already of some arguments, of one argument more.
    pub(super) fn apply_to(
        &mut self,
        function: &tree::Expression,
        argument: Argument<'_>,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let (inner, before) = match &function.kind {
            Tree::Apply(inner, arguments) => (&**inner, &arguments[..]),
            _ => (function, &[][..]),
        };
        let (callee, shown) = self.applied(inner)?;
        let mut arguments: Vec<Argument<'_>> = before.iter().map(Argument::Written).collect();
        arguments.push(argument);
        self.apply(callee, &shown, arguments, expected, span)
    }

    /// `f >-> g`: a function of its own, so that the sizes of results are known only from them.
    pub(super) fn compose(
        &mut self,
        first: &tree::Expression,
        second: &tree::Expression,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let x = parameter(span);
        let pipe = |a: tree::Expression, f: &tree::Expression| tree::Expression {
            kind: Tree::Binary(plain(&Name::from("|>"), span), Rest::new(a), Box::new(f.clone())),
            span,
        };
        self.section(pipe(pipe(x, first), second), expected, span)
    }

    /// A function of the one parameter `·x`, which no text can name.
    pub(super) fn section(
        &mut self,
        body: tree::Expression,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let param = tree::Pattern { kind: PatternKind::Name(Name::from(PARAMETER)), span };
        self.lambda(&[param], None, &body, expected, None)
    }

    /// `(op b)`: the operand is worked out once.
    pub(super) fn section_right(
        &mut self,
        operator: &tree::QualifiedName,
        operand: &tree::Expression,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let callee = self.callee(operator)?;
        let of = match &callee {
            Callee::Value(value) => self.unifier.head(&value.of),
            Callee::Operator(_, of, _) => of.clone(),
        };
        if let (Type::Function(function), Some(expected)) = (&of, expected)
            && let Type::Function(wanted) = self.unifier.head(expected)
        {
            let _ = self.unifier.unify(&function.param, &wanted.param);
        }
        let second = match &of {
            Type::Function(function) => self.unifier.head(&function.result),
            _ => of.clone(),
        };
        let operand = match second {
            Type::Function(function) => self.check(operand, &function.param, Role::Operand(&operator.name))?,
            _ => self.expression(operand, None)?,
        };
        let operand = self.named(operand, "operand");
        let mut param = None;
        let shown = show_name(operator);
        let body = self.body(|checker| {
            let local = checker.unifier.fresh("x");
            let of = match of {
                Type::Function(function) => function.into_inner().param,
                _ => checker.unifier.unknown(Required::Nothing, span),
            };
            param = Some(Pattern::variable(local, of.clone(), span));
            let first = Expression::variable(local, of, span);
            checker.apply(callee, &shown, vec![Argument::Checked(first), Argument::Checked(operand)], None, span)
        })?;
        self.unifier.close(vec![param.expect("made in the body")], body)
    }
}
