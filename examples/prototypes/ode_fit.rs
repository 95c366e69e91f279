//! Predators and prey: the rates of Lotka and Volterra's equations from noisy counts, by the gradient through an adaptive solver.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::solvers::{OdeOptions, odeint_with};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let misfit = Program::trace(|rates: Arr<F64>, times: Arr<F64>, counts: Arr<Arr<F64>>| {
        let [birth, hunt, death, growth] = [0, 1, 2, 3].map(|k| rates.index(k));
        let change = |state: Arr<F64>, _: F64| {
            let (prey, predators) = (state.index(0), state.index(1));
            [birth * prey - hunt * prey * predators, growth * prey * predators - death * predators]
        };
        let options = OdeOptions { relative: 1e-11, absolute: 1e-11, ..OdeOptions::default() };
        let states = odeint_with(&options, change, counts.index(0), times);
        // The first state is given.
        let apart = (states.map2(counts, |s, c| s.map2(c, |s, c| (s / c).ln()))).drop(1);
        apart.map(Arr::norm).sum() / times.len().to_f64()
    })?;
    let times: Vec<f64> = (0..20).map(|k| f64::from(k) * 0.5).collect();
    let counts: Vec<[f64; 2]> = times.iter().map(|t| [3.0 + 2.0 * (t * 0.9).cos(), 2.0 + (t * 0.9 - 1.0).cos()]).collect();
    let (value, gradient): (f64, Vec<f64>) =
        misfit.value_and_grad(0)?.compile()?.at(([1.1, 0.4, 0.9, 0.25], &times, counts))?;
    Ok([vec![value], gradient].concat())
}
