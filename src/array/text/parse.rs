//! Parsing programs: names become numbered variables, and every statement is typed as it is read.
//!
//! Law: what is read [verifies](Program::verify); what is not a program is refused with a caret under the mistake,
//! whatever the text. Nesting is bounded (tests/array/text.rs, laws: bad_input::of_array_programs).

use std::collections::HashMap;

use super::lex::{Kind, Word, is_name, unescaped, words};
use super::notation::Notation;
use crate::array::agree::Extent;
use crate::array::build::Builder;
use crate::array::operation::Op;
use crate::array::program::{Atom, Body, Lambda, Program, Var};
use crate::array::size_inference::Claim;
use crate::array::types::{Const, Prim, Type};
use crate::array::verify::{MAX_DEPTH, deeper as nested};
use crate::error::{Error, Result};

impl Program {
    /// The program that a text denotes, in the [notation](crate::array::text) that programs print in.
    ///
    /// # Errors
    /// [`Error::Syntax`] with what is wrong and where, also of a size that is said and does not follow from the operations and
    /// the sizes that they compare; [`Error::IllTyped`] if accumulators are not used linearly.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let square = Program::parse("program (x: f64) { let y = mul(x, x) return y }")?;
    /// assert_eq!(square.to_string(), "program (x: f64) {\n  let v1: f64 = mul(x, x)\n  return v1\n}\n");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Program> {
        let words = words(text)?;
        let mut parser = Parser {
            source: text,
            words,
            next: 0,
            listed: usize::MAX,
            builder: Builder::new(),
            scope: HashMap::new(),
            bound: Vec::new(),
            named: Vec::new(),
            claims: Vec::new(),
            depth: 0,
        };
        parser.program()
    }
}

pub(crate) struct Parser<'t> {
    source: &'t str,
    words: Vec<Word<'t>>,
    next: usize,
    /// Where the list ended that was read last: it could have gone on there.
    listed: usize,
    pub(super) builder: Builder,
    /// What each name means, innermost last: a variable, or a size of one.
    scope: HashMap<&'t str, Vec<Extent>>,
    /// The names bound, in order.
    bound: Vec<&'t str>,
    /// All names, also those that are not bound any more.
    pub(super) named: Vec<(&'t str, Extent)>,
    pub(super) claims: Vec<(Claim, Word<'t>)>,
    depth: usize,
}

/// A name to be bound, with its type and its sizes if they are said, and where it is.
pub(super) struct Binder<'t> {
    name: &'t str,
    of: Option<(Type, Vec<Option<Word<'t>>>)>,
    at: usize,
}

impl Binder<'_> {
    fn type_said(&self) -> Option<Type> {
        self.of.as_ref().map(|(of, _)| *of)
    }
}

impl<'t> Parser<'t> {
    pub(super) fn word(&self) -> Word<'t> {
        self.words[self.next]
    }

    /// The word after the next.
    pub(super) fn second(&self) -> &'t str {
        self.words.get(self.next + 1).map_or("", |word| word.text)
    }

    pub(super) fn advance(&mut self) -> Word<'t> {
        let word = self.word();
        // The last word is the end, which stays.
        self.next = (self.next + 1).min(self.words.len() - 1);
        word
    }

    pub(super) fn wrong(&self, at: usize, message: impl Into<String>) -> Error {
        Error::Syntax { message: message.into(), source: self.source.into(), offset: at }
    }

    pub(super) fn expected<T>(&self, what: &str) -> Result<T> {
        Err(self.wrong(self.word().at, format!("expected {what}")))
    }

    /// Takes the word, if it is next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.word().text == text && self.word().kind != Kind::Text;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn need(&mut self, text: &str) -> Result<()> {
        if self.take(text) {
            return Ok(());
        }
        let more = if self.listed == self.next { "`,` or " } else { "" };
        self.expected(&format!("{more}`{text}`"))
    }

    /// Where the parser is.
    pub(super) fn place(&self) -> usize {
        self.next
    }

    /// Goes back to where the parser was, to read in another way what binds nothing.
    pub(super) fn go_back(&mut self, place: usize) {
        self.next = place;
    }

    /// Things with commas between them, none before a word that closes something.
    pub(super) fn list_within<T>(&mut self, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let closes = self.word().kind == Kind::Sign && matches!(self.word().text, ")" | "]");
        if closes { Ok(Vec::new()) } else { self.items(one) }
    }

    /// Things with commas between them, up to a closing word.
    pub(super) fn list<T>(&mut self, close: &str, one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        if self.take(close) {
            return Ok(Vec::new());
        }
        let all = self.items(one)?;
        self.need(close)?;
        Ok(all)
    }

    fn items<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.take(",") {
            all.push(one(self)?);
        }
        self.listed = self.next;
        Ok(all)
    }

    fn program(&mut self) -> Result<Program> {
        self.need("program")?;
        self.need("(")?;
        self.list(")", Self::parameter)?;
        self.need("{")?;
        self.deeper(|parser| {
            parser.statements()?;
            parser.results()
        })
        .and_then(|results| {
            if self.word().kind != Kind::End {
                return self.expected("the end");
            }
            let program = core::mem::take(&mut self.builder).finish(results)?;
            self.check_sizes(&program)?;
            Ok(program)
        })
    }

    fn parameter(&mut self) -> Result<()> {
        let (name, at) = self.new_name()?;
        let mut called = name.to_owned();
        if self.word().kind == Kind::Text {
            let quoted = self.advance();
            called = unescaped(quoted.text)
                .ok_or_else(|| self.wrong(quoted.at, "an escape in this string has no meaning"))?;
        }
        self.need(":")?;
        let (of, sizes) = self.of_type()?;
        match self.meaning(name) {
            Some(Extent::Number(_)) => return Err(self.wrong(at, format!("there are two parameters `{name}`"))),
            Some(Extent::Of(..)) => {
                return Err(
                    self.wrong(at, format!("`{name}` is a size: as a parameter, it stands before what has the size"))
                );
            }
            None => {}
        }
        let var = self.builder.parameter(called, of);
        self.bind(&Binder { name, of: Some((of, sizes)), at }, var)
    }

    /// A name that can be bound, and where it is.
    fn new_name(&mut self) -> Result<(&'t str, usize)> {
        let Word { kind, text, at } = self.word();
        if kind != Kind::Name {
            return self.expected("a name");
        }
        if !is_name(text) {
            return Err(self.wrong(at, format!("`{text}` has a meaning of its own and cannot be a name")));
        }
        self.advance();
        Ok((text, at))
    }

    /// A type, and what is said of its sizes.
    fn of_type(&mut self) -> Result<(Type, Vec<Option<Word<'t>>>)> {
        let accumulator = self.take("acc");
        let mut sizes = Vec::new();
        while self.take("[") {
            sizes.push(self.size()?);
        }
        let Some(prim) = self.prim() else { return self.expected("a type, such as `[]f64`") };
        Ok((Type { prim, rank: sizes.len(), accumulator }, sizes))
    }

    /// The kind of scalar that is next, if one is.
    pub(super) fn prim(&mut self) -> Option<Prim> {
        let text = self.word().text;
        let prim = Prim::named(text)?;
        self.advance();
        Some(prim)
    }

    pub(super) fn binder(&mut self) -> Result<Binder<'t>> {
        let (name, at) = self.new_name()?;
        let of = if self.take(":") { Some(self.of_type()?) } else { None };
        Ok(Binder { name, of, at })
    }

    /// What a name means here, if it is bound.
    pub(super) fn meaning(&self, name: &str) -> Option<Extent> {
        self.scope.get(name)?.last().copied()
    }

    /// Gives the name a meaning, from here to the end of the innermost open body.
    pub(super) fn name(&mut self, name: &'t str, meaning: Extent) {
        self.scope.entry(name).or_default().push(meaning);
        self.bound.push(name);
        self.named.push((name, meaning));
    }

    /// Gives the name of a binder a variable, whose sizes are what they are said to be.
    fn bind(&mut self, binder: &Binder<'t>, var: Var) -> Result<()> {
        for (dimension, size) in binder.of.iter().flat_map(|(_, sizes)| sizes.iter().enumerate()) {
            size.map_or(Ok(()), |size| self.claim(var, dimension, size))?;
        }
        self.name(binder.name, Extent::Number(var.into()));
        Ok(())
    }

    /// A new variable for a binder, of the type it says or else this one.
    pub(super) fn fresh(&mut self, binder: &Binder<'t>, inferred: Option<Type>) -> Result<Var> {
        let Some(of) = binder.type_said().or(inferred) else {
            return Err(self.wrong(binder.at, format!("the type of `{}` is to be said here", binder.name)));
        };
        let var = self.builder.fresh(of);
        self.bind(binder, var)?;
        Ok(var)
    }

    /// What is read in a scope of its own; names bound there end there.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let start = self.bound.len();
        let result = inside(self)?;
        for name in self.bound.drain(start..) {
            self.scope.get_mut(name).map(Vec::pop);
        }
        Ok(result)
    }

    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong(self.word().at, format!("bodies nest at most {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let result = nested(|| self.scoped(inside))?;
        self.depth -= 1;
        Ok(result)
    }

    pub(super) fn body(&mut self) -> Result<Body> {
        self.need("{")?;
        self.deeper(|parser| {
            parser.builder.open_body();
            parser.statements()?;
            let results = parser.results()?;
            Ok(parser.builder.close_body(results))
        })
    }

    fn statements(&mut self) -> Result<()> {
        while self.take("let") {
            let mut binders = Vec::new();
            if self.take("(") {
                self.need(")")?;
            } else {
                binders = self.items(Self::binder)?;
            }
            self.need("=")?;
            let at = self.word().at;
            let op = Op::parse(self)?;
            let vars = self.builder.bind(op).map_err(|reason| self.wrong(at, reason))?;
            if vars.len() != binders.len() {
                let message = format!("{} names are bound to {} results", binders.len(), vars.len());
                return Err(self.wrong(at, message));
            }
            for (binder, var) in binders.into_iter().zip(vars) {
                let found = self.builder.type_of(var);
                if let Some(of) = binder.type_said().filter(|of| *of != found) {
                    return Err(self.wrong(binder.at, format!("`{}` is a {found}, not a {of}", binder.name)));
                }
                self.bind(&binder, var)?;
            }
        }
        Ok(())
    }

    fn results(&mut self) -> Result<Vec<Atom>> {
        if !self.take("return") {
            return self.expected("`let` or `return`");
        }
        self.list("}", Self::atom)
    }

    pub(super) fn lambda(&mut self) -> Result<Lambda> {
        self.need("|")?;
        self.scoped(|parser| {
            let binders = parser.list("|", Self::binder)?;
            let params = binders.iter().map(|b| parser.fresh(b, None)).collect::<Result<_>>()?;
            Ok(Lambda { params, body: parser.body()? })
        })
    }

    pub(super) fn atom(&mut self) -> Result<Atom> {
        let Word { kind, text, at } = self.word();
        if kind == Kind::Name && is_name(text) {
            self.advance();
            return match self.meaning(text) {
                Some(Extent::Number(atom)) => Ok(atom),
                Some(size) => {
                    Err(self.wrong(at, format!("`{text}` is a size: as a number it is `{}`", self.in_full(size))))
                }
                None => Err(self.wrong(at, format!("there is no variable `{text}` here"))),
            };
        }
        if self.take("true") || self.take("false") {
            return Ok(Atom::Const(Const::Bool(text == "true")));
        }
        let negative = self.take("-");
        let constant = if self.word().kind == Kind::Number {
            let digits = self.advance().text;
            let Some(prim) = self.prim() else {
                return Err(self.wrong(at, "a number says its kind, as in `1.5f64` or `3i64`"));
            };
            Const::parse(&format!("{}{digits}", if negative { "-" } else { "" }), prim)
        } else if let Some(prim) = self.prim() {
            self.need(".")?;
            self.special(prim, negative)?
        } else {
            return self.expected("a variable or a number");
        };
        constant.map(Atom::Const).ok_or_else(|| self.wrong(at, "this number is not one of its kind"))
    }

    /// The real that is no finite number, after its kind and a point.
    fn special(&mut self, prim: Prim, negative: bool) -> Result<Option<Const>> {
        let word = self.advance();
        let sign = if negative { -1.0 } else { 1.0 };
        Ok(match (prim.of_bits(), word.text) {
            (Some(_), "inf") => Some(Const::rounded(sign * f64::INFINITY, prim)),
            (Some(_), "nan") if !negative => Some(Const::rounded(f64::NAN, prim)),
            (Some(bits), "bits") if !negative => {
                self.need("(")?;
                let constant = Const::parse(self.advance().text, bits);
                self.need(")")?;
                constant.map(|bits| Const::from_bits(bits.bits(), prim))
            }
            _ => return Err(self.wrong(word.at, "expected `inf`, `nan` or `bits` of a kind of reals")),
        })
    }
}
