//! Texts without the declarations that have mistakes, so that the rest can be read and checked.
//!
//! Law: what is left stands where it stood (tests/language/editing.rs).

use super::scopes::{Known, Scope, Sort, is_word};
use crate::futhark::source::{Message, Name, Severity, Span};

/// Whether a line begins a declaration of the file.
fn begins(line: &str) -> bool {
    const WORDS: [&str; 8] = ["def", "entry", "let", "type", "module", "open", "import", "local"];
    line.starts_with("#[")
        || WORDS.iter().any(|word| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_word)))
}

/// Where the declarations of a text begin.
fn beginnings(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        if begins(line) {
            found.push(at);
        }
        at += line.len();
    }
    found
}

/// Where the declaration begins that a place is in.
pub(super) fn beginning(text: &str, at: usize) -> usize {
    beginnings(text).into_iter().rfind(|start| *start <= at).unwrap_or(0)
}

/// The text with space in the place of the declarations that these messages are about; nothing if there are none left.
pub(super) fn without(text: &str, messages: &[Message]) -> Option<String> {
    let starts = beginnings(text);
    let mut bytes = text.as_bytes().to_vec();
    for message in messages.iter().filter(|message| message.severity == Severity::Error && message.span.file == 0) {
        let place = message.span.start as usize;
        let mut which = starts.partition_point(|start| *start <= place);
        // What is missing at the end of a declaration is missed at the beginning of the next.
        let at_beginning = message.code == "syntax" && which > 0 && starts[which - 1] == place;
        let is_empty = |which: usize, bytes: &[u8]| {
            let (from, to) = part(&starts, which, text.len());
            bytes[from..to].trim_ascii().is_empty()
        };
        if at_beginning && which > 1 && !is_empty(which - 1, text.as_bytes()) {
            which -= 1;
        }
        let (from, to) = part(&starts, which, text.len());
        bytes[from..to].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).ok().filter(|mended| mended != text)
}

/// From where to where a declaration reaches, counted from 1; what is before the first is 0.
fn part(starts: &[usize], which: usize, length: usize) -> (usize, usize) {
    let from = which.checked_sub(1).map_or(0, |which| starts[which]);
    (from, starts.get(which).copied().unwrap_or(length))
}

impl Scope {
    /// Puts the words of a part of a text in scope, as what they may be.
    pub(super) fn words(&mut self, text: &str, from: usize, to: usize) {
        let Some(part) = text.get(from..to) else { return };
        let mut at = from;
        for piece in part.split_inclusive(|c: char| !is_word(c)) {
            let word = piece.trim_end_matches(|c: char| !is_word(c));
            // The last is what is being written.
            if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && at + word.len() < to {
                let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                let span = Span { file: 0, start: place(at), end: place(at + word.len()) };
                let known = self.find(word, |_| true).is_some() || super::KEYWORDS.contains(&word);
                if !known {
                    let name = Name::from(word);
                    self.names.push(Known { name, sort: Sort::Variable, span, members: Default::default() });
                }
            }
            at += piece.len();
        }
    }
}
