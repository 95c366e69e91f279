//! A particle filter of a stochastic volatility model: an estimate of the likelihood of returns, and its gradient through the particles, with
//! those that are drawn again held fixed.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, iota, loop_for, stop_gradient};
use catadiff::{Elementary, Result};

const PARTICLES: i64 = 64;

pub(crate) fn run() -> Result<Vec<f64>> {
    let likelihood = Program::trace(|parameters: Arr<F64>, returns: Arr<F64>, seed: I64| {
        let [level, persistence, deviation] = [0, 1, 2].map(|k| parameters.index(k));
        let key = Key::new(seed);
        let particles = key.normal(PARTICLES) * deviation + level;
        let (total, _) = loop_for(returns.len(), (F64::from(0.0), particles), |t, (total, particles)| {
            let (of_noise, of_place) = key.fold_in(t + 2).split();
            let moved = particles.map2(of_noise.normal(PARTICLES), |h, e| level + persistence * (h - level) + deviation * e);
            let y = returns.index(t);
            let weights = moved.map(|h| -0.5 * (y * y * (-h).exp() + h));
            // One number places all of them in the cumulated weights.
            let offset = of_place.uniform(1).first();
            let places = iota(PARTICLES).map(|k| (k.to_f64() + offset) / PARTICLES as f64);
            let drawn = stop_gradient(weights.softmax().cumsum()).searchsorted(places).clip(0, PARTICLES - 1);
            (total + weights.logsumexp() - (PARTICLES as f64).ln(), moved.gather(drawn))
        });
        total
    })?;
    let returns: Vec<f64> = (0..30).map(|k| (f64::from(k) * 1.7).sin() * (1.0 + 0.5 * (f64::from(k) * 0.2).cos())).collect();
    let (value, gradient): (f64, Vec<f64>) = likelihood.value_and_grad(0)?.compile()?.at(([-0.2, 0.9, 0.3], &returns, 11))?;
    Ok([vec![value], gradient].concat())
}
