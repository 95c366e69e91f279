//! Places as editors count them: lines, and units of UTF-16 in a line; and files as they name them.
//!
//! Law: a place is in the text, whatever the editor says (cli/tests/commands/editing.rs).

use std::path::{Path, PathBuf};

use catadiff::futhark::source::Span;
use serde_json::{Value, json};

/// The byte at a position.
pub(super) fn offset(text: &str, position: &Value) -> usize {
    let number = |name: &str| usize::try_from(position[name].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
    let (line, units) = (number("line"), number("character"));
    let mut start = 0;
    for _ in 0..line {
        match text[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return text.len(),
        }
    }
    let mut left = units;
    for (at, c) in text[start..].char_indices() {
        if c == '\n' || left < c.len_utf16() {
            return start + at;
        }
        left -= c.len_utf16();
    }
    text.len()
}

/// The position of a byte.
pub(super) fn position(text: &str, at: usize) -> Value {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[..start].matches('\n').count();
    let units: usize = text[start..at].chars().map(char::len_utf16).sum();
    json!({"line": line, "character": units})
}

/// The end of a text.
pub(super) fn end(text: &str) -> Value {
    position(text, text.len())
}

pub(super) fn range(text: &str, span: Span) -> Value {
    json!({"start": position(text, span.start as usize), "end": position(text, span.end as usize)})
}

/// The file that an editor names; what is no file is a name like any other.
pub(super) fn from_uri(uri: &str) -> PathBuf {
    let Some(path) = uri.strip_prefix("file://") else { return PathBuf::from(uri) };
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.filter(|_| byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // On Windows a drive stands behind the first stroke.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    PathBuf::from(if is_drive { &path[1..] } else { &path })
}

/// A file as editors name it.
pub(super) fn to_uri(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
