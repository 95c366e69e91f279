//! `particle`: the field in which a charged particle reaches the ground at the origin.
//!
//! Law: a particle starts at (0, 8) with velocity (¾, 0) and is accelerated by `−∇p`, `p(x) = Σ 1 / ‖x − c‖` over charges
//! at (10, 10 − w) and (10, 0), in Euler steps of a tenth until it is below the ground. The result is the `w` for which
//! the square of where it lands is least. The outer derivative is by `w`, the inner one is the field.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, literal, loop_while};
use serde_json::Value as Json;

use crate::Task;
use crate::descent::{Differentiable, Mode, norm};
use crate::json::reals;

/// The potential at a place, for the parameter `w`.
fn potential(x: Arr<F64>, w: Arr<F64>) -> F64 {
    let charges = literal([[10.0.into(), 10.0 - w.first()], [10.0.into(), 0.0.into()]]);
    charges.map(|c| 1.0 / norm(x - c)).sum()
}

/// The square of where the particle lands.
fn miss(potential: &Differentiable, w: Arr<F64>) -> F64 {
    const DT: f64 = 0.1;
    let next = |x: Arr<F64>, v: Arr<F64>| x + v * DT;
    let start = (literal([0.0, 8.0]), literal([0.75, 0.0]));
    let above = |(x, v)| next(x, v).index(1).gt(0.0);
    let (x, v) = loop_while(start, above, |(x, v)| (next(x, v), v - potential.gradient(x, w) * DT));
    let landing = x.index(0) - v.index(0) * x.index(1) / v.index(1);
    landing * landing
}

fn program([outer, inner]: [Mode; 2]) -> Result<Program> {
    let potential = Differentiable::new(inner, potential)?;
    let miss = Differentiable::new(outer, |w, _| miss(&potential, w))?;
    let program = Program::trace_named(&["w"], |w: F64| {
        let start = literal([w]);
        miss.argmin(start, start.take(0)).first()
    })?;
    Ok(program.simplified())
}

pub(crate) fn task(modes: [Mode; 2], input: &Json) -> Result<Task> {
    Task::value(program(modes)?, vec![reals(input, "w", 0)?])
}
