//! Types and sizes in the words of the text: with the names that the user gave.
//!
//! Law: a type that has no sizes known only from values, shown, is the text of that type (tests/language/check.rs).

use super::{FunctionType, Program, Size, Type};
use crate::futhark::source::Name;

/// A type that grows longer than this is not shown whole.
const MAX_LENGTH: usize = 2048;

/// How types are shown.
#[derive(Clone, Copy)]
pub(in crate::futhark) struct Shown<'a> {
    /// The names of variables.
    pub(in crate::futhark) locals: &'a [Name],
    /// What an unknown type is called.
    pub(in crate::futhark) unknown: &'a dyn Fn(u32) -> String,
}

impl Program {
    /// A type of the program as the user would write it.
    #[must_use]
    pub fn show(&self, of: &Type) -> String {
        Shown { locals: &self.locals, unknown: &|_| "_".into() }.of(of)
    }
}

impl Shown<'_> {
    pub(in crate::futhark) fn of(self, of: &Type) -> String {
        let mut out = String::new();
        self.write(of, &mut out, 0);
        out
    }

    pub(in crate::futhark) fn size(self, size: &Size) -> String {
        let mut out = String::new();
        self.write_size(size, &mut out, 0);
        out
    }

    fn name(self, local: super::Local) -> String {
        self.locals.get(local.0 as usize).map_or_else(|| format!("s{}", local.0), ToString::to_string)
    }

    fn write(self, of: &Type, out: &mut String, tightness: u8) {
        if out.len() > MAX_LENGTH {
            return;
        }
        let parenthesised = |yes: bool, out: &mut String, inside: &dyn Fn(&mut String)| {
            out.push_str(if yes { "(" } else { "" });
            inside(out);
            out.push_str(if yes { ")" } else { "" });
        };
        if let Some(components) = of.as_tuple() {
            return parenthesised(true, out, &|out| {
                for (at, of) in components.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    self.write(of, out, 0);
                }
            });
        }
        match of {
            Type::Prim(prim) => out.push_str(prim.name()),
            Type::Array(size, of) => {
                out.push('[');
                if !matches!(*size, Size::Unknown(_)) {
                    self.write_size(size, out, 0);
                }
                out.push(']');
                self.write(of, out, 3);
            }
            Type::Record(fields) => {
                out.push('{');
                for (at, (name, of)) in fields.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    out.push_str(name);
                    out.push_str(": ");
                    self.write(of, out, 0);
                }
                out.push('}');
            }
            Type::Sum(constructors) => parenthesised(tightness > 0, out, &|out| {
                for (at, (name, payload)) in constructors.iter().enumerate() {
                    // A type that is abstract for the checker has a name that no constructor has.
                    match name.split_once('.') {
                        Some((name, _)) => out.push_str(name),
                        None => {
                            out.push_str(if at == 0 { "#" } else { " | #" });
                            out.push_str(name);
                        }
                    }
                    for of in payload {
                        out.push(' ');
                        self.write(of, out, 3);
                    }
                }
            }),
            Type::Function(function) => parenthesised(tightness > 0, out, &|out| {
                let FunctionType { param, name, exists, result } = &**function;
                match name {
                    Some(local) => {
                        out.push_str(&format!("({}: ", self.name(*local)));
                        self.write(param, out, 0);
                        out.push(')');
                    }
                    None => self.write(param, out, 1),
                }
                out.push_str(" -> ");
                if !exists.is_empty() {
                    out.push('?');
                    exists.iter().for_each(|local| out.push_str(&format!("[{}]", self.name(*local))));
                    out.push('.');
                }
                self.write(result, out, 0);
            }),
            Type::Var(var) => out.push_str(&var.name),
            Type::Accumulator(of) => parenthesised(tightness > 2, out, &|out| {
                out.push_str("acc (");
                self.write(of, out, 0);
                out.push(')');
            }),
            Type::Unknown(unknown) => out.push_str(&(self.unknown)(*unknown)),
        }
    }

    fn write_size(self, size: &Size, out: &mut String, tightness: u8) {
        let (a, sign, b, mine) = match size {
            Size::Constant(n) => return out.push_str(&n.to_string()),
            Size::Local(local) => return out.push_str(&self.name(*local)),
            Size::Unknown(_) => return out.push('_'),
            Size::Sum(a, b) => (a, " + ", b, 1),
            Size::Difference(a, b) => (a, " - ", b, 1),
            Size::Product(a, b) => (a, " * ", b, 2),
            Size::Quotient(a, b) => (a, " / ", b, 2),
        };
        out.push_str(if tightness > mine { "(" } else { "" });
        self.write_size(a, out, mine);
        out.push_str(sign);
        self.write_size(b, out, mine + 1);
        out.push_str(if tightness > mine { ")" } else { "" });
    }
}
