//! `run`: an entry point on values from standard input.
//!
//! Law: what is written is all of the results, or none.

use crate::answer::{Answer, Failure, shown};
use crate::arguments::Arguments;
use crate::engine::Executor;
use crate::input::{from_stdin, parameters, written};
use crate::load::Loaded;

/// See the table.
pub(crate) fn run(arguments: &Arguments) -> Result<Answer, Failure> {
    let executor = Executor::asked(arguments, Executor::Interpreter)?;
    let limits = arguments.limits()?;
    let loaded = Loaded::file(arguments.file()?)?;
    let entry = loaded.entry(arguments)?;
    let sources = &loaded.texts.sources;
    eprint!("{}", shown(sources, &loaded.warnings));
    let values = from_stdin(entry, &format!("`{}`", entry.name), &parameters(entry))?;
    let results = executor.ready(&loaded.program, &entry.name).and_then(|engine| engine.run(&values, limits));
    let results = results.map_err(|message| Failure::ran(sources, &message))?;
    Ok(Answer { output: written(&results, arguments.has("binary")), code: 0 })
}
