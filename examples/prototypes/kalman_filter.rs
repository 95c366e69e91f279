//! A Kalman filter of positions with unknown noise: the likelihood of what was observed, and its gradient by the deviations.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, eye, literal, loop_for};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let likelihood = Program::trace(|log: Arr<F64>, observed: Arr<F64>| {
        let (process, noise) = ((log.index(0) * 2.0).exp(), (log.index(1) * 2.0).exp());
        let (move_, disturb) = (literal([[1.0, 1.0], [0.0, 1.0]]), literal([[0.25, 0.5], [0.5, 1.0]]));
        let start = (F64::from(0.0), literal([0.0, 0.0]), eye::<F64>(2) * 10.0);
        let (total, _, _) = loop_for(observed.len(), start, |t, (total, mean, covariance)| {
            let mean = move_.matvec(mean);
            let covariance = move_.matmul(covariance).matmul(move_.transpose()) + disturb * process;
            // Only the position is observed.
            let (residual, variance) = (observed.index(t) - mean.index(0), covariance.index2(0, 0) + noise);
            let gain = covariance.map(|row| row.index(0) / variance);
            let seen = covariance.index(0);
            let total = total - 0.5 * (residual * residual / variance + (variance * core::f64::consts::TAU).ln());
            (total, mean + gain * residual, covariance - gain.outer(seen))
        });
        total
    })?;
    let observed: Vec<f64> = (0..50).map(f64::from).map(|t| 0.3 * t + (t * 2.3).sin() + 0.1 * (t * 0.7).cos()).collect();
    let (value, gradient): (f64, Vec<f64>) = likelihood.value_and_grad(0)?.compile()?.at(([-1.0, 0.2], &observed))?;
    Ok([vec![value], gradient].concat())
}
