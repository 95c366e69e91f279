//! Texts, places in them, and messages that show the place.
//!
//! Law: every message about a text names the file, the line and the column, shows the line with a caret under what is
//! meant, and says what would be right (tests/language/check.rs).

use core::fmt;
use std::sync::{Arc, LazyLock};

use super::prelude;
use crate::error::excerpt;

/// A name, cheap to copy.
pub type Name = Arc<str>;

/// The name of a component of a tuple, which is its number.
pub(super) fn numbered(at: usize) -> Name {
    static SMALL: LazyLock<Vec<Name>> = LazyLock::new(|| (0..32).map(|at| at.to_string().into()).collect());
    SMALL.get(at).cloned().unwrap_or_else(|| at.to_string().into())
}

/// A place in one of the texts: bytes from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// Which text, by its number among the [`Sources`].
    pub file: u32,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// Whether the place is in the prelude, which is not the user's.
    #[must_use]
    pub fn is_prelude(self) -> bool {
        self.file >= prelude::FIRST
    }

    /// From the beginning of this place to the end of another in the same text.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A text and what it is called in messages.
#[derive(Debug, Clone)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// The texts that a program is made of; a [`Span`] names them by number.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// In the order in which they were read.
    pub files: Vec<Source>,
}

/// The most messages that are shown at once.
const MOST_SHOWN: usize = 20;

/// The codes of the messages that the command shows about programs: each has a section on the page of messages, and no other has.
/// Beside them there are codes of mistakes of ours, and of programs and arguments that are made without a text.
pub const CODES: [&str; 28] = [
    "syntax",
    "unknown-name",
    "type",
    "size",
    "lifted",
    "ambiguous",
    "literal",
    "match",
    "recursion",
    "hole",
    "entry",
    "import",
    "duplicate",
    "loop",
    "attribute",
    "module",
    "consumed",
    "uniqueness",
    "file",
    "test-block",
    "bounds",
    "division",
    "assert",
    "range",
    "limit",
    "value",
    "unused",
    "zero-derivative",
];

/// Whether a message stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// There is no program.
    Error,
    /// The program means something that is likely not meant.
    Warning,
}

/// What is to be said about a place in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Whether it stops.
    pub severity: Severity,
    /// The kind of the message, for the page that lists them: `syntax`, `unknown-name`, `type`, `size`, ….
    pub code: &'static str,
    /// The place.
    pub span: Span,
    /// What is wrong.
    pub text: String,
    /// What would be right.
    pub hint: Option<String>,
}

impl Message {
    /// An error.
    #[must_use]
    pub fn error(code: &'static str, span: Span, text: impl Into<String>) -> Self {
        Message { severity: Severity::Error, code, span, text: text.into(), hint: None }
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: &'static str, span: Span, text: impl Into<String>) -> Self {
        Message { severity: Severity::Warning, code, span, text: text.into(), hint: None }
    }

    /// With what would be right.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// In one line and without the place, for those who have no [`Sources`] at hand; [`Sources::show`] shows the place as well.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.text, self.code)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl core::error::Error for Message {}

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.files.push(Source { name: name.into(), text: text.into() });
        u32::try_from(self.files.len() - 1).expect("fewer than 2^32 files")
    }

    /// The name and the text of a file, which may be one of the prelude's.
    #[must_use]
    pub fn text(&self, file: u32) -> (&str, &str) {
        match self.files.get(file as usize) {
            Some(source) => (&source.name, &source.text),
            None => prelude::text(file).unwrap_or(("?", "")),
        }
    }

    /// Line and column of the first character of a place, both from 1, and that line.
    #[must_use]
    pub fn position(&self, span: Span) -> (usize, usize, &str) {
        let (_, text) = self.text(span.file);
        let mut start = (span.start as usize).min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        (text[..line_start].matches('\n').count() + 1, text[line_start..start].chars().count() + 1, line)
    }

    /// A message as people read it: `file:line:column: error: …`, the line, a caret, a hint.
    #[must_use]
    pub fn show<'a>(&'a self, message: &'a Message) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| {
            let (line, column, _) = self.position(message.span);
            let (name, text) = self.text(message.span.file);
            let severity = match message.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            writeln!(f, "{name}:{line}:{column}: {severity}: {} [{}]", message.text, message.code)?;
            excerpt(f, text, message.span.start as usize..message.span.end as usize)?;
            writeln!(f)?;
            match &message.hint {
                Some(hint) => writeln!(f, "  hint: {hint}"),
                None => Ok(()),
            }
        })
    }

    /// A message as people read it: at its place, or in one line if it has none.
    #[must_use]
    pub fn show_placed(&self, message: &Message) -> String {
        if message.span == Span::default() {
            let hint = message.hint.as_ref().map_or_else(String::new, |hint| format!("\n  hint: {hint}"));
            return format!("{} [{}]{hint}\n", message.text, message.code);
        }
        self.show(message).to_string()
    }

    /// Messages as people read them: errors before warnings, one under the other, each once.
    ///
    /// ```
    /// use catadiff::futhark::{elaborate::compile, source::Sources};
    /// let mut sources = Sources::default();
    /// let text = "entry half (n: i32): f64 = n / 2";
    /// sources.add("half.fut", text);
    /// let messages = compile(text, "half").unwrap_err();
    /// assert!(sources.show_all(&messages).starts_with("half.fut:1:28: error: "));
    /// ```
    #[must_use]
    pub fn show_all(&self, messages: &[Message]) -> String {
        let (errors, warnings): (Vec<_>, Vec<_>) =
            messages.iter().partition(|message| message.severity == Severity::Error);
        let mut texts: Vec<String> = Vec::new();
        for message in errors.into_iter().chain(warnings) {
            let text = self.show_placed(message);
            // A file that is imported twice says the same twice.
            if !texts.contains(&text) {
                texts.push(text);
            }
            if texts.len() > MOST_SHOWN {
                texts[MOST_SHOWN] = format!("… and more: {} messages in all\n", messages.len());
                break;
            }
        }
        texts.concat()
    }
}
