//! Words of the text form: names, numbers, strings and signs, each with its place.
//!
//! Law: the words, with the white space and comments between them, are the text (tests/array/text.rs).

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

use super::notation::{of_groups, of_operations};
use crate::array::Prim;
use crate::error::{Error, Result};

/// Words that cannot name a variable, besides the kinds and the words of notations.
const RESERVED: &str =
    "program let return acc true false for while strip_mine binomial recompute commutative powi polygamma";

/// Those words, and the words of the notations.
static WORDS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let texts = [RESERVED].into_iter().chain(of_operations()).chain(of_groups());
    texts.flat_map(|text| text.split(|c| !continues_name(c))).collect()
});

/// Whether a variable can be called this.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name) && !is_reserved(text)
}

fn is_reserved(text: &str) -> bool {
    WORDS.contains(text) || Prim::named(text).is_some()
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A string with its quotes.
    Text,
    Sign,
    End,
}

/// A word, and where it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// The words of a text, and one more that ends it.
pub(super) fn words(source: &str) -> Result<Vec<Word<'_>>> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        let rest = &source[at..];
        let skipped = rest.len() - rest.trim_start().len();
        let rest = &rest[skipped..];
        at += skipped;
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let Some(first) = rest.chars().next() else {
            words.push(Word { kind: Kind::End, text: "", at });
            return Ok(words);
        };
        let wrong = |message: &str| Error::Syntax { message: message.into(), source: source.into(), offset: at };
        let (kind, length) = if starts_name(first) {
            (Kind::Name, rest.find(|c| !continues_name(c)).unwrap_or(rest.len()))
        } else if first.is_ascii_digit() {
            (Kind::Number, number(rest.as_bytes()))
        } else if first == '"' {
            (Kind::Text, string(rest).ok_or_else(|| wrong("this string has no end"))?)
        } else if rest.starts_with("+=") {
            (Kind::Sign, 2)
        } else if "()[]{},:=|.-<".contains(first) {
            (Kind::Sign, 1)
        } else {
            return Err(wrong(&format!("no word starts with `{first}`")));
        };
        words.push(Word { kind, text: &rest[..length], at });
        at += length;
    }
}

/// The length of a number: digits, a point with digits, and an exponent.
fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

/// The length of the string that the text starts with, quotes included.
fn string(text: &str) -> Option<usize> {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map(|(at, _)| at + 1)
}

/// What a string with its quotes says; `None` if an escape in it has no meaning.
pub(super) fn unescaped(quoted: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = quoted.get(1..quoted.len() - 1)?.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                c @ ('\\' | '"' | '\'') => c,
                'u' => {
                    let code = chars.by_ref().take_while(|c| *c != '}').collect::<String>();
                    char::from_u32(u32::from_str_radix(code.strip_prefix('{')?, 16).ok()?)?
                }
                _ => return None,
            },
            c => c,
        });
    }
    Some(out)
}
