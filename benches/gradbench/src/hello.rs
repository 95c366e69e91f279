//! `hello`: the square of a number, and its derivative.
//!
//! Law: `d x²/dx = 2 x`.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::F64;
use serde_json::Value as Json;

use crate::Task;
use crate::json::{json, number};

fn program() -> Result<Program> {
    Program::trace_named(&["x"], |x: F64| x * x)
}

pub(crate) fn square(input: &Json) -> Result<Task> {
    let inputs = vec![number(input)?.into()];
    Ok(Task { program: program()?, inputs, output: Box::new(|results| json(&results[0])) })
}

pub(crate) fn double(input: &Json) -> Result<Task> {
    let inputs = vec![number(input)?.into(), 1.0.into()];
    Ok(Task { program: program()?.vjp()?, inputs, output: Box::new(|results| json(&results[1])) })
}
