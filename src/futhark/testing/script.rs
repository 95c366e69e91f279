//! Inputs that are scripts: values, tuples of them, and entry points of the program applied to them.
//!
//! Law: a script means the values that the interpreter has for it; a tuple is its components, wherever it stands
//! (tests/language/values.rs).
//!
//! ```text
//! -- script input { points 10i64 }
//! -- script input { (weights 3i64 1.0, $loaddata "data/some.in") }
//! -- script input { let (xs, n) = pair 2.0 in {scale = n, values = xs} }
//! -- script input @ some.script
//! ```

use std::collections::BTreeMap;

use crate::futhark::meaning::Outcome;
use crate::futhark::source::{Message, Span};
use crate::futhark::values::{Array, Reader};

/// Scripts do not nest deeper than this.
const MAX_DEPTH: usize = 200;

/// Reads the values in a file, by its path as the script says it.
pub type Load<'l> = dyn Fn(&str) -> Outcome<Vec<Array>> + 'l;

/// The results of an entry point, by its name, for these arguments.
pub type Call<'l> = dyn Fn(&str, &[Array]) -> Outcome<Vec<Array>> + 'l;

/// The values that a script stands for. A record is its fields, in the order of their names.
///
/// ```
/// use catadiff::futhark::check::{NoImports, check};
/// use catadiff::futhark::interpreter;
/// use catadiff::futhark::testing::script::values;
/// use catadiff::futhark::{syntax::parse, values::Array};
/// let (program, _) = check(&parse("entry half (x: f64) = x / 2", 0).unwrap(), &mut NoImports).unwrap();
/// let no_files = |_: &str| unreachable!("the script names no file");
/// let call = |name: &str, arguments: &[Array]| interpreter::run(&program, name, arguments, Default::default());
/// let found = values("let x = half 6.0 in (half x, [1i32])", &call, &no_files)?;
/// assert_eq!(found, [Array::scalar(vec![1.5]), Array::vector(vec![1_i32])]);
/// # Ok::<(), catadiff::futhark::source::Message>(())
/// ```
///
/// # Errors
/// If it is no script, and whatever its functions meet.
pub fn values(script: &str, call: &Call<'_>, load: &Load<'_>) -> Outcome<Vec<Array>> {
    let mut parser = Parser { reader: Reader::new(script.as_bytes(), 0, 0), known: BTreeMap::new(), call, load };
    let found = parser.expression(0)?;
    if parser.reader.at_end() { Ok(found) } else { Err(parser.mistake()) }
}

struct Parser<'s> {
    reader: Reader<'s>,
    /// What `let` has bound.
    known: BTreeMap<&'s str, Vec<Array>>,
    call: &'s Call<'s>,
    load: &'s Load<'s>,
}

impl<'s> Parser<'s> {
    fn mistake(&mut self) -> Message {
        let rest = self.reader.run_of(|_| true);
        let found = if rest.is_empty() { "its end".into() } else { format!("`{rest}`") };
        fault(format!("this is no script from {found} on")).hint(
            "a script is values, tuples, records, `let … in …`, `$loaddata \"file\"`, and entry points applied to them: \
             `points 10i64`",
        )
    }

    /// An application, a `let`, or what can be an argument of one.
    fn expression(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        let Some(name) = self.name() else { return self.atom(depth) };
        if name == "let" {
            return self.binding(depth);
        }
        if name == "$loaddata" {
            self.reader.skip_space();
            let path = self.reader.eat(b'"').then(|| self.reader.run_of(|byte| byte != b'"'));
            return match path.filter(|_| self.reader.eat(b'"')) {
                Some(path) => (self.load)(path),
                None => Err(self.mistake()),
            };
        }
        let mut arguments = Vec::new();
        while self.begins_atom() {
            arguments.append(&mut self.atom(depth)?);
        }
        self.applied(name, &arguments)
    }

    /// Whether an argument follows.
    fn begins_atom(&mut self) -> bool {
        if self.reader.at_end() || matches!(self.reader.peek(), Some(b')' | b',' | b'}')) {
            return false;
        }
        self.reader.clone().run_of(is_word) != "in"
    }

    /// What a name stands for, applied to these if there are any.
    fn applied(&self, name: &str, arguments: &[Array]) -> Outcome<Vec<Array>> {
        match self.known.get(name) {
            Some(values) if arguments.is_empty() => Ok(values.clone()),
            Some(_) => Err(fault(format!("`{name}` is a value, and no function"))),
            None => (self.call)(name, arguments),
        }
    }

    /// `x = e in e` or `(x, y) = e in e`, behind the `let`.
    fn binding(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        if depth > MAX_DEPTH {
            return Err(fault("the script is nested too deeply"));
        }
        let mut names = Vec::new();
        if self.reader.eat(b'(') {
            while !self.reader.eat(b')') {
                let Some(name) = self.name() else { return Err(self.mistake()) };
                names.push(name);
                self.reader.eat(b',');
            }
        } else {
            let Some(name) = self.name() else { return Err(self.mistake()) };
            names.push(name);
        }
        if !self.reader.eat(b'=') {
            return Err(self.mistake());
        }
        let mut values = self.expression(depth + 1)?;
        if self.name() != Some("in") {
            return Err(self.mistake());
        }
        if let [name] = names[..] {
            self.known.insert(name, values);
        } else if names.len() == values.len() {
            self.known.extend(names.into_iter().zip(values.drain(..).map(|value| vec![value])));
        } else {
            let text = format!("{} names are bound to {} values", names.len(), values.len());
            return Err(fault(text).hint("a name in a tuple stands for one scalar or array"));
        }
        self.expression(depth + 1)
    }

    /// A name, unless it begins a value such as `true` or `f32.nan`.
    fn name(&mut self) -> Option<&'s str> {
        self.reader.skip_space();
        let begins = self.reader.peek().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_$".contains(&byte));
        if !begins || self.reader.clone().value().is_ok() {
            return None;
        }
        Some(self.reader.run_of(is_word))
    }

    /// A value, a name alone, or what stands in parentheses or braces.
    fn atom(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        if depth > MAX_DEPTH {
            return Err(fault("the script is nested too deeply"));
        }
        if let Some(name) = self.name() {
            return self.applied(name, &[]);
        }
        if self.reader.eat(b'{') {
            return self.record(depth);
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

    /// `x = e, y}`, behind the brace.
    fn record(&mut self, depth: usize) -> Outcome<Vec<Array>> {
        let mut fields = BTreeMap::new();
        while !self.reader.eat(b'}') {
            let Some(name) = self.name() else { return Err(self.mistake()) };
            let value = if self.reader.eat(b'=') { self.expression(depth + 1)? } else { self.applied(name, &[])? };
            fields.insert(name, value);
            if !self.reader.eat(b',') && !matches!(self.reader.peek(), Some(b'}')) {
                return Err(self.mistake());
            }
        }
        Ok(fields.into_values().flatten().collect())
    }
}

fn fault(text: impl Into<String>) -> Message {
    Message::error("test-block", Span::default(), text)
}

/// What names are made of.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_'$".contains(&byte)
}
