//! From characters to tokens.
//!
//! Law: the work is linear in the text. What is no token is a message each, and reading goes on behind it
//! (tests/language/syntax.rs).

use super::token::{Kind, Token};
use crate::futhark::source::{Message, Span};

/// Mistakes that are reported before reading stops.
const MAX_MISTAKES: usize = 20;

/// The tokens of a text, with [`Kind::End`] behind the last.
///
/// # Errors
/// What is no token.
pub(super) fn tokens(text: &str, file: u32) -> Result<Vec<Token>, Vec<Message>> {
    if u32::try_from(text.len()).is_err() {
        let place = Span { file, start: 0, end: 0 };
        return Err(vec![Message::error("syntax", place, "the text is longer than 2^32 bytes")]);
    }
    let mut lexer = Lexer { bytes: text.as_bytes(), text, file, at: 0, tokens: Vec::new(), messages: Vec::new() };
    lexer.run();
    if lexer.messages.is_empty() { Ok(lexer.tokens) } else { Err(lexer.messages) }
}

struct Lexer<'t> {
    bytes: &'t [u8],
    text: &'t str,
    file: u32,
    at: usize,
    tokens: Vec<Token>,
    messages: Vec<Message>,
}

/// Whether operators are made of it.
fn is_operator(byte: u8) -> bool {
    b"+-*/%=!><|&^.".contains(&byte)
}

/// Whether it goes on with a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\''
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// How far a run of bytes of a kind goes, from so far ahead.
    fn run_of(&self, ahead: usize, within: impl Fn(u8) -> bool) -> usize {
        self.bytes[(self.at + ahead).min(self.bytes.len())..].iter().take_while(|&&byte| within(byte)).count()
    }

    fn run(&mut self) {
        let (mut line, mut fresh) = (0, true);
        while self.at < self.bytes.len() && self.messages.len() < MAX_MISTAKES {
            match self.byte(0) {
                b'\n' => {
                    self.at += 1;
                    (line, fresh) = (self.at, true);
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
                b'-' if self.byte(1) == b'-' => self.at += self.run_of(0, |byte| byte != b'\n'),
                _ => {
                    let start = self.at;
                    if let Some((kind, length)) = self.token() {
                        let touches = self.tokens.last().is_some_and(|token| token.end as usize == start);
                        let indent = fresh.then(|| place(start - line));
                        self.at = start + length;
                        self.tokens.push(Token { kind, start: place(start), end: place(self.at), indent, touches });
                    }
                    fresh = false;
                }
            }
        }
        let end = place(self.bytes.len());
        self.tokens.push(Token { kind: Kind::End, start: end, end, indent: Some(0), touches: false });
    }

    /// The kind and the length of the token here; or none, with a message, and reading is to go on behind the mistake.
    fn token(&mut self) -> Option<(Kind, usize)> {
        let two = |kind| Some((kind, 2));
        let one = |kind| Some((kind, 1));
        match (self.byte(0), self.byte(1), self.byte(2)) {
            (b'(', ..) => one(Kind::Open),
            (b')', ..) => one(Kind::Close),
            (b'[', ..) => one(Kind::OpenBracket),
            (b']', ..) => one(Kind::CloseBracket),
            (b'{', ..) => one(Kind::OpenBrace),
            (b'}', ..) => one(Kind::CloseBrace),
            (b',', ..) => one(Kind::Comma),
            (b'\\', ..) => one(Kind::Backslash),
            (b'`', ..) => one(Kind::Backtick),
            (b'~', ..) => one(Kind::Tilde),
            (b'#', b'[', _) => two(Kind::OpenAttribute),
            (b'#', byte, _) if byte.is_ascii_alphabetic() || byte == b'_' => {
                Some((Kind::Constructor, 1 + self.run_of(1, is_word)))
            }
            (b':', b'>', _) => two(Kind::Coerce),
            (b':', ..) => one(Kind::Colon),
            (b'?', b'?', b'?') => Some((Kind::Hole, 3)),
            (b'?', ..) => one(Kind::Question),
            (b'.', b'.', b'.') => Some((Kind::ThreeDots, 3)),
            (b'.', b'.', b'<') => Some((Kind::Upto, 3)),
            (b'.', b'.', b'>') => Some((Kind::Downto, 3)),
            (b'.', b'.', _) => two(Kind::TwoDots),
            (b'.', ..) => one(Kind::Dot),
            (b'"', ..) => self.text(),
            (b'\'', ..) => Some(self.tick()),
            (byte, ..) if byte.is_ascii_digit() => Some((Kind::Number, self.number())),
            (byte, ..) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length = self.run_of(0, is_word);
                Some((Kind::of_word(&self.text[self.at..self.at + length]), length))
            }
            (byte, ..) if is_operator(byte) => {
                let length = self.run_of(0, is_operator);
                Some(match &self.text[self.at..self.at + length] {
                    "=" => (Kind::Equals, 1),
                    "->" => (Kind::Arrow, 2),
                    _ => (Kind::Operator, length),
                })
            }
            _ => {
                let strange = self.text[self.at..].chars().next().unwrap_or(' ');
                let hint = match strange {
                    ';' => "expressions are not sequenced with `;`: use `let … = … in …`",
                    '@' => "an `@` stands only in the comments of test blocks",
                    '$' => "to apply a function to all that follows, write `<|`",
                    '#' => "a constructor is `#name`, an attribute is `#[name]`; a comment begins with `--`",
                    _ => {
                        "names are made of the letters a–z and A–Z, digits, `_` and `'`; other signs stand in comments"
                    }
                };
                let text = format!("the sign {strange:?} has no meaning here");
                self.mistake(strange.len_utf8(), text, hint)
            }
        }
    }

    /// Reports a mistake in the next `length` bytes, and goes on behind them.
    fn mistake<T>(&mut self, length: usize, text: impl Into<String>, hint: &str) -> Option<T> {
        let span = Span { file: self.file, start: place(self.at), end: place(self.at + length) };
        self.messages.push(Message::error("syntax", span, text).hint(hint));
        self.at += length;
        None
    }

    /// A text in quotes, which ends on its line.
    fn text(&mut self) -> Option<(Kind, usize)> {
        let mut length = 1;
        loop {
            match self.byte(length) {
                b'"' => return Some((Kind::Text, length + 1)),
                b'\n' | 0 => {
                    return self.mistake(length, "this text is not closed", "a text ends with `\"` on its line");
                }
                b'\\' if self.byte(length + 1) != b'\n' => length += 2,
                _ => length += 1,
            }
        }
    }

    /// A character, or the tick of a type parameter.
    fn tick(&self) -> (Kind, usize) {
        let rest = &self.text[self.at + 1..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            let inside = escaped.char_indices().skip(1).take(12).find(|&(_, c)| c == '\'' || c == '\n');
            if let Some((at, '\'')) = inside {
                return (Kind::Character, at + 3);
            }
        }
        let mut chars = rest.chars();
        if let (Some(c), Some('\'')) = (chars.next(), chars.next())
            && c != '\\'
            && c != '\n'
        {
            return (Kind::Character, c.len_utf8() + 2);
        }
        match self.byte(1) {
            b'~' => (Kind::TickTilde, 2),
            b'^' => (Kind::TickHat, 2),
            _ => (Kind::Tick, 1),
        }
    }

    /// How long the number here is: all that could be meant as part of it, for a message if it is none.
    fn number(&self) -> usize {
        let digits = |from| self.run_of(from, |byte| byte.is_ascii_digit() || byte == b'_');
        // `x.0.1` is a field of a field.
        let previous = self.tokens.last().filter(|token| token.kind == Kind::Dot && token.end as usize == self.at);
        if previous.is_some() {
            return digits(0);
        }
        let hexadecimal = self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X');
        let mut length = if hexadecimal { 2 + self.run_of(2, is_word) } else { digits(0) };
        let fraction = self.byte(length + 1);
        if self.byte(length) == b'.' && (fraction.is_ascii_digit() || hexadecimal && fraction.is_ascii_hexdigit()) {
            length += 1;
            length += if hexadecimal { self.run_of(length, is_word) } else { digits(length) };
        }
        let power = if hexadecimal { self.byte(length - 1) } else { self.byte(length) };
        let behind = if hexadecimal { length } else { length + 1 };
        if matches!(power, b'e' | b'E' | b'p' | b'P') && hexadecimal == matches!(power, b'p' | b'P') {
            let sign = usize::from(matches!(self.byte(behind), b'+' | b'-'));
            if self.byte(behind + sign).is_ascii_digit() {
                length = behind + sign + digits(behind + sign);
            }
        }
        length + self.run_of(length, is_word)
    }
}

/// A place, which is less than 2^32 by the check at the beginning.
fn place(at: usize) -> u32 {
    u32::try_from(at).expect("a text of less than 2^32 bytes")
}
