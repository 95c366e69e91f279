//! From trees back to texts: `Display` of everything in the tree.
//!
//! Law: reading what was printed gives the tree that was printed, up to places, and brackets stand only where they are
//! needed; but for trees that no text means: a section of `-` with its right operand, a tuple of one
//! (laws: futhark_text::printed_is_read).

mod declarations;
mod expressions;
mod types;

use core::fmt::{self, Write};

use super::tree::{Expression, File, Pattern, QualifiedName, TypeExpression};

/// The stack that must be left for one step of recursion, and how much is added.
const RESERVE: usize = 128 * 1024;
const SEGMENT: usize = 2 * 1024 * 1024;

/// Where the text goes, and how far from the left a new line begins.
struct Printer<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    indent: usize,
}

impl Printer<'_, '_> {
    fn put(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }

    fn line(&mut self) -> fmt::Result {
        write!(self.out, "\n{:1$}", "", self.indent)
    }

    /// What is printed by `inside`, two places further to the right after a new line.
    fn indented(&mut self, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        self.indent += 2;
        let printed = inside(self);
        self.indent -= 2;
        printed
    }

    /// What is printed by `inside`, in brackets if they are needed.
    fn bracketed(&mut self, needed: bool, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        stacker::maybe_grow(RESERVE, SEGMENT, || {
            if !needed {
                return inside(self);
            }
            self.put("(")?;
            inside(self)?;
            self.put(")")
        })
    }

    /// Things with a separator between them.
    fn separated<T>(
        &mut self,
        separator: &str,
        items: &[T],
        mut one: impl FnMut(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.put(separator)?;
            }
            one(self, item)?;
        }
        Ok(())
    }

    fn qualified(&mut self, name: &QualifiedName) -> fmt::Result {
        name.modules.iter().try_for_each(|module| write!(self.out, "{module}."))?;
        self.put(&name.name)
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, indent: 0 }.declarations(&self.declarations)?;
        if self.declarations.is_empty() { Ok(()) } else { f.write_char('\n') }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, indent: 0 }.expression(self, 0)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, indent: 0 }.pattern(self, 0)
    }
}

impl fmt::Display for TypeExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, indent: 0 }.type_expression(self, 0)
    }
}

impl fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, indent: 0 }.qualified(self)
    }
}
