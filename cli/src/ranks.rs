//! The command on the ranks of a job, where `mpirun` has started it on several.
//!
//! Law: all ranks do the same with the same input, which the first one reads; the first one alone writes (cli/tests/commands/ranks.rs).

use std::sync::OnceLock;
use std::time::Duration;

use catadiff::execute::mpi::{Every, Keep, Mpi, World, from_first};
use catadiff::execute::{Executor, executor};

use crate::answer::Failure;
use crate::arguments::Arguments;

/// The number of this rank, once it has joined the others.
static RANK: OnceLock<usize> = OnceLock::new();

/// Whether this rank writes nothing.
pub(crate) fn is_quiet() -> bool {
    RANK.get().is_some_and(|rank| *rank > 0)
}

/// Joins the ranks, if an executor on ranks is wanted.
pub(crate) fn joined(arguments: &[&str]) -> Result<Option<World>, Failure> {
    let asked =
        arguments.iter().zip(arguments.iter().skip(1)).any(|(flag, name)| *flag == "--executor" && is_ranks(name))
            || arguments.iter().any(|argument| argument.strip_prefix("--executor=").is_some_and(is_ranks));
    if !asked {
        return Ok(None);
    }
    let world = World::join().map_err(|error| Failure::asked(error.to_string()))?;
    RANK.get_or_init(|| world.rank());
    Ok(Some(world))
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
    let read = if is_quiet() { Ok(Vec::new()) } else { read() };
    // What was read has a mark before it: where there is none, all ranks end.
    let marked = read.as_ref().map_or_else(|_| Vec::new(), |bytes| [&[0], &bytes[..]].concat());
    let marked = from_first(marked).map_err(|error| Failure::asked(error.to_string()))?;
    read?;
    let bytes = marked.strip_prefix(&[0]).ok_or_else(|| Failure::asked("the first rank could not read its input"))?;
    Ok(bytes.to_vec())
}

/// The executor with what is said of its states.
pub(crate) fn keeping(known: &'static dyn Executor, arguments: &Arguments) -> Result<&'static dyn Executor, Failure> {
    let Some(folder) = arguments.option("keep") else {
        let wanted = ["every", "resume"].iter().any(|flag| arguments.has(flag) || arguments.option(flag).is_some());
        return if wanted {
            Err(Failure::asked("`--every` and `--resume` go with `--keep FOLDER`"))
        } else {
            Ok(known)
        };
    };
    let name = known.name();
    if !is_ranks(name) {
        return Err(Failure::asked("states are kept by executors on ranks: `--executor mpi`"));
    }
    let every = match arguments.option("every") {
        None => Every::Time(Duration::from_secs(60)),
        Some(text) => every(text).ok_or_else(|| {
            Failure::asked(format!(
                "`--every {text}` is neither a number of iterations, such as `100`, nor a time, such as `30s`"
            ))
        })?,
    };
    let inside = match name.strip_prefix("mpi-") {
        Some(inside) => executor(inside),
        None => executor("lanes"),
    };
    let inside = inside.expect("an executor on ranks is named after the one inside");
    let keep = Keep { resume: arguments.has("resume"), ..Keep::new(folder, every) };
    // There is one in a process, as long as it lasts.
    Ok(Box::leak(Box::new(Mpi::over(inside).keeping(keep))))
}

fn every(text: &str) -> Option<Every> {
    match text.strip_suffix('s') {
        Some(seconds) => seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok()).map(Every::Time),
        None => text.parse().ok().filter(|n| *n > 0).map(Every::Iterations),
    }
}
