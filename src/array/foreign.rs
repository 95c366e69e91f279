//! Functions of Rust in array programs: users' rules, on scalars, and callbacks, on whole arrays.
//!
//! A program holds such a function by name and as a value: no text says what it computes, so a program with one prints and does not
//! parse back.
//!
//! Law: two are equal only if they are one function (tests/array/foreign.rs).

use core::any::Any;
use core::fmt;
use std::sync::Arc;

use super::operation::Role;
use super::part::{Part, Rebuild, Walk, WalkMut};
use crate::term::ErasedRule;

/// A function of Rust: what an [`Op::Foreign`](super::Op::Foreign) applies.
#[derive(Clone)]
pub struct ForeignFunction {
    name: Arc<str>,
    pub(crate) what: ForeignKind,
}

/// What kind of function it is.
#[derive(Clone)]
pub(crate) enum ForeignKind {
    /// A function of reals of one kind, whose partial derivatives are known.
    Rule(ErasedRule),
    /// A function of values, which the interpreter knows how to call. Nothing is known of its derivative.
    Callback(Arc<dyn Any + Send + Sync>),
}

impl ForeignFunction {
    /// A user's rule.
    pub(crate) fn rule(rule: ErasedRule) -> Self {
        ForeignFunction { name: rule.name().into(), what: ForeignKind::Rule(rule) }
    }

    /// A callback, of a type that the interpreter knows.
    pub(crate) fn callback(name: &str, function: Arc<dyn Any + Send + Sync>) -> Self {
        ForeignFunction { name: name.into(), what: ForeignKind::Callback(function) }
    }

    /// What it is called in texts and messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rule that it is, if it is one.
    pub(crate) fn as_rule(&self) -> Option<&ErasedRule> {
        match &self.what {
            ForeignKind::Rule(rule) => Some(rule),
            ForeignKind::Callback(_) => None,
        }
    }
}

impl PartialEq for ForeignFunction {
    fn eq(&self, other: &Self) -> bool {
        match (&self.what, &other.what) {
            (ForeignKind::Rule(a), ForeignKind::Rule(b)) => a.identity() == b.identity(),
            (ForeignKind::Callback(a), ForeignKind::Callback(b)) => Arc::ptr_eq(a, b),
            (ForeignKind::Rule(_), ForeignKind::Callback(_)) | (ForeignKind::Callback(_), ForeignKind::Rule(_)) => {
                false
            }
        }
    }
}

impl fmt::Debug for ForeignFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Part for ForeignFunction {
    fn walk<'o>(&'o self, _: Role, _: &mut impl Walk<'o>) {}

    fn walk_mut<'o>(&'o mut self, _: &mut impl WalkMut<'o>) {}

    fn rebuild(&self, _: &mut impl Rebuild) -> Self {
        self.clone()
    }
}
