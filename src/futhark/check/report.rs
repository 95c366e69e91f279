//! Types and sizes in the words of the text.
//!
//! Law: a message shows the names that the user gave, `_` for what is not known, and never a number of ours
//! (tests/language/check.rs).

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::unify::{Clash, Required, Unifier};
use super::{Checked, Fault};
use crate::futhark::core::{Prim, Shown, Size, Type};
use crate::futhark::source::{Message, Span};

/// Messages, each once, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Messages {
    all: Vec<Message>,
    /// Which of them are about a place.
    at: FxHashMap<Span, Vec<usize>>,
}

impl Messages {
    pub(super) fn add(&mut self, message: Message) {
        let here = self.at.entry(message.span).or_default();
        if !here.iter().any(|at| self.all[*at] == message) {
            here.push(self.all.len());
            self.all.push(message);
        }
    }

    /// Whether there is one about this place.
    pub(super) fn has(&self, place: Span) -> bool {
        self.at.contains_key(&place)
    }

    pub(super) fn all(&self) -> &[Message] {
        &self.all
    }

    pub(super) fn into_all(self) -> Vec<Message> {
        self.all
    }
}

/// What a type was wanted for, in messages.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role<'a> {
    /// The argument of the function with this name.
    Argument(usize, &'a str),
    /// The operand of an operator.
    Operand(&'a str),
    /// What the type after `:` says.
    Ascription,
    /// What the type after `:>` says.
    Coercion,
    /// Something that was said before.
    Said(&'a str),
    /// The declared result.
    Result,
    /// A condition.
    Condition,
    /// An element of an array.
    Element,
    /// The branch of an `if` or `match`.
    Branch,
    /// The next value of the variables of a loop.
    Loop,
    /// The value that is put in.
    Update,
    /// An index.
    Index,
    /// The size of an array.
    Size,
    /// A pattern.
    Pattern,
    /// A field or the payload of a constructor.
    Part,
}

impl Role<'_> {
    pub(super) fn show(self) -> String {
        match self {
            Role::Argument(at, function) => format!("argument {} of `{function}`", at + 1),
            Role::Operand(operator) => format!("operand of `{operator}`"),
            Role::Ascription | Role::Coercion => "the type written for it".into(),
            Role::Said(role) => role.into(),
            Role::Result => "the declared result".into(),
            Role::Condition => "condition".into(),
            Role::Element => "element of this array".into(),
            Role::Branch => "the other branches".into(),
            Role::Loop => "the variables of the loop".into(),
            Role::Update => "what is replaced".into(),
            Role::Index => "index".into(),
            Role::Size => "size".into(),
            Role::Pattern => "the pattern".into(),
            Role::Part => "the part of the type".into(),
        }
    }
}

/// The most requirements in one message.
const REQUIREMENTS: usize = 10;

impl Unifier {
    /// A type as the user would write it.
    pub(super) fn show(&self, of: &Type) -> String {
        self.show_within(of, &Cell::new(REQUIREMENTS))
    }

    /// A type with at most `left` requirements in all, as requirements may have requirements in turn.
    fn show_within(&self, of: &Type, left: &Cell<usize>) -> String {
        let unknown = |unknown| self.show_unknown(unknown, left);
        let mut shown = Shown { locals: &self.locals, unknown: &unknown }.of(&self.resolve(of));
        const MAX_LENGTH: usize = 240;
        if shown.chars().count() > MAX_LENGTH {
            shown = shown.chars().take(MAX_LENGTH).collect::<String>() + "…";
        }
        shown
    }

    fn show_unknown(&self, unknown: u32, left: &Cell<usize>) -> String {
        let required = &self.types[unknown as usize].required;
        if let Required::Fields(_) | Required::Constructors(_) = required {
            let Some(less) = left.get().checked_sub(1) else { return "…".into() };
            left.set(less);
        }
        match required {
            Required::Nothing => "_".into(),
            Required::OneOf(prims) => match prims.default() {
                Some(prim) if prim.is_real() => "a real number",
                Some(_) if prims.members().all(Prim::is_signed) => "an integer with a sign",
                Some(prim) if prims.members().all(Prim::is_integer) || prim.is_integer() => "a number",
                Some(_) | None => "a scalar",
            }
            .into(),
            Required::Fields(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, of)| format!("{name}: {}, ", self.show_within(of, left))).collect();
                format!("{{{}…}}", fields.concat())
            }
            Required::Constructors(constructors) => {
                format!("{} | …", self.show_within(&Type::Sum(constructors.clone().into()), left))
            }
        }
    }

    fn show_size(&self, size: &Size) -> String {
        Shown { locals: &self.locals, unknown: &|_| "_".into() }.size(size)
    }

    /// What is said when two types had to be equal and are not.
    pub(super) fn mismatch(&self, clash: &Clash, found: &Type, wanted: &Type, role: Role<'_>, span: Span) -> Fault {
        let (found, wanted) = (self.show(found), self.show(wanted));
        let code = if matches!(clash, Clash::Sizes(..)) { "size" } else { "type" };
        let message = Message::error(code, span, format!("found {found}, but expected {wanted} as {}", role.show()));
        Box::new(match clash {
            Clash::Types => match conversion(&found, &wanted) {
                Some(hint) => message.hint(hint),
                None => message,
            },
            Clash::Sizes(a, b) => {
                let (a, b) = (self.resolve_size(a), self.resolve_size(b));
                let (a, b) = (self.show_size(&a), self.show_size(&b));
                let is_number = |size: &str| size.parse::<i64>().is_ok();
                let compare = match is_number(&a) && is_number(&b) {
                    true => "",
                    false => "; `e :> t` takes a value at a type with other sizes, compared when the program runs",
                };
                let differ =
                    if a == b { format!("two sizes are called {a}") } else { format!("the sizes {a} and {b} differ") };
                message.hint(differ + compare)
            }
            Clash::Infinite => message.hint("the type would contain itself"),
            Clash::Large => message.hint("the type would be too large"),
            Clash::Field(name) => message.hint(format!("there is no field `{name}`")),
            Clash::Constructor(name) => message.hint(format!("there is no such constructor `#{name}`")),
        })
    }

    /// Makes two types equal that are not those of an expression.
    pub(super) fn equate(&mut self, found: &Type, wanted: &Type, role: Role<'_>, span: Span) -> Checked<bool> {
        self.unify(found, wanted).map_err(|clash| self.mismatch(&clash, found, wanted, role, span))
    }
}

/// A number of things.
pub(super) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// How to get from one scalar to another.
fn conversion(found: &str, wanted: &str) -> Option<String> {
    let scalar = |name: &str| crate::futhark::core::Prim::ALL.iter().any(|prim| prim.name() == name);
    if scalar(found) && scalar(wanted) {
        return Some(format!("convert it: `{wanted}.{found} x`"));
    }
    if (scalar(found) || found.starts_with("a ")) && wanted.starts_with('[') {
        return Some("an array is wanted here".into());
    }
    if found.contains("->") && !wanted.contains("->") {
        return Some("is an argument missing?".into());
    }
    None
}
