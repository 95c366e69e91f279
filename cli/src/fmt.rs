//! `fmt`: programs laid out, in their files or from standard input to standard output.
//!
//! Law: a file is written only where its layout differs, and never when it is no program.

use std::path::Path;

use catadiff::futhark::files::Texts;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::syntax::format;

use crate::answer::{Answer, FAILED, Failure};
use crate::arguments::Arguments;
use crate::cases::caught;
use crate::input::stdin;
use crate::test::programs;

/// See the table.
pub(crate) fn fmt(arguments: &Arguments) -> Result<Answer, Failure> {
    let check = arguments.has("check");
    if matches!(&arguments.files[..], [] | [_]) && arguments.files.first().is_none_or(|file| file == "-") {
        return from_stdin(check);
    }
    let (mut listed, mut wrong) = (String::new(), String::new());
    for path in programs(&arguments.files)? {
        let name = path.display();
        match one(&path) {
            Ok((text, laid_out)) if text != laid_out => {
                listed.push_str(&format!("{name}\n"));
                if !check && let Err(error) = std::fs::write(&path, laid_out) {
                    wrong.push_str(&format!("`{name}` cannot be written: {error}\n"));
                }
            }
            Ok(_) => {}
            Err(text) => wrong.push_str(&text),
        }
    }
    if wrong.is_empty() {
        let code = if check && !listed.is_empty() { FAILED } else { 0 };
        return Ok(Answer { output: listed.into_bytes(), code });
    }
    Err(Failure { output: listed.into_bytes(), ..Failure::asked(wrong) })
}

fn from_stdin(check: bool) -> Result<Answer, Failure> {
    let text = String::from_utf8(stdin()?).map_err(|_| Failure::asked("standard input is not Unicode text"))?;
    let mut sources = Sources::default();
    sources.add("standard input", text.as_str());
    let laid_out = laid_out(&text).map_err(|messages| Failure::refused(&sources, &messages))?;
    let code = if check && laid_out != text { FAILED } else { 0 };
    let output = if check { Vec::new() } else { laid_out.into_bytes() };
    Ok(Answer { output, code })
}

/// The text of a file, and how it is laid out.
fn one(path: &Path) -> Result<(String, String), String> {
    let mut texts = Texts::default();
    let read = texts.file(path);
    let shown = |texts: &Texts, messages: &[Message]| texts.sources.show_all(messages);
    let (number, _) = read.map_err(|messages| shown(&texts, &messages))?;
    let text = texts.sources.files[number as usize].text.clone();
    let laid_out = laid_out(&text).map_err(|messages| shown(&texts, &messages))?;
    Ok((text, laid_out))
}

/// A text laid out; should that be a mistake of ours, a message.
fn laid_out(text: &str) -> Result<String, Vec<Message>> {
    caught(|| Ok(format(text, 0))).unwrap_or_else(|panic| Err(vec![panic]))
}
