//! `run`: an entry point on values from standard input, and from files of which each rank reads its part.
//!
//! Law: what is written is all of the results, or none.

use catadiff::futhark::elaborate::compile_entry;

use crate::answer::{Answer, Failure, tell};
use crate::arguments::Arguments;
use crate::carrier::Carrier;
use crate::engine::Executor;
use crate::input::{given, parameters};
use crate::load::Loaded;

/// See the table.
pub(crate) fn run(arguments: &Arguments) -> Result<Answer, Failure> {
    let executor = Executor::asked(arguments, Executor::Interpreter)?;
    let carrier = Carrier::asked(arguments, "run")?;
    let limits = arguments.limits()?;
    let loaded = Loaded::file(arguments.file()?)?;
    let entry = loaded.entry(arguments)?;
    let sources = &loaded.texts.sources;
    tell(&sources.show_all(&loaded.warnings));
    let given = given(arguments, entry, entry, &format!("`{}`", entry.name), &parameters(entry))?;
    if let Some(carrier) = carrier {
        let elaborated =
            compile_entry(&loaded.program, &entry.name).map_err(|message| Failure::ran(sources, &message))?;
        let answer = carrier.answer(&elaborated, &given.values, arguments)?;
        return Ok(answer.map_err(|message| Failure::ran(sources, &message))?.into());
    }
    let ready = executor.ready_on(&loaded.program, &entry.name, &given.split);
    let ran = ready.and_then(|engine| engine.run(&given.values, limits));
    Ok(ran.map_err(|message| Failure::ran(sources, &message))?.answer(arguments))
}
