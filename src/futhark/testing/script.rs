//! Inputs that are scripts: values, tuples of them, and entry points of the program applied to them.
//!
//! Law: a script means the values that the interpreter has for it; a tuple is its components, wherever it stands
//! (tests/language/values.rs).
//!
//! ```text
//! -- script input { points 10i64 }
//! -- script input { (weights 3i64 1.0, $loaddata "data/some.in") }
//! ```

use crate::futhark::core::Program;
use crate::futhark::interpreter;
use crate::futhark::meaning::Outcome;
use crate::futhark::source::{Message, Span};
use crate::futhark::values::{Array, Reader};
use crate::interpret::Limits;

/// Scripts do not nest deeper than this.
const MAX_DEPTH: usize = 200;

/// Reads the values in a file, by its path as the script says it.
pub type Load<'l> = dyn Fn(&str) -> Outcome<Vec<Array>> + 'l;

/// The values that a script stands for.
///
/// ```
/// use catadiff::futhark::check::{NoImports, check};
/// use catadiff::futhark::testing::script::values;
/// use catadiff::futhark::{syntax::parse, values::Array};
/// let (program, _) = check(&parse("entry half (x: f64) = x / 2", 0).unwrap(), &mut NoImports).unwrap();
/// let no_files = |_: &str| unreachable!("the script names no file");
/// let found = values("(half (half 6.0), [1i32])", &program, Default::default(), &no_files)?;
/// assert_eq!(found, [Array::scalar(vec![1.5]), Array::vector(vec![1_i32])]);
/// # Ok::<(), catadiff::futhark::source::Message>(())
/// ```
///
/// # Errors
/// If it is no script, and whatever its functions meet.
pub fn values(script: &str, program: &Program, limits: Limits, load: &Load<'_>) -> Outcome<Vec<Array>> {
    let mut parser = Parser { reader: Reader::new(script.as_bytes(), 0, 0), program, limits, load };
    let found = parser.expression(0)?;
    if parser.reader.at_end() { Ok(found) } else { Err(parser.mistake()) }
}

struct Parser<'s> {
    reader: Reader<'s>,
    program: &'s Program,
    limits: Limits,
    load: &'s Load<'s>,
}

impl<'s> Parser<'s> {
    fn mistake(&mut self) -> Message {
        let rest = self.reader.run_of(|_| true);
        let found = if rest.is_empty() { "its end".into() } else { format!("`{rest}`") };
        let text = format!("this is no script from {found} on");
        Message::error("test-block", Span::default(), text)
            .hint("a script is values, tuples, `$loaddata \"file\"`, and entry points applied to them: `points 10i64`")
    }

    /// An application, or what can be an argument of one.
    fn expression(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        let Some(name) = self.name() else { return self.atom(depth) };
        if name == "$loaddata" {
            self.reader.skip_space();
            let path = self.reader.eat(b'"').then(|| self.reader.run_of(|byte| byte != b'"'));
            return match path.filter(|_| self.reader.eat(b'"')) {
                Some(path) => (self.load)(path),
                None => Err(self.mistake()),
            };
        }
        let mut arguments = Vec::new();
        while !self.reader.at_end() && !matches!(self.reader.peek(), Some(b')' | b',')) {
            arguments.append(&mut self.atom(depth)?);
        }
        interpreter::run(self.program, name, &arguments, self.limits)
    }

    /// A name, unless it begins a value such as `true` or `f32.nan`.
    fn name(&mut self) -> Option<&'s str> {
        self.reader.skip_space();
        let begins = self.reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$".contains(&byte));
        if !begins || self.reader.clone().value().is_ok() {
            return None;
        }
        Some(self.reader.run_of(|byte| byte.is_ascii_alphanumeric() || b"_'$".contains(&byte)))
    }

    /// A value, a name alone, or what stands in parentheses.
    fn atom(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        if depth > MAX_DEPTH {
            return Err(Message::error("test-block", Span::default(), "the script is nested too deeply"));
        }
        if let Some(name) = self.name() {
            return interpreter::run(self.program, name, &[], self.limits);
        }
        if !self.reader.eat(b'(') {
            let mut ahead = self.reader.clone();
            let Ok(value) = ahead.value() else { return Err(self.mistake()) };
            self.reader = ahead;
            return Ok(vec![value]);
        }
        let mut found = Vec::new();
        while !self.reader.eat(b')') {
            found.append(&mut self.expression(depth + 1)?);
            if !self.reader.eat(b',') && !matches!(self.reader.peek(), Some(b')')) {
                return Err(self.mistake());
            }
        }
        Ok(found)
    }
}
