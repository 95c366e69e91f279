//! The position among the tokens, and what every rule of the grammar is written with.
//!
//! Law: a rule that fails has taken no token that it did not understand, and says what it expected instead; the depth
//! of recursion and the height of the tree made are at most [`DEPTH`], but for chains, which have at most [`LENGTH`]
//! links (tests/language/chains.rs, tests/language/fuzz.rs).

use rustc_hash::FxHashMap;

use super::number::number;
use super::token::{Kind, Token};
use super::tree::{Literal, QualifiedName};
use super::{DEPTH, LENGTH};
use crate::futhark::source::{Message, Name, Span};

/// What a rule found, or what is wrong.
pub(super) type Parse<T> = Result<T, Box<Message>>;

/// Mistakes that are reported before reading stops.
const MAX_MISTAKES: usize = 20;
/// The stack that must be left for one step of recursion, and how much is added.
const RESERVE: usize = 256 * 1024;
const SEGMENT: usize = 4 * 1024 * 1024;

/// A position among the tokens.
pub(super) struct Parser<'t> {
    text: &'t str,
    file: u32,
    tokens: &'t [Token],
    at: usize,
    /// The end of the last token taken.
    end: u32,
    names: FxHashMap<&'t str, Name>,
    messages: Vec<Message>,
    depth: u32,
    /// The height of what was made since the innermost [`nested`](Parser::nested) began.
    height: u32,
}

impl<'t> Parser<'t> {
    /// `tokens` end with [`Kind::End`].
    pub(super) fn new(text: &'t str, file: u32, tokens: &'t [Token]) -> Self {
        Parser {
            text,
            file,
            tokens,
            at: 0,
            end: 0,
            names: FxHashMap::default(),
            messages: Vec::new(),
            depth: 0,
            height: 0,
        }
    }

    /// The token so far ahead.
    pub(super) fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> Kind {
        self.token(0).kind
    }

    pub(super) fn kind_at(&self, ahead: usize) -> Kind {
        self.token(ahead).kind
    }

    /// Whether the token so far ahead is of this kind and touches the one before it.
    pub(super) fn touches(&self, ahead: usize, kind: Kind) -> bool {
        let token = self.token(ahead);
        token.kind == kind && token.touches
    }

    /// The text of the token so far ahead.
    pub(super) fn text_at(&self, ahead: usize) -> &'t str {
        let token = self.token(ahead);
        &self.text[token.start as usize..token.end as usize]
    }

    /// Whether the token so far ahead is this operator.
    pub(super) fn is_operator(&self, ahead: usize, text: &str) -> bool {
        self.kind_at(ahead) == Kind::Operator && self.text_at(ahead) == text
    }

    /// The place of the next token.
    pub(super) fn here(&self) -> Span {
        self.token(0).span(self.file)
    }

    /// From a place to the end of what was taken last.
    pub(super) fn since(&self, start: Span) -> Span {
        Span { end: self.end.max(start.start), ..start }
    }

    pub(super) fn advance(&mut self) {
        self.end = self.token(0).end;
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the next token, which must be of this kind, for this purpose.
    pub(super) fn expect(&mut self, kind: Kind, purpose: &str) -> Parse<Span> {
        let span = self.here();
        if self.eat(kind) { Ok(span) } else { self.fail(&format!("{} {purpose}", kind.describe())) }
    }

    /// Takes the bracket that closes the one at `open`.
    pub(super) fn close(&mut self, open: Span, kind: Kind) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        let found = self.found();
        let opener = &self.text[open.start as usize..open.end as usize];
        let text = format!("this `{opener}` is not closed: expected {}, found {found}", kind.describe());
        // The message stands where reading stopped if that is on the same line, as the bracket is then seen as well.
        let between = &self.text[open.end as usize..self.here().start as usize];
        if between.contains('\n') {
            Err(Box::new(Message::error("syntax", open, text)))
        } else {
            self.fail(&format!("{} for the `{opener}` before", kind.describe()))
        }
    }

    /// What the next token is called in messages.
    pub(super) fn found(&self) -> String {
        match self.kind() {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text_at(0)),
        }
    }

    /// The mistake that something else stands here than what is expected.
    pub(super) fn fail<T>(&self, expected: &str) -> Parse<T> {
        Err(Box::new(self.mistake(expected)))
    }

    /// As [`fail`](Parser::fail), with a hint.
    pub(super) fn fail_with<T>(&self, expected: &str, hint: &str) -> Parse<T> {
        Err(Box::new(self.mistake(expected).hint(hint)))
    }

    fn mistake(&self, expected: &str) -> Message {
        let text = format!("expected {expected}, found {}", self.found());
        let message = Message::error("syntax", self.here(), text);
        match (self.kind(), self.text_at(0)) {
            (Kind::Operator, "=>") => message.hint("a function is `\\x -> …`"),
            (Kind::Operator, "<-") => message.hint("to replace an element, write `a with [i] = v`, or `let a[i] = v`"),
            (Kind::Operator, run) if run.len() > 1 && run.ends_with(['-', '!', '*']) => {
                message.hint(format!("`{run}` is one operator; put a space before its last sign if it is two"))
            }
            (Kind::Equals, _) => message.hint("equality is `==`"),
            _ => message,
        }
    }

    /// The name that the next token is.
    pub(super) fn name(&mut self, purpose: &str) -> Parse<(Name, Span)> {
        let span = self.here();
        match self.kind() {
            Kind::Name => {
                let name = self.intern(self.text_at(0));
                self.advance();
                Ok((name, span))
            }
            word if word.is_keyword() => {
                let hint = format!("`{}` is a word of the language and cannot be a name", self.text_at(0));
                self.fail_with(&format!("a name {purpose}"), &hint)
            }
            _ => self.fail(&format!("a name {purpose}")),
        }
    }

    /// One name for all of its occurrences.
    pub(super) fn intern(&mut self, text: &'t str) -> Name {
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    /// How many tokens the name of an operator has that stands so far ahead, modules included; a name between backticks is
    /// one. None if none stands there.
    pub(super) fn operator_length(&self, ahead: usize) -> Option<usize> {
        match self.kind_at(ahead) {
            Kind::Operator => Some(1),
            Kind::Backtick => {
                let mut length = 2;
                while self.kind_at(ahead + length) == Kind::Dot && self.kind_at(ahead + length + 1) == Kind::Name {
                    length += 2;
                }
                let whole = self.kind_at(ahead + 1) == Kind::Name && self.kind_at(ahead + length) == Kind::Backtick;
                whole.then_some(length + 1)
            }
            Kind::Name => {
                let mut length = 1;
                while self.touches(ahead + length, Kind::Dot) {
                    if self.touches(ahead + length + 1, Kind::Operator) {
                        return Some(length + 2);
                    }
                    if !self.touches(ahead + length + 1, Kind::Name) {
                        return None;
                    }
                    length += 2;
                }
                None
            }
            _ => None,
        }
    }

    /// Takes the name of an operator of `length` tokens.
    pub(super) fn operator(&mut self, length: usize) -> QualifiedName {
        let start = self.here();
        let mut words = Vec::new();
        for _ in 0..length {
            if matches!(self.kind(), Kind::Name | Kind::Operator) {
                words.push(self.intern(self.text_at(0)));
            }
            self.advance();
        }
        let name = words.pop().expect("an operator has a name");
        QualifiedName { modules: words, name, span: self.since(start) }
    }

    /// A name behind the names of modules, joined by points without spaces.
    pub(super) fn qualified(&mut self, purpose: &str) -> Parse<QualifiedName> {
        let (mut name, start) = self.name(purpose)?;
        let mut modules = Vec::new();
        while self.touches(0, Kind::Dot) && self.touches(1, Kind::Name) {
            self.advance();
            modules.push(std::mem::replace(&mut name, self.intern(self.text_at(0))));
            self.advance();
        }
        Ok(QualifiedName { modules, name, span: self.since(start) })
    }

    /// The number that the next token is.
    pub(super) fn number(&mut self) -> Parse<Literal> {
        let text = self.text_at(0);
        match number(text) {
            Ok(literal) => {
                self.advance();
                Ok(literal)
            }
            Err(wrong) => Err(Box::new(Message::error("syntax", self.here(), wrong).hint(
                "numbers are `12`, `0xff`, `0b101`, `1.5e-3`, with a suffix such as `i64`, `u8`, `f32` if wanted",
            ))),
        }
    }

    /// Things until a closing bracket, with commas between them; one may stand behind the last.
    pub(super) fn list<T>(
        &mut self,
        open: Span,
        close: Kind,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        while self.kind() != close {
            items.push(item(self)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.close(open, close)?;
        // A tree is kept while it is checked: it should hold no more than what is in it.
        items.shrink_to_fit();
        Ok(items)
    }

    /// A step of recursion, which may be refused, and has stack enough.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let before = std::mem::take(&mut self.height);
        let found = stacker::maybe_grow(RESERVE, SEGMENT, || rule(self));
        self.depth -= 1;
        let found = found.and_then(|found| self.taller().map(|()| found));
        self.height = self.height.max(before);
        found
    }

    /// What stands within functions of this many parameters, each of which is a level.
    pub(super) fn within<T>(&mut self, params: usize, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let levels = u32::try_from(params).unwrap_or(DEPTH);
        if self.depth.saturating_add(levels) > DEPTH {
            return self.too_deep();
        }
        self.depth += levels;
        let found = rule(self);
        self.depth -= levels;
        let found = found?;
        (0..levels).try_for_each(|_| self.taller())?;
        Ok(found)
    }

    /// Says that a node was put on top of all that was made since the innermost [`nested`](Parser::nested) began.
    pub(super) fn taller(&mut self) -> Parse<()> {
        if self.height >= DEPTH {
            return self.too_deep();
        }
        self.height += 1;
        Ok(())
    }

    /// Adds a link to a chain of `links` links, or refuses it.
    pub(super) fn longer(&self, links: usize) -> Parse<()> {
        if links < LENGTH {
            return Ok(());
        }
        let message = Message::error("syntax", self.here(), format!("this chain has more than {LENGTH} links"));
        Err(Box::new(message.hint("sum an array, or give a name to a part of it in a definition of its own")))
    }

    fn too_deep<T>(&self) -> Parse<T> {
        let text = format!("this is nested more than {DEPTH} levels deep");
        let message = Message::error("syntax", self.here(), text);
        Err(Box::new(message.hint("give a name to a part of it in a definition of its own")))
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Parse<()> {
        if self.kind() == Kind::End { Ok(()) } else { self.fail("the end of the text") }
    }

    /// Keeps a mistake; false if there are too many to go on.
    pub(super) fn report(&mut self, message: Message) -> bool {
        self.messages.push(message);
        self.messages.len() < MAX_MISTAKES
    }

    /// The result of reading, if there was no mistake.
    pub(super) fn finish<T>(mut self, found: Parse<T>) -> Result<T, Vec<Message>> {
        match found {
            Ok(found) if self.messages.is_empty() => return Ok(found),
            Ok(_) => {}
            Err(message) => self.messages.push(*message),
        }
        Err(self.messages)
    }
}
