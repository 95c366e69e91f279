//! `saddle`: the saddle point of `(x₁² + y₁²) − (x₂² + y₂²)`.
//!
//! Law: `min_{x₁ y₁} max_{x₂ y₂} f`: the function that the outer descent minimises is itself found by a descent, so the outer
//! derivative is of a loop that contains the inner one. The result is the point, where the descents stop.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, literal};
use serde_json::Value as Json;

use crate::Task;
use crate::descent::{Differentiable, Mode};
use crate::json::reals;

fn squares(x: Arr<F64>) -> F64 {
    x.dot(x)
}

fn program([outer, inner]: [Mode; 2]) -> Result<Program> {
    let lower = Differentiable::new(inner, |second, first| squares(second) - squares(first))?;
    let greatest = |first, start| -lower.value(lower.argmin(start, first), first);
    let upper = Differentiable::new(outer, greatest)?;
    let program = Program::trace_named(&["start"], |start: Arr<F64>| {
        // Of known size, loops over it are scalar code.
        let start = literal([start.index(0), start.index(1)]);
        let first = upper.argmin(start, start);
        first.concat(lower.argmin(start, first))
    })?;
    Ok(program.simplified())
}

pub(crate) fn task(modes: [Mode; 2], input: &Json) -> Result<Task> {
    Task::value(program(modes)?, vec![reals(input, "start", 1)?])
}
