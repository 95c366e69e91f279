//! `llsq`: the least squares of a polynomial that is fitted to the sign function.
//!
//! Law: `½ Σᵢ (sgn tᵢ − Σⱼ xⱼ tᵢʲ)²` with `n` places `tᵢ = −1 + 2i / (n − 1)`.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota};
use catadiff::execute::Flat;
use catadiff::{Elementary, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::{integer, reals, whole};

pub(crate) fn objective() -> Result<Program> {
    Program::trace_named(&["x", "n"], |x: Arr<F64>, n: I64| {
        let t = iota(n).map(|i| i.to_f64() * (2.0 / (n - 1).to_f64()) - 1.0);
        let residual = |t: F64| {
            // 1, t, t², …: the products of the prefixes of 1, t, t, …
            let powers = x.fill(t).with(0, 1.0).scan(1.0, |a, b| a * b);
            t.signum() - x.dot(powers)
        };
        t.map(residual).map(|r| r * r).sum() * 0.5
    })
}

fn inputs(input: &Json) -> Result<Vec<Flat>> {
    Ok(vec![reals(input, "x", 1)?, whole(integer(input, "n")?)?])
}

pub(crate) fn primal(input: &Json) -> Result<Task> {
    Task::value(objective()?, inputs(input)?)
}

pub(crate) fn gradient(input: &Json) -> Result<Task> {
    Task::gradient(&objective()?, inputs(input)?)
}
