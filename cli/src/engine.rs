//! Entry points made ready for an executor.
//!
//! Law: executors agree; they differ in what a run costs, and in what they count as a step.

use catadiff::execute::{EXECUTORS, RunReport, executor};
use catadiff::futhark::core::Program;
use catadiff::futhark::elaborate::{Ready, compile_entry};
use catadiff::futhark::interpreter;
use catadiff::futhark::source::Message;
use catadiff::futhark::values::Array;
use catadiff::interpret::Limits;

use crate::answer::{Answer, Failure, tell};
use crate::arguments::Arguments;
use crate::input::written;

/// Who runs programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Executor {
    /// The interpreter of the language.
    Interpreter,
    /// The executor of array programs of this name.
    Of(&'static str),
}

/// An entry point, ready.
#[derive(Debug)]
pub(crate) enum Engine<'p> {
    Interpreter(&'p Program, String),
    Ready(Box<Ready>),
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
        Executor::Of(EXECUTORS[0].name())
    }

    /// As in `--executor`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Executor::Interpreter => INTERPRETER,
            Executor::Of(name) => name,
        }
    }

    /// The executor of the option, or the default.
    pub(crate) fn asked(arguments: &Arguments, default: Executor) -> Result<Executor, Failure> {
        let Some(asked) = arguments.option("executor") else { return Ok(default) };
        match names().find(|name| *name == asked) {
            Some(INTERPRETER) => Ok(Executor::Interpreter),
            Some(name) => Ok(Executor::Of(name)),
            None => Err(Failure::asked(format!("there is no executor `{asked}`"))),
        }
    }

    /// An entry point, ready to run.
    pub(crate) fn ready<'p>(self, program: &'p Program, entry: &str) -> Result<Engine<'p>, Message> {
        Ok(match self {
            Executor::Interpreter => Engine::Interpreter(program, entry.to_owned()),
            Executor::Of(name) => {
                let executor = executor(name).expect("names are those of executors");
                Engine::Ready(Box::new(compile_entry(program, entry)?.compile_on(executor)?))
            }
        })
    }
}

impl Engine<'_> {
    /// The results for these arguments, and whether others than the executor have them.
    pub(crate) fn run(&self, arguments: &[Array], limits: Limits) -> Result<Ran, Message> {
        let alone = |results| Ran { results, note: None };
        match self {
            Engine::Interpreter(program, entry) => interpreter::run(program, entry, arguments, limits).map(alone),
            Engine::Ready(ready) => {
                let (results, report) = ready.run_reported(arguments, &limits);
                let note = (report != RunReport::Bare).then(|| report.to_string());
                results.map(|results| Ran { results, note })
            }
        }
    }
}
