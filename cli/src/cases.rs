//! Test blocks carried out: a verdict for each case, entry point and executor.
//!
//! Law: a case passes, fails with what was expected and what was found, or is skipped with a reason; none is lost. A program
//! without cases passes if it is one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use catadiff::futhark::core::Program;
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::testing::blocks::{Block, Case, Input, blocks, blocks_of, draw};
use catadiff::futhark::testing::script;
use catadiff::futhark::values::Array;
use catadiff::interpret::Limits;
use regex_lite::Regex;

use crate::compare::Tolerance;
use crate::engine::{Engine, Executor};
use crate::input::from_file;
use crate::trial::Trial;

/// What to do with every case.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) executors: Vec<Executor>,
    /// Whether the interpreter runs cases as well where that costs little, and in the place of an executor that has no form for a program.
    pub(crate) referee: bool,
    /// Whether messages are to match what is expected of them; otherwise any counts.
    pub(crate) words: bool,
    /// The most time that a case may take.
    pub(crate) time: Option<Duration>,
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
        let checked = match read {
            // A file that cannot be read has no blocks that could expect it.
            Err(messages) if texts.sources.files.is_empty() => return Err(texts.sources.show_all(&messages)),
            Err(messages) => Err(messages),
            Ok((_, tree)) => texts.check(&tree),
        };
        let blocks = match &checked {
            Ok((program, _)) => blocks_of(program, &text, 0),
            Err(_) => blocks(&text, 0),
        };
        let blocks = blocks.map_err(|messages| texts.sources.show_all(&messages))?;
        Ok(Suite { path: path.to_owned(), sources: texts.sources, blocks, checked })
    }

    /// The input of a case, or why there is none.
    pub(crate) fn input(&self, case: &Case, seed: u64, limits: Limits) -> Result<Vec<Array>, String> {
        match &case.input {
            Input::Values(values) => Ok(values.clone()),
            Input::Random(draws) => draw(draws, seed).map_err(|message| self.sources.show(&message).to_string()),
            Input::File(path) => from_file(&self.beside(path)),
            Input::Script(text) => self.script(text, limits),
            Input::ScriptFile(path) => {
                let path = self.beside(path);
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                self.script(&text, limits).map_err(|found| format!("{}: {found}", path.display()))
            }
        }
    }

    /// The values that a script stands for.
    fn script(&self, text: &str, limits: Limits) -> Result<Vec<Array>, String> {
        let Ok((program, _)) = &self.checked else { return Err("the program is refused".into()) };
        let load = |path: &str| {
            let fault = |text| Message::error("value", Default::default(), text);
            from_file(&self.beside(path)).map_err(fault)
        };
        // Scripts are there to make what is large: that is for the executor, and what has no form there for the interpreter.
        let call = |entry: &str, arguments: &[Array]| {
            let engine = caught(|| Executor::of_compiled().ready(program, entry));
            Engine::or_instead(engine, program, entry)?.run(arguments, limits).map(|ran| ran.results)
        };
        caught(|| script::values(text, &call, &load)).map_err(|found| self.sources.show_placed(&found))
    }

    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// What the dataset of a case is called.
pub(crate) fn dataset(case: &Case, number: usize) -> String {
    match (&case.name, &case.input) {
        (Some(name), _) => name.to_string(),
        (None, Input::File(path) | Input::ScriptFile(path)) => path.clone(),
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

/// Everything that the blocks of a file ask for, and what became of the program.
pub(crate) fn run(path: &Path, plan: &Plan) -> (Vec<Verdict>, Outcome) {
    let about = |line, status| Verdict {
        file: path.to_owned(),
        line,
        entry: None,
        dataset: String::new(),
        executor: None,
        status,
        note: None,
    };
    let failed = |text| (vec![about(1, Status::Failed(text))], Outcome::Refused);
    let suite = match caught(|| Ok(Suite::load(path))) {
        Ok(Ok(suite)) => suite,
        Ok(Err(text)) => return failed(text),
        Err(panic) => return failed(format!("{panic}")),
    };
    let refusal =
        suite.blocks.iter().find_map(|block| Some((suite.sources.position(block.span).0, block.refused.as_ref()?)));
    let (program, warnings) = match (&suite.checked, refusal) {
        (Err(messages), Some((line, pattern))) => {
            let status = expected(pattern, &suite.sources.show_all(messages), plan.words);
            return (vec![about(line, status)], Outcome::Refused);
        }
        (Ok(_), Some((line, _))) => {
            let text = "expected a program that is refused, found no mistake in it".into();
            return (vec![about(line, Status::Failed(text))], Outcome::Checked);
        }
        (Err(messages), None) => return failed(suite.sources.show_all(messages)),
        (Ok((program, warnings)), None) => (program, warnings),
    };
    let warned = suite.sources.show_all(warnings);
    let mut verdicts = Vec::new();
    for block in &suite.blocks {
        let line = suite.sources.position(block.span).0;
        if let Some(reason) = skipped(&block.tags, None, &plan.exclude) {
            verdicts.push(about(line, Status::Skipped(reason)));
            continue;
        }
        for pattern in &block.warnings {
            verdicts.push(about(
                line,
                match plan.words {
                    true => expected(pattern, &warned, true),
                    false => Status::Skipped("the words of warnings are compared with `--words`".into()),
                },
            ));
        }
        for entry in block.entries.iter().filter(|entry| plan.entry.as_deref().is_none_or(|only| only == &***entry)) {
            for &executor in &plan.executors {
                verdicts.extend(entry_cases(&suite, program, block, entry, executor, plan));
            }
        }
    }
    let has_cases = suite.blocks.iter().any(|block| !block.cases.is_empty());
    if verdicts.is_empty() && !has_cases && plan.entry.is_none() {
        verdicts.push(about(1, Status::Passed));
    }
    (verdicts, Outcome::Checked)
}

/// What became of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Checked,
    Refused,
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
    // What nobody runs is not compiled.
    let out = |case: &Case| match skipped(&case.words, Some(executor), &plan.exclude) {
        None if case.words.iter().any(|word| &**word == "notest") => Some("it is marked `notest`".into()),
        reason => reason,
    };
    let engine = block.cases.iter().any(|case| out(case).is_none()).then(|| {
        let ready = caught(|| executor.ready(program, entry));
        if plan.referee { Engine::or_instead(ready, program, entry) } else { ready }
    });
    let one = |(number, case): (usize, &Case)| {
        let mut note = None;
        let status = match (out(case), &engine) {
            (None, Some(engine)) => Trial { suite, program, entry, case, plan }.status(engine, &mut note),
            (reason, _) => Status::Skipped(reason.unwrap_or_default()),
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

/// Whether a message that was expected is there: one that matches the pattern, or if words do not count, any.
pub(crate) fn expected(wanted: &str, found: &str, words: bool) -> Status {
    if !words {
        return if found.contains("[internal]") { Status::Failed(found.to_owned()) } else { Status::Passed };
    }
    // A warning or an error may be broken into lines where the pattern has a space.
    let flat = found.split_whitespace().collect::<Vec<_>>().join(" ");
    match Regex::new(wanted) {
        Ok(pattern) if pattern.is_match(found) || pattern.is_match(&flat) => Status::Passed,
        Ok(_) if found.is_empty() => Status::Failed(format!("expected a message like `{wanted}`, found none")),
        Ok(_) => Status::Failed(format!("expected a message like `{wanted}`, found:\n{found}")),
        Err(error) => Status::Failed(format!("`{wanted}` is no regular expression: {error}")),
    }
}

/// A panic of ours is a failure of the case, not of all the others.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, Message>) -> Result<T, Message> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let text = format!("this is a mistake of catadiff: {}", text.unwrap_or("it panicked"));
        Err(Message::error("internal", Default::default(), text))
    })
}
