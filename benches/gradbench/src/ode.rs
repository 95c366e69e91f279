//! `ode`: a system of differential equations by the classical method of Runge and Kutta.
//!
//! Law: `y₀′ = x₀`, `yᵢ′ = xᵢ yᵢ₋₁`, `y(0) = 0`, at `t = 2` in `s` steps, which is exact for the first four components:
//! `yᵢ(t) = x₀ ⋯ xᵢ tⁱ⁺¹ / (i + 1)!`. The gradient is that of the last component.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::execute::Flat;
use catadiff::transform::Static;
use serde_json::Value as Json;

use crate::Task;
use crate::json::{integer, reals, whole};

fn solution(x: Arr<F64>, s: I64) -> Arr<F64> {
    let slope = |y: Arr<F64>| x * literal([1.0]).concat(y.take(y.len() - 1));
    let h = 2.0 / s.to_f64();
    loop_for(s, x.zeros_like(), |_, y| {
        let k1 = slope(y);
        let k2 = slope(y + k1 * (h / 2.0));
        let k3 = slope(y + k2 * (h / 2.0));
        let k4 = slope(y + k3 * h);
        y + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0)
    })
}

pub(crate) fn objective() -> Result<Program> {
    Program::trace_named(&["x", "s"], |x: Arr<F64>, s: I64| solution(x, s).last())
}

fn inputs(input: &Json) -> Result<Vec<Flat>> {
    Ok(vec![reals(input, "x", 1)?, whole(integer(input, "s")?)?])
}

pub(crate) fn primal(input: &Json) -> Result<Task> {
    Task::value(Program::trace_named(&["x", "s"], solution)?, inputs(input)?)
}

pub(crate) fn gradient(input: &Json) -> Result<Task> {
    let (x, s) = (reals(input, "x", 1)?, integer(input, "s")?);
    // Of the last component few elements are needed, which is known where the sizes are.
    let known = [Static::of_sizes(x.sizes()), Static::Value(s.into())];
    Task::gradient(&objective()?.specialise(&known)?, vec![x])
}
