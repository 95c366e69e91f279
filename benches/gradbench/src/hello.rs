//! `hello`: the square of a number, and its derivative.
//!
//! Law: `d x²/dx = 2 x`.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::F64;
use serde_json::Value as Json;

use crate::json::{number, real};
use crate::{Task, Written};

fn program() -> Result<Program> {
    Program::trace_named(&["x"], |x: F64| x * x)
}

pub(crate) fn square(input: &Json) -> Result<Task> {
    let inputs = vec![real(number(input)?)?];
    Task::value(program()?, inputs)
}

pub(crate) fn double(input: &Json) -> Result<Task> {
    let inputs = vec![real(number(input)?)?, real(1.0)?];
    Ok(Task { program: program()?.vjp()?, inputs, output: Box::new(|results| Written::result(results, 1)) })
}
