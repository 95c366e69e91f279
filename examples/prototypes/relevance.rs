//! Ridge regression with a strength for each feature, learnt on other data (Bengio, "Gradient-Based Optimization of Hyperparameters", 2000): the
//! solution of the inner problem is a solve by Cholesky's factor, through which the loss on held-out data is differentiated.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, eye, loop_for};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;

fn ridge(log: Arr<F64>, features: Matrix, ys: Arr<F64>) -> Arr<F64> {
    let diagonal = eye::<F64>(log.len()) * log.map(Elementary::exp);
    let gram = features.transpose().matmul(features) + diagonal;
    gram.cholesky().cholesky_solve(features.transpose().matvec(ys))
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let held_out = Program::trace(|log: Arr<F64>, features: Matrix, ys: Arr<F64>| {
        let half = ys.len() / 2;
        let error = features.drop(half).matvec(ridge(log, features.take(half), ys.take(half))) - ys.drop(half);
        error.dot(error)
    })?;
    let gradient = held_out.value_and_grad(0)?;
    let learn = Program::trace(move |features: Matrix, ys: Arr<F64>| {
        let (loss, log) = loop_for(60, (F64::from(0.0), features.first() * 0.0), |_, (_, log)| {
            let (loss, slope): (F64, Arr<F64>) = gradient.call((log, features, ys));
            (loss, log - slope * 0.3)
        });
        (loss, log, ridge(log, features, ys))
    })?;
    // Two of eight features matter.
    let features: Vec<Vec<f64>> = (0..40).map(|i| (0..8).map(|j| (f64::from(i * i) * 0.3 + f64::from(j * (i + 3)) * 1.7).sin()).collect()).collect();
    let ys: Vec<f64> = features.iter().zip(0..).map(|(x, i)| 2.0 * x[1] - x[5] + 0.3 * (f64::from(i) * 5.1).cos()).collect();
    let (loss, log, weights): (f64, Vec<f64>, Vec<f64>) = learn.compile()?.at((features, ys))?;
    Ok([vec![loss], log, weights].concat())
}
