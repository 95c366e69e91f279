//! A perceptron of two layers that learns a wave: the whole training by Adam is one program, batches and all.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};
use catadiff::solvers::{Adam, Optimiser};
use catadiff::{Elementary, Result};

const HIDDEN: i64 = 8;
const BATCH: i64 = 16;

/// The weights are one vector: of the first layer, its biases, those of the second layer.
fn network(weights: Arr<F64>, x: F64) -> F64 {
    let (first, bias, second) =
        (weights.take(HIDDEN), weights.slice(HIDDEN, 2 * HIDDEN), weights.slice(2 * HIDDEN, 3 * HIDDEN));
    second.dot((first * x + bias).map(Elementary::tanh))
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|weights: Arr<F64>, xs: Arr<F64>, ys: Arr<F64>| {
        xs.map2(ys, |x, y| network(weights, x) - y).map(|e| e * e).mean()
    })?;
    let step = Adam::new(0.05).step(&loss, 0)?;
    let train = Program::trace(move |seed: I64| {
        let (of_weights, of_data) = Key::new(seed).split();
        let xs = of_data.uniform(128) * 4.0 - 2.0;
        let ys = xs.map(|x| (x * 2.0).sin());
        let weights = of_weights.normal(3 * HIDDEN);
        let nothing = weights.zeros_like();
        let (weights, ..) = loop_for(200, (weights, nothing, nothing, 0), |k, (weights, means, squares, steps)| {
            let begin = k % 8 * BATCH;
            let batch = |all: Arr<F64>| all.slice(begin, begin + BATCH);
            let state: (Arr<F64>, Arr<F64>, Arr<F64>, I64, F64) =
                step.call((weights, means, squares, steps, batch(xs), batch(ys)));
            (state.0, state.1, state.2, state.3)
        });
        (loss.call::<F64>((weights, xs, ys)), weights)
    })?;
    let (loss, weights): (f64, Vec<f64>) = train.compile()?.at(7)?;
    Ok([vec![loss], weights].concat())
}
