//! `check`: whether texts are programs, and the types of their entry points.
//!
//! Law: every file is checked, also behind one that is wrong.

use std::fmt::Write as _;
use std::path::Path;

use catadiff::futhark::core::{Entry, Program};
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::{Message, Severity, Sources};
use serde_json::json;

use crate::answer::{ASKED, Answer, Failure, tell};
use crate::arguments::Arguments;

/// See the table.
pub(crate) fn check(arguments: &Arguments) -> Result<Answer, Failure> {
    let (mut output, mut wrong) = (String::new(), String::new());
    let (mut count, mut bad) = (0, 0);
    let files = arguments.some_files()?;
    for path in files {
        let mut texts = Texts::default();
        let checked = texts.file(Path::new(path)).and_then(|(_, tree)| texts.check(&tree));
        let (program, messages) = match checked {
            Ok((program, warnings)) => (Some(program), warnings),
            Err(messages) => (None, messages),
        };
        count += 1;
        bad += usize::from(program.is_none());
        if arguments.has("json") {
            messages.iter().for_each(|message| output.push_str(&told(&texts.sources, path, message)));
        } else {
            wrong.push_str(&texts.sources.show_all(&messages));
        }
        for entry in program.iter().flat_map(|program| &program.entries) {
            let of = type_of(program.as_ref().expect("it has an entry"), entry);
            if arguments.has("json") {
                let object = json!({"file": path, "entry": *entry.name, "type": of});
                let _ = writeln!(output, "{object}");
            } else {
                let _ = writeln!(output, "{path}: entry {}: {of}", entry.name);
            }
        }
        if files.len() == 1 {
            // The process ends, and gives back at once what would take a tenth of the time to give back piece by piece.
            std::mem::forget((program, texts));
        }
    }
    if bad == 0 {
        tell(&wrong);
        return Ok(output.into());
    }
    let summary = if count == 1 { String::new() } else { format!("\n{bad} of {count} files are no programs") };
    Err(Failure { output: output.into_bytes(), text: wrong + &summary, code: ASKED })
}

/// The type of an entry point, as the user would write it.
pub(crate) fn type_of(program: &Program, entry: &Entry) -> String {
    program.show(&program.definition(entry.definition).expect("an entry is a definition").scheme.body)
}

/// A message for machines.
fn told(sources: &Sources, path: &str, message: &Message) -> String {
    let (line, column, _) = sources.position(message.span);
    let file = sources.files.get(message.span.file as usize).map_or(path, |source| &source.name);
    let severity = if message.severity == Severity::Error { "error" } else { "warning" };
    let mut object = json!({
        "file": file, "line": line, "column": column, "severity": severity, "code": message.code, "text": message.text
    });
    if let Some(hint) = &message.hint {
        object["hint"] = json!(hint);
    }
    format!("{object}\n")
}
