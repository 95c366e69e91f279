//! One forward algorithm of a hidden Markov model, and what it computes by the choice of a semiring (Goodman, "Semiring Parsing", 1999): a likelihood,
//! the likeliest path, how many paths there are. The derivative is by the product rule, which asks for a semiring and no more: with maxima, it says
//! which states the best path goes through.

use catadiff::algebra::plain::{Counting, Viterbi};
use catadiff::carriers::{Dual, Sparse};
use catadiff::prelude::*;
use catadiff::Semiring;

const MOVES: [[f64; 3]; 3] = [[0.7, 0.3, 0.0], [0.0, 0.6, 0.4], [0.2, 0.0, 0.8]];
const SHOWS: [[f64; 2]; 3] = [[0.9, 0.1], [0.4, 0.6], [0.25, 0.75]];

/// The sum over all paths of the products along them, where `seen[t][i]` weighs state `i` at time `t`.
fn forward<S: Semiring>(seen: &[[S; 3]], weight: impl Fn(f64) -> S) -> S {
    let total = |terms: [S; 3]| terms.into_iter().fold(S::zero(), |a, b| a + b);
    let states = [0, 1, 2];
    let last = seen[1..].iter().fold(seen[0].clone(), |before, seen| {
        states.map(|j| total(states.map(|i| before[i].clone() * weight(MOVES[i][j]))) * seen[j].clone())
    });
    total(last)
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let symbols: Vec<usize> = (0..20).map(|t| t * t % 7 % 2).collect();
    let shown: Vec<[f64; 3]> = symbols.iter().map(|s| SHOWS.map(|row| row[*s])).collect();
    let likelihood = forward(&shown, |p| p);
    let paths = forward(&vec![[Counting(1); 3]; shown.len()], |p| Counting(u64::from(p > 0.0)));
    // Of each weight a name, for the derivative.
    type Number = Dual<Viterbi, Sparse<(usize, usize), Viterbi>>;
    let named = |t: usize| [0, 1, 2].map(|i| Number::variable(Viterbi(shown[t][i]), (t, i)));
    let best = forward(&(0..shown.len()).map(named).collect::<Vec<_>>(), |p| Number::lift(Viterbi(p)));
    let through = |t: usize, i: usize| best.tangent.get(&(t, i)).map_or(0.0, |d| d.0 * shown[t][i]);
    let state = |t: usize| (0..3).max_by(|i, j| through(t, *i).total_cmp(&through(t, *j))).unwrap_or(0) as f64;
    // With real numbers it says how likely each state is: the forward-backward algorithm.
    let posterior = grad(
        |log| forward(&log.chunks(3).map(|x| [x[0].exp(), x[1].exp(), x[2].exp()]).collect::<Vec<_>>(), f64::into).ln(),
        &shown.concat().iter().map(|p| p.ln()).collect::<Vec<_>>(),
    )?;
    let path: Vec<f64> = (0..shown.len()).map(state).collect();
    Ok([vec![likelihood.ln(), paths.0 as f64, best.value.0.ln()], path, posterior].concat())
}
