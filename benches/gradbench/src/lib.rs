//! The twelve functions of GradBench, the public benchmark of AD tools, as array programs.
//!
//! Law: each function is written once, without its derivative; what the benchmark calls gradient, Jacobian or
//! direction is a transformation of that program. A [`Task`] is a program, its inputs, and how its results read
//! in the benchmark's format, so that any executor can run it.
//!
//! The formulas are those of the benchmark (github.com/gradbench/gradbench); names of modules and functions are its names.

mod hello;
mod json;

use catadiff::array::Program;
use catadiff::interpret::Value;
use catadiff::{Error, Result};
use serde_json::Value as Json;

/// From the results of a program to the output that the benchmark expects.
pub type Output = Box<dyn Fn(&[Value<f64>]) -> Json>;

/// What a function of the benchmark asks to be run.
pub struct Task {
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub inputs: Vec<Value<f64>>,
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
];

/// The function of this name in this module.
#[must_use]
pub fn function(module: &str, name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|f| f.module == module && f.name == name)
}

impl Task {
    /// The output, by the reference interpreter.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn interpret(&self) -> Result<Json> {
        Ok((self.output)(&self.program.run(&self.inputs)?))
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
