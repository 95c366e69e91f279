//! `show`: what a program is, and what an entry point becomes.
//!
//! Law: the array program that is shown is the one that runs.

use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::source::Message;

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::derivative::{WRAPPER, derived};
use crate::load::Loaded;

/// See the table.
pub(crate) fn show(arguments: &Arguments) -> Result<Answer, Failure> {
    let mut loaded = Loaded::file(arguments.file()?)?;
    if arguments.option("as") == Some("tree") {
        return Ok(loaded.tree.to_string().into());
    }
    let name = loaded.entry(arguments)?.name.to_string();
    let elaborated = match arguments.option("derivative") {
        Some(mode) => compile_entry(&derived(mode, &mut loaded, Some(&name), arguments.option("wrt"))?, WRAPPER),
        None => compile_entry(&loaded.program, &name),
    };
    let ran = |message: Message| Failure::ran(&loaded.texts.sources, &message);
    let elaborated = elaborated.map_err(ran)?;
    Ok(match arguments.option("as") {
        Some("lanes") => elaborated.compile().map_err(ran)?.explain().trim_end().to_owned() + "\n",
        _ => elaborated.program.to_string(),
    }
    .into())
}
