//! Variational inference: the posterior of a regression as independent normal distributions, by ascent on a bound of the evidence whose
//! gradient goes through the samples.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};
use catadiff::{Elementary, Result};

const SAMPLES: i64 = 8;

pub(crate) fn run() -> Result<Vec<f64>> {
    // The bound, but for constants: observations have deviation 0.5, and the prior of the coefficients is standard.
    let bound = Program::trace(|mean: Arr<F64>, log: Arr<F64>, noise: Arr<Arr<F64>>, xs: Arr<F64>, ys: Arr<F64>| {
        let sample = |noise: Arr<F64>| {
            let w = mean + log.map(Elementary::exp) * noise;
            let residual = xs.map2(ys, |x, y| y - w.index(0) - w.index(1) * x);
            -2.0 * residual.dot(residual) - 0.5 * w.dot(w)
        };
        noise.map(sample).mean() + log.sum()
    })?;
    let gradient = bound.grad([0, 1])?;
    let ascend = Program::trace(move |seed: I64| {
        let (of_data, of_steps) = Key::new(seed).split();
        let (of_xs, of_noise) = of_data.split();
        let xs = of_xs.normal(40);
        let ys = xs.map2(of_noise.normal(40), |x, e| 1.0 - 2.0 * x + 0.5 * e);
        let start = (xs.take(2) * 0.0, xs.take(2) * 0.0 - 1.0);
        loop_for(300, start, |k, (mean, log)| {
            let noise = of_steps.fold_in(k).normal(SAMPLES * 2).unflatten(SAMPLES, 2);
            let (by_mean, by_log): (Arr<F64>, Arr<F64>) = gradient.call((mean, log, noise, xs, ys));
            (mean + by_mean * 0.002, log + by_log * 0.002)
        })
    })?;
    let (mean, log): (Vec<f64>, Vec<f64>) = ascend.compile()?.at(3)?;
    Ok([mean, log].concat())
}
