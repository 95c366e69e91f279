//! From trees back to texts: `Display` of everything in the tree.
//!
//! Law: reading what was printed gives the tree that was printed, up to places, and brackets stand only where they are
//! needed; but for trees that no text means: a section of `-` with its right operand, a tuple of one
//! (laws: futhark_text::printed_is_read).

mod declarations;
mod expressions;
mod types;

use core::fmt;

use super::tree::{Expression, File, Pattern, QualifiedName, TypeExpression};
use crate::futhark::source::Name;

/// The stack that must be left for one step of recursion, and how much is added.
const RESERVE: usize = 128 * 1024;
const SEGMENT: usize = 2 * 1024 * 1024;

/// Where the text goes, and how far from the left a new line begins. What is put after a failure goes nowhere.
struct Printer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    indent: usize,
    written: fmt::Result,
}

impl Printer<'_, '_> {
    fn put(&mut self, text: &str) -> &mut Self {
        self.written = self.written.and_then(|()| self.out.write_str(text));
        self
    }

    fn show(&mut self, shown: impl fmt::Display) -> &mut Self {
        self.written = self.written.and_then(|()| write!(self.out, "{shown}"));
        self
    }

    fn line(&mut self) -> &mut Self {
        self.written = self.written.and_then(|()| write!(self.out, "\n{:1$}", "", self.indent));
        self
    }

    /// What is printed by `inside`, if there is something.
    fn given<T>(
        &mut self,
        thing: Option<&T>,
        inside: impl for<'p> FnOnce(&'p mut Self, &T) -> &'p mut Self,
    ) -> &mut Self {
        if let Some(thing) = thing {
            inside(self, thing);
        }
        self
    }

    /// What is printed by `inside`, two places further to the right after a new line.
    fn indented(&mut self, inside: impl FnOnce(&mut Self) -> &mut Self) -> &mut Self {
        self.indent += 2;
        inside(self);
        self.indent -= 2;
        self
    }

    /// What is printed by `inside`, in brackets if they are needed.
    fn bracketed(&mut self, needed: bool, inside: impl FnOnce(&mut Self) -> &mut Self) -> &mut Self {
        stacker::maybe_grow(RESERVE, SEGMENT, || {
            self.put(if needed { "(" } else { "" });
            inside(self);
            self.put(if needed { ")" } else { "" });
        });
        self
    }

    /// Each of some things.
    fn each<T>(&mut self, items: &[T], one: impl for<'p> FnMut(&'p mut Self, &T) -> &'p mut Self) -> &mut Self {
        self.separated("", items, one)
    }

    /// Things with a separator between them.
    fn separated<T>(
        &mut self,
        separator: &str,
        items: &[T],
        mut one: impl for<'p> FnMut(&'p mut Self, &T) -> &'p mut Self,
    ) -> &mut Self {
        for (at, item) in items.iter().enumerate() {
            self.put(if at > 0 { separator } else { "" });
            one(self, item);
        }
        self
    }

    fn qualified(&mut self, name: &QualifiedName) -> &mut Self {
        self.each(&name.modules, |p, module| p.put(module).put(".")).put(&name.name)
    }

    /// The parameter of an arrow, with a name or without.
    fn parameter(
        &mut self,
        name: Option<&Name>,
        inside: impl for<'p> FnOnce(&'p mut Self, u8) -> &'p mut Self,
        level: u8,
    ) -> &mut Self {
        match name {
            Some(name) => {
                self.put("(").put(name).put(": ");
                inside(self, 0);
                self.put(")")
            }
            None => inside(self, level),
        }
    }
}

macro_rules! display {
    ($($Tree:ident by |$p:ident, $tree:ident| $print:expr;)+) => {$(
        impl fmt::Display for $Tree {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let ($tree, $p) = (self, &mut Printer { out: f, indent: 0, written: Ok(()) });
                $print.written
            }
        }
    )+};
}

display! {
    File by |p, file| p.declarations(&file.declarations).put(if file.declarations.is_empty() { "" } else { "\n" });
    Expression by |p, value| p.expression(value, 0);
    Pattern by |p, pattern| p.pattern(pattern, 0);
    TypeExpression by |p, of| p.type_expression(of, 0);
    QualifiedName by |p, name| p.qualified(name);
}
