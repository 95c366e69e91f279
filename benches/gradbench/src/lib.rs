//! The twelve functions of GradBench, the public benchmark of AD tools, as array programs.
//!
//! Law: each function is written once, without its derivative; what the benchmark calls gradient, Jacobian or
//! direction is a transformation of that program. A [`Task`] is a program, its inputs, and how its results read
//! in the benchmark's format, so that any executor can run it.
//!
//! `cargo run --release -p catadiff-gradbench --example work` prints how many operations each performs. The program
//! `catadiff-gradbench` is the benchmark's tool: it speaks the benchmark's [protocol], and makes [inputs] of any size.
//!
//! The formulas are those of the benchmark (github.com/gradbench/gradbench); names of modules and functions are its names.

mod ba;
mod descent;
mod det;
mod gmm;
mod hello;
mod ht;
pub mod inputs;
mod json;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
pub mod measure;
mod ode;
mod particle;
pub mod protocol;
mod saddle;
mod work;

use catadiff::array::Program;
use catadiff::execute::Flat;
use catadiff::interpret::Value;
use catadiff::transform::Static;
use catadiff::{Error, Result};
use serde_json::Value as Json;

pub use json::Written;
pub use work::Work;

use descent::{FF, FR, RF, RR};

/// From the results of a program, which it may take, to the output that the benchmark expects.
pub type Output = Box<dyn Fn(&mut [Flat]) -> Written>;

/// What a function of the benchmark asks to be run.
pub struct Task {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub inputs: Vec<Flat>,
    /// From its results to the output that the benchmark expects.
    pub output: Output,
}

/// A function of a module of the benchmark.
pub struct Function {
    /// The name of the module.
    pub module: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// The task for an input.
    pub task: fn(&Json) -> Result<Task>,
}

/// Every function of the benchmark.
pub const FUNCTIONS: &[Function] = &[
    Function { module: "hello", name: "square", task: hello::square },
    Function { module: "hello", name: "double", task: hello::double },
    Function { module: "ba", name: "objective", task: ba::objective },
    Function { module: "ba", name: "jacobian", task: ba::jacobian },
    Function { module: "gmm", name: "objective", task: gmm::objective },
    Function { module: "gmm", name: "jacobian", task: gmm::jacobian },
    Function { module: "ht", name: "objective", task: ht::objective },
    Function { module: "ht", name: "jacobian", task: ht::jacobian },
    Function { module: "lstm", name: "objective", task: lstm::objective },
    Function { module: "lstm", name: "jacobian", task: lstm::jacobian },
    Function { module: "kmeans", name: "cost", task: kmeans::cost },
    Function { module: "kmeans", name: "dir", task: kmeans::dir },
    Function { module: "lse", name: "primal", task: lse::primal },
    Function { module: "lse", name: "gradient", task: lse::gradient },
    Function { module: "llsq", name: "primal", task: llsq::primal },
    Function { module: "llsq", name: "gradient", task: llsq::gradient },
    Function { module: "det", name: "primal", task: det::primal },
    Function { module: "det", name: "gradient", task: det::gradient },
    Function { module: "ode", name: "primal", task: ode::primal },
    Function { module: "ode", name: "gradient", task: ode::gradient },
    Function { module: "particle", name: "ff", task: |input| particle::task(FF, input) },
    Function { module: "particle", name: "fr", task: |input| particle::task(FR, input) },
    Function { module: "particle", name: "rf", task: |input| particle::task(RF, input) },
    Function { module: "particle", name: "rr", task: |input| particle::task(RR, input) },
    Function { module: "saddle", name: "ff", task: |input| saddle::task(FF, input) },
    Function { module: "saddle", name: "fr", task: |input| saddle::task(FR, input) },
    Function { module: "saddle", name: "rf", task: |input| saddle::task(RF, input) },
    Function { module: "saddle", name: "rr", task: |input| saddle::task(RR, input) },
];

/// The function of this name in this module.
///
/// # Errors
/// [`Error::Argument`] with the names that there are.
pub fn function(module: &str, name: &str) -> Result<&'static Function> {
    known_module(module)?;
    let of_module = || FUNCTIONS.iter().filter(|f| f.module == module);
    of_module().find(|f| f.name == name).ok_or_else(|| other("function", name, of_module().map(|f| f.name)))
}

/// The modules of the benchmark.
pub fn modules() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.chunk_by(|f, g| f.module == g.module).map(|of| of[0].module)
}

fn known_module(module: &str) -> Result<()> {
    if modules().any(|known| known == module) { Ok(()) } else { Err(other("module", module, modules())) }
}

/// The error of a name that is none of those there are.
fn other<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    let expected = format!("one of {}", known.collect::<Vec<_>>().join(", "));
    Error::Argument { name: what.to_owned(), expected, found: format!("`{name}`") }
}

impl Task {
    /// A program of one result, which is the output.
    fn value(program: Program, inputs: Vec<Flat>) -> Result<Task> {
        Ok(Task { program, inputs, output: Box::new(|results| Written::result(results, 0)) })
    }

    /// The gradient of a function of one real result by its first input.
    fn gradient(function: &Program, inputs: Vec<Flat>) -> Result<Task> {
        Task::value(function.grad(0)?, inputs)
    }

    /// The output, by the reference interpreter.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn interpret(&self) -> Result<Json> {
        let mut results: Vec<Flat> = self.program.run(&self.values())?.iter().map(Flat::from).collect();
        Ok((self.output)(&mut results).to_json())
    }

    /// The output, on lanes.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn execute(&self) -> Result<Json> {
        let mut results = Vec::new();
        self.program.compile()?.run_into(&self.inputs, &mut results)?;
        Ok((self.output)(&mut results).to_json())
    }

    /// The inputs as the reference interpreter reads them.
    #[must_use]
    pub fn values(&self) -> Vec<Value<f64>> {
        self.inputs.iter().map(Flat::to_value).collect()
    }

    /// The program for inputs of these sizes.
    ///
    /// # Errors
    /// Those of [`Program::specialise`].
    pub fn specialised(&self) -> Result<Program> {
        let known = |input: &Flat| Static::of_sizes(input.sizes());
        self.program.specialise(&self.inputs.iter().map(known).collect::<Vec<_>>())
    }
}

/// The error of an input that lacks something.
fn missing(name: &str, expected: &str, found: &Json) -> Error {
    let found = match found {
        Json::Null => "nothing".to_owned(),
        found => found.to_string().chars().take(40).collect(),
    };
    Error::Argument { name: name.to_owned(), expected: expected.to_owned(), found }
}
