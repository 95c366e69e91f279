//! `lse`: the logarithm of a sum of exponentials.
//!
//! Law: `log Σᵢ exp xᵢ = m + log Σᵢ exp(xᵢ − m)` for every `m`; the greatest `xᵢ` keeps the exponentials in range.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::{Elementary, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::reals;

pub(crate) fn objective() -> Result<Program> {
    Program::trace_named(&["x"], |x: Arr<F64>| {
        let m = x.max();
        (x - m).map(Elementary::exp).sum().ln() + m
    })
}

pub(crate) fn primal(input: &Json) -> Result<Task> {
    Task::value(objective()?, vec![reals(input, "x", 1)?])
}

pub(crate) fn gradient(input: &Json) -> Result<Task> {
    Task::gradient(&objective()?, vec![reals(input, "x", 1)?])
}
