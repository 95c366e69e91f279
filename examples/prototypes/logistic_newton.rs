//! Logistic regression by Newton's method on the breast cancer data of examples/data: the loss is all that is written. The Hessian is a
//! program, and so is its solve, so ten features take eight steps to the last digit.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|weights: Arr<F64>, features: Matrix, benign: Arr<F64>| {
        let surprise = features.map2(benign, |x, y| ((1.0 - 2.0 * y) * weights.dot(x)).softplus());
        surprise.mean() + 0.01 * weights.dot(weights)
    })?;
    let (gradient, hessian) = (loss.grad(0)?, loss.hessian(0)?);
    let fit = Program::trace(move |table: Matrix| {
        let columns = table.transpose();
        let features = columns.take(10).map(|c| (c - c.mean()) / c.std()).transpose();
        let benign = columns.last();
        let start = columns.take(10).map(|_| 0.0);
        let weights = loop_for(8, start, |_, w| {
            w - hessian.call::<Matrix>((w, features, benign)).solve(gradient.call::<Arr<F64>>((w, features, benign)))
        });
        let right = features.map2(benign, |x, y| weights.dot(x).gt(0.0).to_f64().eq(y).to_f64());
        (loss.call::<F64>((weights, features, benign)), weights, right.mean())
    })?;
    let (_, rows) = include_str!("../data/breast_cancer.csv").split_once('\n').expect("the first line says what is there");
    let table = crate::table(rows, 200);
    let (loss, weights, right): (f64, Vec<f64>, f64) = fit.compile()?.at(table)?;
    Ok([vec![loss], weights, vec![right]].concat())
}
