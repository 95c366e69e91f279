//! Messages as they come and go: a length, an empty line, and as many bytes of JSON.
//!
//! Law: what is no message is passed over, and the next one is read; a message is written whole
//! (cli/tests/commands/editing.rs).

use std::io::{BufRead, Read, Write};

use serde_json::Value;

/// The longest message that is read.
const LONGEST: u64 = 1 << 28;

/// The next message; none at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> Option<Value> {
    loop {
        let mut length = None;
        loop {
            let mut line = String::new();
            if input.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().ok().filter(|length| *length <= LONGEST);
            }
        }
        let Some(length) = length else { continue };
        let mut bytes = Vec::new();
        if input.by_ref().take(length).read_to_end(&mut bytes).ok()? as u64 != length {
            return None;
        }
        if let Ok(message) = serde_json::from_slice(&bytes) {
            return Some(message);
        }
    }
}

/// Writes a message. An editor that is gone is no mistake.
pub(super) fn write(message: &Value) {
    let text = message.to_string();
    let mut output = std::io::stdout().lock();
    let _ = write!(output, "Content-Length: {}\r\n\r\n{text}", text.len());
    let _ = output.flush();
}
