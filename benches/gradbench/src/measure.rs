//! Functions of the benchmark, compiled once, run as often as an input asks for, and timed.
//!
//! Law: a time is that of one run of a compiled program, from arguments in memory to results in memory. Reading an input,
//! tracing, differentiating and compiling are times of their own; writing the output is none.

use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::{Compiled, Flat, executor};
use serde_json::{Value as Json, json};

use crate::inputs::example;
use crate::{FUNCTIONS, Function, Task, Written, missing};

/// How long something took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// What: `compile`, `prepare` or `evaluate`.
    pub name: &'static str,
    /// How long.
    pub duration: Duration,
}

impl Timing {
    fn of<T>(name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<(Timing, T)> {
        let start = Instant::now();
        let result = work()?;
        Ok((Timing { name, duration: start.elapsed() }, result))
    }

    /// As the benchmark writes it.
    #[must_use]
    pub fn to_json(self) -> Json {
        json!({ "name": self.name, "nanoseconds": u64::try_from(self.duration.as_nanos()).unwrap_or(u64::MAX) })
    }
}

/// The least time of as many runs as begin within a time, of one at least.
///
/// # Errors
/// That of a run.
pub fn least(within: Duration, mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while least == Duration::MAX || start.elapsed() < within {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed());
    }
    Ok(least)
}

/// The program as compiled C, where there is a compiler and the feature `native`.
#[must_use]
pub fn compiled_c(program: &Program) -> Option<Compiled> {
    let native = executor("native").filter(|known| known.available().is_ok())?;
    program.compile_on(native).ok()
}

/// How often an input wants its function to be run.
struct Repetitions {
    runs: u64,
    time: Duration,
}

impl Repetitions {
    /// At least one run and at least a second, unless the input says otherwise; of an input that has no fields, one run.
    fn of(input: &Json) -> Result<Self> {
        let Some(fields) = input.as_object() else { return Ok(Repetitions { runs: 1, time: Duration::ZERO }) };
        let runs = match fields.get("min_runs") {
            None => 1,
            Some(runs) => runs.as_u64().ok_or_else(|| missing("min_runs", "a number of runs", runs))?,
        };
        let time = match fields.get("min_seconds") {
            None => Duration::from_secs(1),
            Some(seconds) => {
                let time = seconds.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                time.ok_or_else(|| missing("min_seconds", "a time in seconds", seconds))?
            }
        };
        Ok(Repetitions { runs, time })
    }
}

/// What comes of a function for an input.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The output that the benchmark expects.
    pub output: Written,
    /// The preparation, and every run.
    pub timings: Vec<Timing>,
}

/// The programs that are compiled so far, for an executor.
#[derive(Debug, Default)]
pub struct Tool {
    executor: Option<&'static str>,
    compiled: Vec<(Program, Compiled)>,
}

impl Tool {
    /// A tool that has programs run on the executor of this name.
    ///
    /// # Errors
    /// [`Argument`](catadiff::Error::Argument) if there is no such executor here.
    pub fn on(name: &str) -> Result<Self> {
        let known = executor(name).filter(|known| known.available().is_ok());
        let known = known.ok_or_else(|| missing("--executor", "an executor of this machine", &json!(name)))?;
        Ok(Tool { executor: Some(known.name()), compiled: Vec::new() })
    }

    /// Where the program is that is equal to this one; it is compiled if it was not before.
    fn compile(&mut self, program: &Program) -> Result<usize> {
        if let Some(known) = self.compiled.iter().position(|(known, _)| known == program) {
            return Ok(known);
        }
        let compiled = match self.executor.and_then(executor) {
            None => program.compile()?,
            Some(executor) => program.compile_on(executor)?,
        };
        self.compiled.push((program.clone(), compiled));
        Ok(self.compiled.len() - 1)
    }

    /// Makes the programs of a module, derivatives included, and compiles them. Those that depend on the sizes of an
    /// input (the layers of a network, the rows of a determinant) are made again for an input of other sizes.
    ///
    /// # Errors
    /// [`Argument`](catadiff::Error::Argument) if there is no such module.
    pub fn define(&mut self, module: &str) -> Result<Timing> {
        let input = example(module)?;
        let functions = FUNCTIONS.iter().filter(|f| f.module == module);
        let compile = || functions.map(|f| self.compile(&(f.task)(&input)?.program)).collect::<Result<Vec<_>>>();
        Ok(Timing::of("compile", compile)?.0)
    }

    /// Runs a function as often as the input wants, which is gone by then.
    ///
    /// # Errors
    /// [`Argument`](catadiff::Error::Argument) if the input lacks something, and those of [`Compiled::run_into`].
    pub fn evaluate(&mut self, function: &Function, input: Json) -> Result<Outcome> {
        let wanted = Repetitions::of(&input)?;
        let prepare = || {
            let task = (function.task)(&input)?;
            drop(input);
            // For the sizes of the input, as compilers that are called with arrays do by themselves.
            let program = self.compile(&task.specialised()?)?;
            Ok((task, program))
        };
        let (prepare, (Task { inputs, output, .. }, program)) = Timing::of("prepare", prepare)?;
        let compiled = &self.compiled[program].1;
        let (mut results, mut timings, mut spent) = (Vec::<Flat>::new(), vec![prepare], Duration::ZERO);
        loop {
            let (timing, ()) = Timing::of("evaluate", || compiled.run_into(&inputs, &mut results))?;
            spent += timing.duration;
            timings.push(timing);
            if spent >= wanted.time && timings.len() as u64 > wanted.runs {
                return Ok(Outcome { output: output(&mut results), timings });
            }
        }
    }
}
