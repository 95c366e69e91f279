//! Infix text as terms: the notation of the command line, and the inverse of printing.
//!
//! Law: `parse(arena, &term.to_string())` is `term`; text that is not a formula is refused with a caret under the
//! mistake, whatever the text, and nesting is bounded (laws: fold::text_round_trips, laws: bad_input::of_formulas).
//!
//! ```text
//! formula = { name "=" sum ";" } sum
//! sum     = product { ("+" | "-") product }
//! product = factor { ("*" | "/") factor }
//! factor  = "-" factor | power
//! power   = atom [ "^" factor ]                 an integer after "^" makes an integer power
//! atom    = number | name | name "(" sum { "," sum } ")" | "(" sum ")"
//! ```

use std::collections::HashMap;

use super::{Arena, Term};
use crate::error::{Error, Result};
use crate::primitives::{Elementary, Primitive};

/// How deep formulas may nest.
const MAX_DEPTH: usize = 200;

/// The term that a formula in infix notation denotes. Names are variables, but for `pi`, `inf`, `NaN` and names bound earlier
/// in the text (`t = x * y; t + sin(t)`); functions are the rows of the table.
///
/// # Errors
/// [`Error::Syntax`], with what was expected and where.
///
/// ```
/// use catadiff::term::{Arena, parse};
/// let arena = Arena::<String>::new();
/// let term = parse(&arena, "ln(x1) + x1*x2 - sin(x2)")?;
/// assert_eq!(term.to_string(), "ln(x1) + x1 * x2 - sin(x2)");
/// let error = parse(&arena, "ln(x1").unwrap_err();
/// assert_eq!(error.to_string(), "expected `,` or `)`\n  ln(x1\n       ^");
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn parse<'a>(arena: &'a Arena<String>, text: &str) -> Result<Term<'a, String>> {
    let mut parser = Parser { arena, text, at: 0, depth: 0, bound: HashMap::new() };
    let term = parser.formula()?;
    if parser.peek().is_some() {
        return Err(parser.expected("an operator or the end of the formula"));
    }
    Ok(term)
}

/// The value of a name that is a constant.
fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(core::f64::consts::PI),
        "inf" => Some(f64::INFINITY),
        "NaN" => Some(f64::NAN),
        _ => None,
    }
}

struct Parser<'a, 't> {
    arena: &'a Arena<String>,
    text: &'t str,
    at: usize,
    depth: usize,
    bound: HashMap<&'t str, Term<'a, String>>,
}

impl<'a, 't> Parser<'a, 't> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn error_at(&self, at: usize, message: String) -> Error {
        Error::Syntax { message, source: self.text.to_owned(), offset: at }
    }

    fn expected(&mut self, what: &str) -> Error {
        self.peek();
        self.error_at(self.at, format!("expected {what}"))
    }

    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(
                self.error_at(self.at, format!("formulas nest at most {MAX_DEPTH} deep: bind parts with `name = …;`"))
            );
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn formula(&mut self) -> Result<Term<'a, String>> {
        loop {
            let start = self.at;
            let Some(name) = self.name() else { break };
            if !self.take('=') {
                self.at = start;
                break;
            }
            if constant(name).is_some() || self.bound.contains_key(name) {
                return Err(self.error_at(start, format!("`{name}` already has a value")));
            }
            let term = self.sum()?;
            if !self.take(';') {
                return Err(self.expected("`;` after a binding"));
            }
            self.bound.insert(name, term);
        }
        self.sum()
    }

    fn sum(&mut self) -> Result<Term<'a, String>> {
        self.nested(|parser| {
            let mut sum = parser.product()?;
            loop {
                if parser.take('+') {
                    sum += parser.product()?;
                } else if parser.take('-') {
                    sum -= parser.product()?;
                } else {
                    return Ok(sum);
                }
            }
        })
    }

    fn product(&mut self) -> Result<Term<'a, String>> {
        let mut product = self.factor()?;
        loop {
            if self.take('*') {
                if self.rest().starts_with('*') {
                    return Err(self.error_at(self.at - 1, "a power is written `^`".into()));
                }
                product *= self.factor()?;
            } else if self.take('/') {
                product /= self.factor()?;
            } else {
                return Ok(product);
            }
        }
    }

    fn factor(&mut self) -> Result<Term<'a, String>> {
        self.nested(|parser| {
            if parser.take('-') {
                return match parser.number() {
                    // A literal takes its sign at once; a power binds tighter than the sign.
                    Some(number) if parser.peek() != Some('^') => Ok(Term::constant(-number)),
                    Some(number) => parser.power(Term::constant(number)).map(|power| -power),
                    None => parser.factor().map(|factor| -factor),
                };
            }
            let atom = parser.atom()?;
            parser.power(atom)
        })
    }

    /// What may follow an atom.
    fn power(&mut self, base: Term<'a, String>) -> Result<Term<'a, String>> {
        if !self.take('^') {
            return Ok(base);
        }
        let start = self.at;
        let negative = self.take('-');
        if let Some(exponent) = self.integer().filter(|_| self.peek() != Some('^')) {
            let exponent = if negative { -exponent } else { exponent };
            return i32::try_from(exponent)
                .map(|n| base.powi(n))
                .map_err(|_| self.error_at(start, "an integer power fits in 32 bits".into()));
        }
        self.at = start;
        Ok(base.powf(self.factor()?))
    }

    fn atom(&mut self) -> Result<Term<'a, String>> {
        if self.take('(') {
            let term = self.sum()?;
            return if self.take(')') { Ok(term) } else { Err(self.expected("`)`")) };
        }
        if let Some(number) = self.number() {
            return Ok(Term::constant(number));
        }
        self.peek();
        let start = self.at;
        match self.name() {
            Some(name) if self.take('(') => self.call(name, start),
            Some(name) => Ok(match self.bound.get(name) {
                Some(term) => *term,
                None => constant(name).map_or_else(|| self.arena.variable(name.to_owned()), Term::constant),
            }),
            None => Err(self.expected("a number, a name or `(`")),
        }
    }

    /// The call of a row of the table; its parameter, if it has one, comes first.
    fn call(&mut self, name: &str, start: usize) -> Result<Term<'a, String>> {
        let Some(known) = Primitive::ALL.iter().find(|row| row.name() == name) else {
            if name == "log" {
                return Err(self.error_at(start, "there is no function `log`: there are ln, log2 and log10".into()));
            }
            let names: Vec<_> = Primitive::ALL.iter().map(|row| row.name()).collect();
            return Err(self.error_at(start, format!("there is no function `{name}`: there are {}", names.join(", "))));
        };
        let parameter = known.parameter().map(|_| self.parameter()).transpose()?;
        let mut arguments = vec![self.sum()?];
        while self.take(',') {
            arguments.push(self.sum()?);
        }
        if !self.take(')') {
            return Err(self.expected("`,` or `)`"));
        }
        let Some(row) = Primitive::named(name, parameter) else {
            return Err(self.error_at(start, format!("the parameter of `{name}` is out of its range")));
        };
        if arguments.len() != row.arity() {
            let (wanted, found) = (row.arity(), arguments.len());
            return Err(self.error_at(start, format!("`{name}` takes {wanted} arguments, not {found}")));
        }
        Ok(row.apply(&arguments))
    }

    /// The integer parameter of a row, and the comma behind it.
    fn parameter(&mut self) -> Result<i64> {
        let negative = self.take('-');
        let Some(n) = self.integer() else {
            return Err(self.expected("an integer, the parameter of the function"));
        };
        if self.take(',') { Ok(if negative { -n } else { n }) } else { Err(self.expected("`,` after the parameter")) }
    }

    fn name(&mut self) -> Option<&'t str> {
        self.peek().filter(|c| c.is_alphabetic() || *c == '_')?;
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).unwrap_or(rest.len());
        self.at += end;
        Some(&rest[..end])
    }

    /// An integer that is not the start of another number.
    fn integer(&mut self) -> Option<i64> {
        self.peek();
        let start = self.at;
        let end = self.number_end();
        let integer = self.rest()[..end].parse().ok();
        self.at = if integer.is_some() { start + end } else { start };
        integer
    }

    fn number(&mut self) -> Option<f64> {
        self.peek();
        let end = self.number_end();
        // Past the largest number lies infinity, which no formula means.
        let number = self.rest()[..end].parse().ok().filter(|n: &f64| n.is_finite())?;
        self.at += end;
        Some(number)
    }

    /// How many of the next bytes are digits, a point, and an exponent.
    fn number_end(&self) -> usize {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
        if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(bytes.len()));
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        end
    }
}
