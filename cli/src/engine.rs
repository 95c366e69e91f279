//! Entry points made ready for an executor.
//!
//! Law: executors agree; they differ in what a run costs, and in what they count as a step.

use catadiff::execute::RunReport;
use catadiff::futhark::core::Program;
use catadiff::futhark::elaborate::{Elaborated, Ready, compile_entry};
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
    /// The reference interpreter of array programs.
    Program,
    /// Vector instructions and cores.
    Lanes,
}

/// An entry point, ready.
#[derive(Debug)]
pub(crate) enum Engine<'p> {
    Interpreter(&'p Program, String),
    Program(Box<Elaborated>),
    Lanes(Box<Ready>),
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
    /// As in `--executor`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Executor::Interpreter => "interpreter",
            Executor::Program => "program",
            Executor::Lanes => "lanes",
        }
    }

    /// What is asked for.
    pub(crate) fn asked(arguments: &Arguments, default: Executor) -> Result<Executor, Failure> {
        Ok(match arguments.option("executor") {
            Some("interpreter") => Executor::Interpreter,
            Some("program") => Executor::Program,
            Some(_) => Executor::Lanes,
            None => default,
        })
    }

    /// An entry point, ready to run.
    pub(crate) fn ready<'p>(self, program: &'p Program, entry: &str) -> Result<Engine<'p>, Message> {
        Ok(match self {
            Executor::Interpreter => Engine::Interpreter(program, entry.to_owned()),
            Executor::Program => Engine::Program(Box::new(compile_entry(program, entry)?)),
            Executor::Lanes => Engine::Lanes(Box::new(compile_entry(program, entry)?.compile()?)),
        })
    }
}

impl Engine<'_> {
    /// The results for these arguments, and whether others than the executor have them.
    pub(crate) fn run(&self, arguments: &[Array], limits: Limits) -> Result<Ran, Message> {
        let alone = |results| Ran { results, note: None };
        match self {
            Engine::Interpreter(program, entry) => interpreter::run(program, entry, arguments, limits).map(alone),
            Engine::Program(elaborated) => elaborated.run(arguments, &limits).map(alone),
            Engine::Lanes(ready) => {
                let (results, report) = ready.run_reported(arguments, &limits);
                let note = (report != RunReport::Bare).then(|| report.to_string());
                results.map(|results| Ran { results, note })
            }
        }
    }
}
