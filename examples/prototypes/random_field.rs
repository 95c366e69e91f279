//! A conditional random field of a chain (Lafferty, McCallum and Pereira, 2001) learns to label a sequence. The normalising constant is a
//! product of matrices of logarithms, and that is associative: a `reduce`, which may be taken in parallel, and not a loop.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, loop_for, tabulate2d};
use catadiff::Result;

const LABELS: i64 = 3;
type Matrix = Arr<Arr<F64>>;

/// The product of matrices where sums are sums of exponentials, and products are sums.
fn product(a: Matrix, b: Matrix) -> Matrix {
    a.map(|row| b.transpose().map(|column| (row + column).logsumexp()))
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let surprise = Program::trace(|moves: Matrix, shows: Matrix, inputs: Matrix, labels: Arr<I64>| {
        let scores = inputs.matmul(shows);
        let one = tabulate2d(LABELS, LABELS, |i, j| if_(i.eq(j), || 0.0, || -1e30));
        let all = scores.drop(1).map(|row| moves + row).reduce(one, product);
        let total = (all.transpose() + scores.first()).flatten().logsumexp();
        let seen = scores.map2(labels, |row, label| row.index(label)).sum();
        let moved = labels.take(labels.len() - 1).map2(labels.drop(1), |a, b| moves.index2(a, b)).sum();
        total - seen - moved
    })?;
    let gradient = surprise.value_and_grad([0, 1])?;
    let learn = Program::trace(move |inputs: Matrix, labels: Arr<I64>| {
        let zeros = |n: i64| tabulate2d(n, LABELS, |_, _| F64::from(0.0));
        loop_for(30, (F64::from(0.0), zeros(LABELS), zeros(4)), |_, (_, moves, shows)| {
            let (loss, (by_moves, by_shows)): (F64, (Matrix, Matrix)) = gradient.call((moves, shows, inputs, labels));
            (loss, moves - by_moves * 0.05, shows - by_shows * 0.05)
        })
    })?;
    let inputs: Vec<[f64; 4]> = (0..40).map(f64::from).map(|t| [1.0, (t * 0.4).sin(), (t * 0.4).cos(), (t * 3.1).sin()]).collect();
    let labels: Vec<i64> = (0..40).map(|t| (f64::from(t) * 0.4).sin()).map(|s| if s > 0.5 { 2 } else { i64::from(s > -0.5) }).collect();
    let (loss, moves, shows): (f64, Vec<Vec<f64>>, Vec<Vec<f64>>) = learn.compile()?.at((inputs, labels))?;
    Ok([vec![loss], moves.concat(), shows.concat()].concat())
}
