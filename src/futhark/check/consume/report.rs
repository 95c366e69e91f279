//! What is wrong with the uses of a value, in the words of the text.
//!
//! Law: a message names the value as the text does, and what consumed it (tests/language/consume.rs).

use std::fmt;

use super::held::Origin;
use super::{Flow, Kind};
use crate::futhark::check::ownership::Misfit;
use crate::futhark::check::sections::is_parameter;
use crate::futhark::check::{Checked, fault};
use crate::futhark::core::{Expression, ExpressionKind, Local};
use crate::futhark::source::{Name, Span};

/// What consumes a value.
#[derive(Debug, Clone)]
pub(super) enum By {
    /// `a with [i] = x`.
    Update,
    /// A function, by its name if it has one.
    Call(Option<Name>),
    /// A loop that consumes the first values of its variables.
    Loop,
    /// What a function or a constant is declared to be.
    Result,
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            By::Update => f.write_str("an update in place"),
            By::Call(Some(name)) => write!(f, "`{name}`"),
            By::Call(None) => f.write_str("this function"),
            By::Loop => f.write_str("a loop"),
            By::Result => f.write_str("the declared type"),
        }
    }
}

/// A value as messages call it.
fn value(name: Option<&Name>) -> String {
    name.map_or_else(|| "this value".into(), |name| format!("`{name}`"))
}

impl Flow<'_> {
    /// The name of a variable, if it was written.
    fn of_local(&self, local: Local) -> Option<&Name> {
        // Variables of the checker's own have names that nobody wrote.
        let known = self.names.get(local.0 as usize).filter(|_| !self.ownership.hoisted.contains(&local));
        known.filter(|name| !is_parameter(name))
    }

    fn of_definition(&self, number: usize) -> Option<&Name> {
        self.ownership.definitions.get(number).map(|(name, _)| name)
    }

    fn of_origin(&self, origin: Origin) -> Option<&Name> {
        match origin.as_global() {
            Some(number) => self.of_definition(number),
            None => self.of_local(self.sources[origin.0 as usize].name),
        }
    }

    fn local(&self, local: Local) -> String {
        value(self.of_local(local))
    }

    fn shown(&self, origin: Origin) -> String {
        value(self.of_origin(origin))
    }

    /// The function that consumes, as messages call it.
    pub(super) fn called(&self, function: &Expression) -> By {
        By::Call(match &function.kind {
            ExpressionKind::Definition(definition, _) => self.of_definition(definition.0 as usize).cloned(),
            // What is promised has a name of its own, which begins with the one that is written.
            ExpressionKind::Intrinsic(name, _) => name.split('.').next().map(Name::from),
            ExpressionKind::Local(local) | ExpressionKind::LocalInstance(local, _) => self.of_local(*local).cloned(),
            _ => None,
        })
    }

    /// A copy of a value, for hints.
    fn copy(&self, origin: Origin) -> String {
        self.of_origin(origin).map_or_else(|| "`copy`".into(), |name| format!("`copy {name}`"))
    }

    /// A value is used that has been consumed.
    pub(super) fn gone<T>(&self, origin: Origin, by: &By, span: Span) -> Checked<T> {
        let text = format!("{} is used after it was consumed by {by}", self.shown(origin));
        fault("consumed", span, text, format!("let {by} consume {} instead", self.copy(origin)))
    }

    /// What a loop begins with is used in it.
    pub(super) fn gone_in_loop<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let text = format!("{} is used in a loop that consumes it before it begins", self.shown(origin));
        fault("consumed", span, text, format!("let the loop begin with {}", self.copy(origin)))
    }

    /// Whether a value may be consumed here.
    pub(super) fn consumable(&self, origin: Origin, by: &By, span: Span) -> Checked<()> {
        let hint = || format!("let {by} consume {} instead", self.copy(origin));
        if origin.as_global().is_some() {
            let shown = self.shown(origin);
            let text = format!("{shown} is consumed by {by}, but it is a constant of the whole program");
            return fault("uniqueness", span, text, hint());
        }
        let source = self.sources[origin.0 as usize];
        if source.kind == Kind::Lent {
            let shown = self.shown(origin);
            let text = format!("{shown} is consumed by {by}, but it belongs to the caller: its type has no `*`");
            return fault("uniqueness", span, text, format!("{}, or declare the parameter as `*`", hint()));
        }
        if source.depth < self.depth {
            let shown = self.shown(origin);
            let around = &self.bodies[source.depth..self.depth];
            let text = if around.iter().any(|body| !body.is_loop) {
                format!("{shown} is consumed by {by}, but it is captured by a function, which may be called again")
            } else {
                format!("{shown} is consumed by {by} in a loop, but it is bound outside of it")
            };
            return fault("uniqueness", span, text, hint());
        }
        Ok(())
    }

    /// What is put into an array is part of it.
    pub(super) fn overlaps<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let text = format!("this value may be part of the array that is updated, {}", self.shown(origin));
        fault("uniqueness", span, text, "copy the value first: `copy (…)`")
    }

    /// Something is consumed of which another argument has a part.
    pub(super) fn both<T>(&self, origin: Origin, by: &By, span: Span) -> Checked<T> {
        let text = format!("{} is consumed by {by}, which is given it twice", self.shown(origin));
        fault("uniqueness", span, text, format!("let {by} consume {} instead", self.copy(origin)))
    }

    /// A result that is declared unique is not.
    pub(super) fn not_unique<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let shown = self.shown(origin);
        let text = match (origin.as_global(), self.sources.get(origin.0 as usize)) {
            (None, Some(source)) if source.kind == Kind::Lent => {
                format!("the result is declared unique, but may alias the parameter {shown}, which is not")
            }
            _ => {
                format!("the result is declared unique, but may alias {shown}, which is bound outside of the function")
            }
        };
        fault("uniqueness", span, text, format!("return {}", self.copy(origin)))
    }

    /// Two parts of a result alias each other, and one of them is declared unique.
    pub(super) fn not_apart<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let text = format!("two parts of the result may both be {}, and one is declared unique", self.shown(origin));
        fault("uniqueness", span, text, format!("return {} as one of them", self.copy(origin)))
    }

    /// A function returns a constant of the program.
    pub(super) fn returns_global<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let text = format!(
            "the result of this function may alias {}, and may alias nothing but its parameters",
            self.shown(origin)
        );
        fault("uniqueness", span, text, format!("return {}", self.copy(origin)))
    }

    /// A variable of a loop that is consumed gets a value that is bound outside.
    pub(super) fn loop_outside<T>(&self, origin: Origin, name: Local, span: Span) -> Checked<T> {
        let text = format!(
            "the loop consumes {}, whose next value may alias {}, bound outside of the loop",
            self.local(name),
            self.shown(origin)
        );
        fault("uniqueness", span, text, format!("return {} from the body", self.copy(origin)))
    }

    /// Two variables of a loop get the same value, and one of them is consumed.
    pub(super) fn loop_twice<T>(&self, origin: Origin, name: Local, span: Span) -> Checked<T> {
        let text = format!(
            "the loop consumes {}, whose value may alias that of another of its variables: both are {}",
            self.local(name),
            self.shown(origin)
        );
        fault("uniqueness", span, text, format!("let one of them be {}", self.copy(origin)))
    }

    /// A function is given where one of another kind is wanted.
    pub(super) fn misfit<T>(misfit: Misfit, by: &By, span: Span) -> Checked<T> {
        match misfit {
            Misfit::Consumes => {
                let text = format!("this function consumes its argument, and {by} wants one that does not");
                fault("uniqueness", span, text, "let the function copy its argument: `\\x -> f (copy x)`")
            }
            Misfit::Aliases => {
                let text =
                    format!("the result of this function may alias its argument, and {by} wants one that is unique");
                fault("uniqueness", span, text, "let the function copy its result")
            }
        }
    }

    /// A function given as an argument consumes something before it is called.
    pub(super) fn consuming_argument<T>(&self, origin: Origin, span: Span) -> Checked<T> {
        let text =
            format!("{} is consumed by a function given as an argument, which may be called again", self.shown(origin));
        fault("uniqueness", span, text, format!("give it {}", self.copy(origin)))
    }
}
