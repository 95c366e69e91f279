//! `show`: what a program is, and what an entry point becomes.
//!
//! Law: the array program that is shown is the one that runs.

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::input::stdin;
use crate::load::Loaded;
use crate::trace::{Subject, drawn};

/// See the table.
pub(crate) fn show(arguments: &Arguments) -> Result<Answer, Failure> {
    let loaded = Loaded::file(arguments.file()?)?;
    let form = arguments.option("as").unwrap_or("text");
    if arguments.has("at") && !matches!(form, "dot" | "svg") {
        return Err(Failure::asked("`--at` writes values into a picture: add `--as svg` or `--as dot`"));
    }
    if form == "tree" {
        return Ok(loaded.tree.to_string().into());
    }
    let subject = Subject::asked(loaded, arguments)?;
    let program = &subject.elaborated.program;
    Ok(match (form, arguments.option("at")) {
        ("kernel", _) => {
            let (sources, elaborated) = (subject.sources, subject.elaborated);
            let ready = elaborated.compile().map_err(|message| Failure::ran(&sources, &message))?;
            ready.explain().trim_end().to_owned() + "\n"
        }
        ("latex", _) => program.to_latex(),
        ("dot" | "svg", None) => drawn(&program.picture(), form)?,
        ("dot" | "svg", Some("-")) => subject.at(&stdin()?, "standard input", arguments)?.picture(program, form)?,
        ("dot" | "svg", Some(text)) => subject.at(text.as_bytes(), "`--at`", arguments)?.picture(program, form)?,
        _ => program.to_string(),
    }
    .into())
}
