//! A network that solves a differential equation: `u″ = −π² sin πx` with `u(0) = u(1) = 0`, by gradients of second derivatives.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, linspace, loop_for};
use catadiff::{Elementary, Result};
use core::f64::consts::PI;

const UNITS: i64 = 10;

pub(crate) fn run() -> Result<Vec<f64>> {
    // What is 0 at both ends whatever the weights are.
    let solution = Program::trace(|weights: Arr<F64>, x: F64| {
        let (slopes, shifts, out) = (weights.take(UNITS), weights.slice(UNITS, 2 * UNITS), weights.drop(2 * UNITS));
        x * (1.0 - x) * out.dot((slopes * x + shifts).map(Elementary::tanh))
    })?;
    let curvature = solution.grad(1)?.grad(1)?;
    let residual = Program::trace(move |weights: Arr<F64>, xs: Arr<F64>| {
        xs.map(|x| curvature.call::<F64>((weights, x)) + PI * PI * (x * PI).sin()).map(|e| e * e).mean()
    })?;
    let gradient = residual.grad(0)?;
    let train = Program::trace(move |seed: I64| {
        let xs = linspace(F64::from(0.0), 1.0, 21);
        let weights = loop_for(200, Key::new(seed).normal(3 * UNITS), |_, weights| {
            weights - gradient.call::<Arr<F64>>((weights, xs)) * 0.0005
        });
        (residual.call::<F64>((weights, xs)), xs.map(|x| solution.call::<F64>((weights, x))))
    })?;
    let (residual, values): (f64, Vec<f64>) = train.compile()?.at(1)?;
    Ok([vec![residual], values].concat())
}
