//! The command on the ranks of a job, where `mpirun` has started it on several.
//!
//! Law: all ranks do the same with the same input, which the first one reads, but for rows of files, of which each reads its own; the first
//! one alone writes (cli/tests/commands/ranks.rs).

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use catadiff::execute::mpi::{Every, Keep, Mpi, World, agreed, from_first};
use catadiff::execute::{Executor, executor};
use catadiff::futhark::core::Entry;
use catadiff::futhark::meaning::interface;
use catadiff::futhark::values::Array;

use crate::answer::Failure;
use crate::arguments::Arguments;
use crate::engine::Executor as Asked;
use crate::input::parameter;

/// The number of this rank, once it has joined the others.
static RANK: OnceLock<usize> = OnceLock::new();

/// The connection to the others, from then until all is written.
static WORLD: Mutex<Option<World>> = Mutex::new(None);

/// Whether this rank writes nothing.
pub(crate) fn is_quiet() -> bool {
    RANK.get().is_some_and(|rank| *rank > 0)
}

/// Joins the ranks, if an executor on ranks is wanted.
pub(crate) fn join(arguments: &[&str]) -> Result<(), Failure> {
    let asked =
        arguments.iter().zip(arguments.iter().skip(1)).any(|(flag, name)| *flag == "--executor" && is_ranks(name))
            || arguments.iter().any(|argument| argument.strip_prefix("--executor=").is_some_and(is_ranks));
    if !asked {
        return Ok(());
    }
    let world = World::join().map_err(|error| Failure::asked(error.to_string()))?;
    RANK.get_or_init(|| world.rank());
    *WORLD.lock().unwrap_or_else(PoisonError::into_inner) = Some(world);
    Ok(())
}

/// Leaves them, when everything is written.
pub(crate) fn leave() {
    drop(WORLD.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Refuses commands that run several programs side by side.
pub(crate) fn fit(arguments: &[&str]) -> Result<(), Failure> {
    if RANK.get().is_some() && arguments.first().is_some_and(|command| ["test", "bench"].contains(command)) {
        let text = "ranks run one program at a time: `run`, `grad`, `jvp` and `vjp` can be asked of them";
        return Err(Failure::asked(text));
    }
    Ok(())
}

fn is_ranks(name: &str) -> bool {
    name == "mpi" || name.starts_with("mpi-")
}

/// What the first rank has read, on every rank.
pub(crate) fn shared(read: impl FnOnce() -> Result<Vec<u8>, Failure>) -> Result<Vec<u8>, Failure> {
    if RANK.get().is_none() {
        return read();
    }
    let failed = |error: catadiff::Error| Failure::asked(error.to_string());
    let mine = if is_quiet() { Ok(Vec::new()) } else { read() };
    let read = agreed(mine.map_err(|failure| failure.text)).map_err(failed)?.map_err(Failure::asked)?;
    from_first(read).map_err(failed)
}

/// This rank's rows of the files in `--split NAME=FILE`, and the positions of the parameters that they are, in order.
pub(crate) fn parts(arguments: &Arguments, entry: &Entry) -> Result<Vec<(usize, Array)>, Failure> {
    let mut parts = Vec::new();
    for given in arguments.all("split") {
        let Some((name, file)) = given.split_once('=') else {
            return Err(Failure::asked(format!(
                "`--split {given}` is no name and file, such as `--split points=FILE`"
            )));
        };
        let at = parameter(entry, name)?;
        if parts.iter().any(|(other, _)| *other == at) {
            return Err(Failure::asked(format!("`--split` names the parameter `{name}` twice")));
        }
        if !matches!(interface(&entry.params[at].1)[..], [(_, 1..)]) {
            return Err(Failure::asked(format!("`{name}` is not one array, and what is split is")));
        }
        let world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
        let world = world.as_ref().expect("executors on ranks have joined them");
        let read = world.read_rows(file).map_err(|error| Failure::asked(error.to_string()))?;
        parts.push((at, Array::from(&read)));
    }
    parts.sort_by_key(|(at, _)| *at);
    Ok(parts)
}

/// The executor, with what is said of ranks if it is on them; nothing may be said of them to another.
pub(crate) fn asked(asked: Asked, arguments: &Arguments) -> Result<Asked, Failure> {
    if let Asked::Of(known) = asked
        && is_ranks(known.name())
    {
        // There is one in a process, as long as it lasts.
        return Ok(Asked::Ranks(Box::leak(Box::new(keeping(known, arguments)?))));
    }
    match ["split", "no-gather", "keep", "every", "resume"].iter().find(|flag| arguments.has(flag)) {
        Some(flag) => Err(Failure::asked(format!("`--{flag}` is of executors on ranks: add `--executor mpi`"))),
        None => Ok(asked),
    }
}

fn keeping(known: &'static dyn Executor, arguments: &Arguments) -> Result<Mpi, Failure> {
    let inside = known.name().strip_prefix("mpi-").unwrap_or("lanes");
    let on = Mpi::over(executor(inside).expect("an executor on ranks is named after the one inside"));
    let on = if arguments.has("no-gather") { on.without_gathering() } else { on };
    let Some(folder) = arguments.option("keep") else {
        return match ["every", "resume"].iter().any(|flag| arguments.has(flag)) {
            true => Err(Failure::asked("`--every` and `--resume` go with `--keep FOLDER`")),
            false => Ok(on),
        };
    };
    let every = match arguments.option("every") {
        None => Every::Time(Duration::from_secs(60)),
        Some(text) => every(text).ok_or_else(|| {
            Failure::asked(format!(
                "`--every {text}` is neither a number of iterations, such as `100`, nor a time, such as `30s`"
            ))
        })?,
    };
    Ok(on.keeping(Keep { resume: arguments.has("resume"), ..Keep::new(folder, every) }))
}

fn every(text: &str) -> Option<Every> {
    match text.strip_suffix('s') {
        Some(seconds) => seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok()).map(Every::Time),
        None => text.parse().ok().filter(|n| *n > 0).map(Every::Iterations),
    }
}
