//! Answers for machines: one JSON object a line.
//!
//! Law: what is written is JSON, whatever the texts are; a number that JSON has not is `null`.

use std::fmt::Write as _;

/// An object under construction.
#[derive(Debug)]
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Object("{".into())
    }

    fn key(&mut self, key: &str) {
        let _ = write!(self.0, "{}{}:", if self.0.len() > 1 { "," } else { "" }, quoted(key));
    }

    /// With a text.
    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.0.push_str(&quoted(value));
        self
    }

    /// With a number of things.
    pub(crate) fn number(mut self, key: &str, value: usize) -> Self {
        self.key(key);
        let _ = write!(self.0, "{value}");
        self
    }

    /// With a real number, or none.
    pub(crate) fn real(mut self, key: &str, value: Option<f64>) -> Self {
        self.key(key);
        let _ = match value.filter(|value| value.is_finite()) {
            Some(value) => write!(self.0, "{value:e}"),
            None => write!(self.0, "null"),
        };
        self
    }

    /// Closed, as a line.
    pub(crate) fn line(self) -> String {
        self.0 + "}\n"
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    out + "\""
}
