//! Entry points made ready for an executor.
//!
//! Law: executors agree; they differ in what a run costs, and in what they count as a step.

#[cfg(feature = "mpi")]
use catadiff::execute::mpi::Mpi;
use catadiff::execute::{self, EXECUTORS, RunReport, executor};
use catadiff::futhark::core::Program;
#[cfg(feature = "mpi")]
use catadiff::futhark::elaborate::OnParts;
use catadiff::futhark::elaborate::{Ready, UNKNOWN_CALLS, compile_entry};
use catadiff::futhark::interpreter;
use catadiff::futhark::source::Message;
use catadiff::futhark::values::Array;
use catadiff::interpret::{Cancel, Control, Limits};

use crate::answer::{Answer, Failure, tell};
use crate::arguments::Arguments;
use crate::input::written;

/// Who runs programs.
#[derive(Clone, Copy)]
pub(crate) enum Executor {
    /// The interpreter of the language.
    Interpreter,
    /// An executor of array programs.
    Of(&'static dyn execute::Executor),
    /// The ranks of a job.
    #[cfg(feature = "mpi")]
    Ranks(&'static Mpi),
}

impl core::fmt::Debug for Executor {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// An entry point, ready.
#[derive(Debug)]
pub(crate) enum Engine<'p> {
    Interpreter(&'p Program, String),
    /// The interpreter in the place of an executor, and why.
    Instead(&'p Program, String, String),
    Ready(Box<Ready>),
    #[cfg(feature = "mpi")]
    OnParts(Box<OnParts>),
}

/// What `--executor` calls the interpreter of the language.
const INTERPRETER: &str = "interpreter";

/// What `--executor` may be, the plainest first.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    core::iter::once(INTERPRETER).chain(EXECUTORS.iter().rev().map(|executor| executor.name()))
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) results: Vec<Array>,
    /// How the executor had to be helped, if it had.
    pub(crate) note: Option<String>,
}

impl Ran {
    /// The results as an answer; what there is to note goes to standard error.
    pub(crate) fn answer(self, arguments: &Arguments) -> Answer {
        self.note.iter().for_each(|note| tell(&format!("note: {note}\n")));
        Answer { output: written(&self.results, arguments.has("binary")), code: 0 }
    }
}

impl Executor {
    /// The executor that programs are compiled for without an option.
    pub(crate) fn of_compiled() -> Self {
        Executor::Of(EXECUTORS[0])
    }

    /// As in `--executor`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Executor::Interpreter => INTERPRETER,
            Executor::Of(executor) => executor.name(),
            #[cfg(feature = "mpi")]
            Executor::Ranks(on) => execute::Executor::name(on),
        }
    }

    /// The executor of the option, or the default.
    pub(crate) fn asked(arguments: &Arguments, default: Executor) -> Result<Executor, Failure> {
        let asked = match arguments.option("executor") {
            None => default,
            Some(INTERPRETER) => Executor::Interpreter,
            Some(name) => {
                let known = executor(name).ok_or_else(|| Failure::asked(format!("there is no executor `{name}`")))?;
                Executor::Of(known)
            }
        };
        #[cfg(feature = "mpi")]
        let asked = crate::ranks::asked(asked, arguments)?;
        Ok(asked)
    }

    /// An entry point, ready to run.
    pub(crate) fn ready<'p>(self, program: &'p Program, entry: &str) -> Result<Engine<'p>, Message> {
        let executor = match self {
            Executor::Interpreter => return Ok(Engine::Interpreter(program, entry.to_owned())),
            Executor::Of(executor) => executor,
            #[cfg(feature = "mpi")]
            Executor::Ranks(on) => on,
        };
        Ok(match compile_entry(program, entry) {
            Err(message) if message.code == UNKNOWN_CALLS => Engine::instead(program, entry, &message),
            elaborated => Engine::Ready(Box::new(elaborated?.compile_on(executor)?)),
        })
    }

    /// The same, where each rank has its part of some arguments, by position among the values that the entry point takes.
    pub(crate) fn ready_on<'p>(
        self,
        program: &'p Program,
        entry: &str,
        split: &[usize],
    ) -> Result<Engine<'p>, Message> {
        #[cfg(feature = "mpi")]
        if let (Executor::Ranks(on), [_, ..]) = (self, split) {
            return Ok(Engine::OnParts(Box::new(compile_entry(program, entry)?.on_parts(split, on.clone())?)));
        }
        assert!(split.is_empty(), "files are split by executors on ranks");
        self.ready(program, entry)
    }
}

impl<'p> Engine<'p> {
    /// The interpreter of the language, for what array programs cannot say.
    fn instead(program: &'p Program, entry: &str, why: &Message) -> Self {
        Engine::Instead(program, entry.to_owned(), why.text.to_string())
    }

    /// The same for whatever does not compile, if that is no mistake of ours.
    pub(crate) fn or_instead(ready: Result<Self, Message>, program: &'p Program, entry: &str) -> Result<Self, Message> {
        ready.or_else(|message| match message.code {
            "internal" => Err(message),
            _ => Ok(Engine::instead(program, entry, &message)),
        })
    }

    /// The results for these arguments, and whether others than the executor have them.
    pub(crate) fn run(&self, arguments: &[Array], limits: Limits) -> Result<Ran, Message> {
        self.run_until(arguments, limits, &Cancel::new())
    }

    /// The same, until it is cancelled.
    pub(crate) fn run_until(&self, arguments: &[Array], limits: Limits, cancel: &Cancel) -> Result<Ran, Message> {
        let alone = |results| Ran { results, note: None };
        match self {
            Engine::Interpreter(program, entry) => {
                interpreter::run_until(program, entry, arguments, limits, cancel).map(alone)
            }
            Engine::Instead(program, entry, reason) => {
                let note = Some(format!("run by the interpreter: {reason}"));
                interpreter::run_until(program, entry, arguments, limits, cancel).map(|results| Ran { results, note })
            }
            #[cfg(feature = "mpi")]
            Engine::OnParts(ready) => {
                ready.run_within(arguments, Control::from(&limits).cancelled_by(cancel)).map(alone)
            }
            Engine::Ready(ready) => {
                let control = Control::from(&limits).cancelled_by(cancel);
                let (results, report) = ready.run_reported(arguments, control);
                let note = (report != RunReport::Bare).then(|| report.to_string());
                results.map(|results| Ran { results, note })
            }
        }
    }
}
