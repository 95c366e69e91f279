//! A hidden Markov model: the likelihood of a sequence by the forward algorithm on logarithms, and its gradient, which is what
//! the forward-backward algorithm counts.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let likelihood = Program::trace(|moves: Arr<Arr<F64>>, shows: Arr<Arr<F64>>, seen: Arr<I64>| {
        // Rows of both are scores.
        let (moves, shows) = (moves.map(Arr::log_softmax), shows.map(Arr::log_softmax).transpose());
        let start = shows.index(seen.index(0)) - moves.len().to_f64().ln();
        let all = loop_for(seen.len() - 1, start, |t, before| {
            moves.transpose().map(|column| (column + before).logsumexp()) + shows.index(seen.index(t + 1))
        });
        all.logsumexp()
    })?;
    let moves = [[1.0, 0.0, -1.0], [0.2, 0.8, 0.1], [-0.5, 0.3, 0.9]];
    let shows = [[0.5, -0.5, 0.0, 1.0], [1.0, 0.0, -1.0, 0.0], [0.0, 0.4, 0.8, -0.2]];
    let seen: Vec<i64> = (0..60).map(|k| k * k % 7 % 4).collect();
    type Table = Vec<Vec<f64>>;
    let gradient = likelihood.value_and_grad([0, 1])?.compile()?;
    let (value, (moves, shows)): (f64, (Table, Table)) = gradient.at((moves, shows, &seen))?;
    Ok([vec![value], moves.concat(), shows.concat()].concat())
}
