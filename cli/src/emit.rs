//! `emit`: an entry point, or its derivative, as a function in C.
//!
//! Law: what is written computes what the entry point computes, and needs nothing of this library (cli/tests/commands/emit.rs).

use std::path::Path;

use catadiff::Error;
use catadiff::array::Program;

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::load::Loaded;
use crate::trace::Subject;

/// See the table.
pub(crate) fn emit(arguments: &Arguments) -> Result<Answer, Failure> {
    let file = arguments.file()?;
    let loaded = Loaded::file(file)?;
    let entry = match loaded.entry(arguments)?.name.to_string() {
        // A program in C has another function of this name.
        main if main == "main" => Path::new(file).file_stem().map_or(main, |stem| stem.to_string_lossy().into_owned()),
        other => other,
    };
    let name = match (arguments.option("name"), arguments.option("derivative")) {
        (Some(name), _) => name.to_owned(),
        (None, Some(mode)) => format!("{entry}_{mode}"),
        (None, None) => entry,
    };
    let subject = Subject::asked(loaded, arguments)?;
    let (types, mut names, function) = subject.elaborated.program.into_parts();
    // Those of the entry point, where each is a parameter of the program by itself.
    if subject.names.len() == names.len() {
        names = subject.names.into_iter().map(|name| name.trim_matches('`').to_owned()).collect();
    }
    let program = Program::new(types, names, function).expect("a program with other names for its parameters is one");
    let c = program.to_c(&name).map_err(|error| match error {
        Error::Argument { found, .. } => {
            Failure::asked(format!("C has no function of this name: {found}; name one by `--name`"))
        }
        other => Failure::asked(other.to_string()),
    })?;
    if !matches!(arguments.option("as"), None | Some("c" | "h")) {
        return Err(Failure::asked("what is written is C: `--as c`, or `--as h` for its header"));
    }
    let Some(folder) = arguments.option("to") else {
        return Ok(if arguments.option("as") == Some("h") { c.header } else { c.source }.into());
    };
    if arguments.has("as") {
        return Err(Failure::asked("`--to` writes the file and its header: leave `--as` out"));
    }
    let mut written = String::new();
    for (end, text) in [("c", c.source), ("h", c.header)] {
        let file = Path::new(folder).join(format!("{name}.{end}"));
        std::fs::write(&file, text)
            .map_err(|error| Failure::asked(format!("cannot write {}: {error}", file.display())))?;
        written.push_str(&format!("{}\n", file.display()));
    }
    Ok(written.into())
}
