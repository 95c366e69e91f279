//! Test blocks carried out: a verdict for each case, entry point and executor.
//!
//! Law: a case passes, fails with what was expected and what was found, or is skipped with a reason; none is lost.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use catadiff::futhark::core::Program;
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::testing::blocks::{Block, Case, Input, Output, blocks, draw};
use catadiff::futhark::testing::script;
use catadiff::futhark::values::Array;
use catadiff::interpret::Limits;
use regex_lite::Regex;

use crate::compare::{OF_THE_LANGUAGE, Tolerance, difference};
use crate::engine::{Engine, Executor};
use crate::input::from_file;

/// What to do with every case.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) executors: Vec<Executor>,
    pub(crate) entry: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) tolerance: Tolerance,
    /// Whether what is only as near as the language's own runner asks passes, too.
    pub(crate) lenient: bool,
    pub(crate) seed: u64,
    pub(crate) exclude: Vec<String>,
}

/// How a case ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Status {
    Passed,
    /// Passed as the language's own runner has it, and what differs.
    Near(String),
    Failed(String),
    Skipped(String),
}

/// What came of a case.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    /// None if it is about the whole program.
    pub(crate) entry: Option<String>,
    pub(crate) dataset: String,
    pub(crate) executor: Option<Executor>,
    pub(crate) status: Status,
    /// How the executor had to be helped, if it had.
    pub(crate) note: Option<String>,
}

/// A program with its blocks.
pub(crate) struct Suite {
    pub(crate) path: PathBuf,
    pub(crate) sources: Sources,
    pub(crate) blocks: Vec<Block>,
    pub(crate) checked: Result<(Program, Vec<Message>), Vec<Message>>,
}

impl Suite {
    /// Reads and checks a program. What is wrong with the file or its blocks is an error.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let mut texts = Texts::default();
        let read = texts.file(path);
        let text = texts.sources.files.first().map(|source| source.text.clone()).unwrap_or_default();
        let blocks = blocks(&text, 0).map_err(|messages| texts.sources.show_all(&messages))?;
        let checked = match read {
            // A file that cannot be read has no blocks that could expect it.
            Err(messages) if texts.sources.files.is_empty() => return Err(texts.sources.show_all(&messages)),
            Err(messages) => Err(messages),
            Ok((_, tree)) => texts.check(&tree),
        };
        Ok(Suite { path: path.to_owned(), sources: texts.sources, blocks, checked })
    }

    /// The input of a case, or why there is none.
    pub(crate) fn input(&self, case: &Case, seed: u64, limits: Limits) -> Result<Vec<Array>, String> {
        match &case.input {
            Input::Values(values) => Ok(values.clone()),
            Input::Random(draws) => draw(draws, seed).map_err(|message| self.sources.show(&message).to_string()),
            Input::File(path) => from_file(&self.beside(path)),
            Input::Script(text) => {
                let Ok((program, _)) = &self.checked else { return Err("the program is refused".into()) };
                let load = |path: &str| {
                    let fault = |text| Message::error("value", Default::default(), text);
                    from_file(&self.beside(path)).map_err(fault)
                };
                caught(|| script::values(text, program, limits, &load))
                    .map_err(|found| self.sources.show_placed(&found))
            }
        }
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// What the dataset of a case is called.
pub(crate) fn dataset(case: &Case, number: usize) -> String {
    match (&case.name, &case.input) {
        (Some(name), _) => name.to_string(),
        (None, Input::File(path)) => path.clone(),
        (None, Input::Values(_) | Input::Random(_) | Input::Script(_)) => format!("#{number}"),
    }
}

/// A reason not to take a block or a case, if there is one.
pub(crate) fn skipped(words: &[impl AsRef<str>], executor: Option<Executor>, exclude: &[String]) -> Option<String> {
    words.iter().map(AsRef::as_ref).find_map(|word| {
        let other = |name: &str| executor.is_some_and(|executor| executor.name() != name);
        let out = match (word.strip_prefix("only_"), word.strip_prefix("no_")) {
            (Some(only), _) => other(only),
            (None, Some(not)) => executor.is_some_and(|executor| executor.name() == not),
            (None, None) => word == "disable" || exclude.iter().any(|tag| tag == word),
        };
        out.then(|| format!("it is marked `{word}`"))
    })
}

/// Everything that the blocks of a file ask for.
pub(crate) fn run(path: &Path, plan: &Plan) -> Vec<Verdict> {
    let about = |line, status| Verdict {
        file: path.to_owned(),
        line,
        entry: None,
        dataset: String::new(),
        executor: None,
        status,
        note: None,
    };
    let suite = match Suite::load(path) {
        Ok(suite) => suite,
        Err(text) => return vec![about(1, Status::Failed(text))],
    };
    let mut verdicts = Vec::new();
    let refusal = suite.blocks.iter().find(|block| block.refused.is_some());
    let (program, warnings) = match (&suite.checked, refusal) {
        (Err(messages), Some(block)) => {
            let line = suite.sources.position(block.span).0;
            let found = suite.sources.show_all(messages);
            return vec![about(line, expected_error(block.refused.as_deref().unwrap_or(""), &found))];
        }
        (Ok(_), Some(block)) => {
            let line = suite.sources.position(block.span).0;
            return vec![about(
                line,
                Status::Failed("expected a program that is refused, found no mistake in it".into()),
            )];
        }
        (Err(messages), None) => return vec![about(1, Status::Failed(suite.sources.show_all(messages)))],
        (Ok((program, warnings)), None) => (program, warnings),
    };
    let warned = suite.sources.show_all(warnings);
    for block in &suite.blocks {
        let line = suite.sources.position(block.span).0;
        if let Some(reason) = skipped(&block.tags, None, &plan.exclude) {
            verdicts.push(about(line, Status::Skipped(reason)));
            continue;
        }
        for pattern in &block.warnings {
            verdicts.push(about(line, expected_error(pattern, &warned)));
        }
        for entry in block.entries.iter().filter(|entry| plan.entry.as_deref().is_none_or(|only| only == &***entry)) {
            for &executor in &plan.executors {
                verdicts.extend(entry_cases(&suite, program, block, entry, executor, plan));
            }
        }
    }
    verdicts
}

/// The cases of a block for an entry point, under an executor.
fn entry_cases(
    suite: &Suite,
    program: &Program,
    block: &Block,
    entry: &str,
    executor: Executor,
    plan: &Plan,
) -> Vec<Verdict> {
    let engine = caught(|| executor.ready(program, entry));
    let one = |(number, case): (usize, &Case)| {
        let mut note = None;
        let status = match skipped(&case.words, Some(executor), &plan.exclude) {
            Some(reason) => Status::Skipped(reason),
            None if case.words.iter().any(|word| &**word == "notest") => {
                Status::Skipped("it is marked `notest`".into())
            }
            None => carried_out((suite, program, entry, case, executor), &engine, plan, &mut note),
        };
        Verdict {
            file: suite.path.clone(),
            line: suite.sources.position(case.span).0,
            entry: Some(entry.to_owned()),
            dataset: dataset(case, number),
            executor: Some(executor),
            status,
            note,
        }
    };
    block.cases.iter().enumerate().map(one).collect()
}

fn carried_out(
    (suite, program, entry, case, executor): (&Suite, &Program, &str, &Case, Executor),
    engine: &Result<Engine<'_>, Message>,
    plan: &Plan,
    note: &mut Option<String>,
) -> Status {
    let input = match suite.input(case, plan.seed, plan.limits) {
        Ok(input) => input,
        Err(text) => return Status::Failed(text),
    };
    let found = match engine {
        Ok(engine) => caught(|| engine.run(&input, plan.limits)),
        Err(message) => Err(message.clone()),
    };
    let found = found.map(|ran| {
        *note = ran.note;
        ran.results
    });
    let fault = |message: &Message| {
        let input: String = input.iter().map(|value| format!(" {}", value.type_name())).collect();
        suite.sources.show_placed(message) + &format!("  for input of types{input}\n")
    };
    let found = match (found, &case.output) {
        (Err(message), Output::Error(pattern)) => {
            return expected_error(pattern, &suite.sources.show_placed(&message));
        }
        (Err(message), _) => return Status::Failed(fault(&message)),
        (Ok(found), Output::Error(pattern)) => {
            return Status::Failed(format!("expected an error like `{pattern}`, found {}", brief(&found)));
        }
        (Ok(found), _) => found,
    };
    let wanted = match &case.output {
        Output::Values(values) => values.clone(),
        Output::File(path) => match from_file(&suite.beside(path)) {
            Ok(values) => values,
            Err(text) => return Status::Failed(text),
        },
        Output::Auto if executor != Executor::Interpreter => {
            let reference = Engine::Interpreter(program, entry.to_owned());
            match caught(|| reference.run(&input, plan.limits)) {
                Ok(ran) => ran.results,
                Err(message) => return Status::Failed(fault(&message)),
            }
        }
        Output::Auto | Output::Anything | Output::Error(_) => return Status::Passed,
    };
    match difference(&found, &wanted, plan.tolerance) {
        None => Status::Passed,
        Some(what) if plan.lenient && difference(&found, &wanted, OF_THE_LANGUAGE).is_none() => Status::Near(what),
        Some(what) => Status::Failed(what),
    }
}

/// Whether an error that was expected is there.
fn expected_error(wanted: &str, found: &str) -> Status {
    // A warning or an error may be broken into lines where the pattern has a space.
    let flat = found.split_whitespace().collect::<Vec<_>>().join(" ");
    match Regex::new(wanted) {
        Ok(pattern) if pattern.is_match(found) || pattern.is_match(&flat) => Status::Passed,
        Ok(_) if found.is_empty() => Status::Failed(format!("expected a message like `{wanted}`, found none")),
        Ok(_) => Status::Failed(format!("expected a message like `{wanted}`, found:\n{found}")),
        Err(error) => Status::Failed(format!("`{wanted}` is no regular expression: {error}")),
    }
}

/// Results on a line that is not too long.
fn brief(values: &[Array]) -> String {
    let show = |value: &Array| if value.data.len() <= 8 { value.to_string() } else { value.type_name() };
    values.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// A panic of ours is a failure of the case, not of all the others.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, Message>) -> Result<T, Message> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let text = format!("this is a mistake of catadiff: {}", text.unwrap_or("it panicked"));
        Err(Message::error("internal", Default::default(), text))
    })
}
