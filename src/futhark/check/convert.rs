//! An expression of one type where another is wanted: equal, or compared when the program runs.
//!
//! Law: conversion never changes a value; sizes that may differ are compared in one place, where the value is
//! (tests/language/check.rs).

use rustc_hash::FxHashMap;

use super::report::Role;
use super::unify::Clash;
use super::{Checked, Checker};
use crate::futhark::core::{Expression, ExpressionKind, FunctionType, Local, Pattern, Size, Type};

impl Checker {
    /// The expression at the type that is wanted.
    pub(super) fn convert(&mut self, value: Expression, wanted: &Type, role: Role<'_>) -> Checked<Expression> {
        match self.unifier.unify(&value.of, wanted) {
            Ok(false) => Ok(match (role, self.unifier.head(wanted)) {
                // What is written says the sizes as the user thinks of them.
                (Role::Result | Role::Ascription | Role::Coercion, Type::Array(..) | Type::Record(_)) => {
                    Expression { of: wanted.clone(), ..value }
                }
                _ => value,
            }),
            Ok(true) => {
                self.note_comparison(value.span, role);
                self.coerce(value, wanted, role)
            }
            // What the program asks to be compared is compared when it runs, whatever is known before.
            Err(Clash::Sizes(..)) if matches!(role, Role::Coercion) => {
                let open = self.unifier.any_sizes(wanted, value.span);
                self.unifier.equate(&value.of, &open, role, value.span)?;
                self.coerce(value, wanted, role)
            }
            Err(clash) => Err(self.unifier.mismatch(&clash, &value.of, wanted, role, value.span)),
        }
    }

    /// The value, its sizes compared with those of a type.
    pub(super) fn coerce(&mut self, value: Expression, wanted: &Type, role: Role<'_>) -> Checked<Expression> {
        let span = value.span;
        if let Type::Function(wanted_function) = self.unifier.head(wanted) {
            let FunctionType { param, name, exists, result } = &*wanted_function;
            let function = self.named(value, "f");
            let mut pattern = None;
            let body = self.body(|checker| {
                let local = checker.unifier.fresh("x");
                let of = param.clone();
                pattern = Some(Pattern::variable(local, of.clone(), span));
                let argument = Expression::variable(local, of, span);
                let Type::Function(own) = checker.unifier.head(&function.of) else {
                    return Err(checker.unifier.mismatch(&Clash::Types, &function.of, wanted, role, span));
                };
                let argument = checker.convert(argument, &own.param, role)?;
                let answer = checker.apply_once(function, argument)?;
                let mut known: FxHashMap<Local, Size> =
                    exists.iter().map(|exist| (*exist, checker.unifier.unknown_size(span))).collect();
                known.extend(name.map(|name| (name, Size::Local(local))));
                let result = checker.unifier.at_sizes(result, &known);
                checker.convert(answer, &result, role)
            })?;
            let param = pattern.expect("made in the body");
            return Ok(Expression { span, ..Expression::lambda(param, body, wanted.clone()) });
        }
        Ok(Expression { kind: ExpressionKind::Coerce(Box::new(value)), of: wanted.clone(), span })
    }
}
