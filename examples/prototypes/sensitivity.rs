//! How the path of a differential equation depends on its parameters to second order: the Hessian of a functional of van der Pol's oscillator, forward
//! over reverse through the steps of Runge and Kutta, and with it the error that uncertain parameters lead to.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, literal, loop_for};

type Vector = Arr<F64>;
const DT: f64 = 0.05;

pub(crate) fn run() -> Result<Vec<f64>> {
    let mean_square = Program::trace(|parameters: Vector| {
        let [damping, stiffness, start] = [0, 1, 2].map(|k| parameters.index(k));
        let change = |state: Vector| {
            let (x, v) = (state.index(0), state.index(1));
            literal([v, damping * (1.0 - x * x) * v - stiffness * x])
        };
        let (_, total) = loop_for(100, (literal([start, 0.0.into()]), F64::from(0.0)), |_, (state, total)| {
            let first = change(state);
            let second = change(state + first * (DT / 2.0));
            let third = change(state + second * (DT / 2.0));
            let fourth = change(state + third * DT);
            let next = state + (first + (second + third) * 2.0 + fourth) * (DT / 6.0);
            (next, total + next.index(0) * next.index(0) / 100.0)
        });
        total
    })?;
    let (gradient, hessian) = (mean_square.value_and_grad(0)?, mean_square.hessian(0)?);
    let moments = Program::trace(move |parameters: Vector, deviations: Vector| {
        let (value, slope): (F64, Vector) = gradient.call(parameters);
        let bend: Arr<Vector> = hessian.call(parameters);
        let scaled = bend * deviations.outer(deviations);
        let first = slope * deviations;
        // Of independent normal parameters, by the expansion to second order.
        let (mean, variance) = (value + 0.5 * scaled.trace(), first.dot(first) + 0.5 * (scaled * scaled).flatten().sum());
        (mean, variance, slope, bend)
    })?;
    let at = ([1.0, 2.0, 1.5], [0.1, 0.1, 0.2]);
    let (mean, variance, slope, bend): (f64, f64, Vec<f64>, Vec<Vec<f64>>) = moments.compile()?.at(at)?;
    Ok([vec![mean, variance], slope, bend.concat()].concat())
}
