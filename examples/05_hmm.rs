//! One program for a hidden Markov model, and seven questions to it: each is a choice of semiring.
//!
//! The forward algorithm adds over hidden paths and multiplies along them. In probabilities that is the likelihood of
//! what was observed; with `max` for `+` it is the best path (Viterbi), with `or` whether there is a path at all, and
//! so on. Its *derivative* in the same semiring says what passes through each state: posterior probabilities, best
//! paths through a state, numbers of paths. Every answer is checked against all paths, one by one.

use std::fmt::Display;

use catadiff::algebra::plain::{Boolean, Counting, MaxPlus, MinPlus, Viterbi};
use catadiff::carriers::{Dual, Sparse};
use catadiff::prelude::*;
use catadiff::{Module, Semiring};

/// A left-to-right model of a speech sound with four states: it may stay, advance, or skip one state.
const STATES: usize = 4;
const INITIAL: [f64; STATES] = [0.75, 0.25, 0.0, 0.0];
const TRANSITION: [[f64; STATES]; STATES] =
    [[0.5, 0.375, 0.125, 0.0], [0.0, 0.625, 0.25, 0.125], [0.0, 0.0, 0.75, 0.25], [0.0, 0.0, 0.0, 1.0]];
/// The probability of each of three symbols in each state.
const EMISSION: [[f64; 3]; STATES] = [[0.75, 0.25, 0.0], [0.125, 0.625, 0.25], [0.5, 0.25, 0.25], [0.0, 0.25, 0.75]];

const OBSERVED: [usize; 8] = [0, 0, 1, 1, 2, 0, 1, 2];

/// The model in a semiring: `weight` says what a probability means there.
struct Model<S> {
    initial: [S; STATES],
    transition: [[S; STATES]; STATES],
    /// The weight of being in a state at a time, given what was observed then.
    evidence: Vec<[S; STATES]>,
}

impl<S: Semiring> Model<S> {
    fn new(weight: impl Fn(f64) -> S) -> Self {
        Model {
            initial: INITIAL.map(&weight),
            transition: TRANSITION.map(|row| row.map(&weight)),
            evidence: OBSERVED.iter().map(|symbol| EMISSION.map(|row| weight(row[*symbol]))).collect(),
        }
    }

    /// The forward algorithm, which is the whole program: the sum over all paths, in `states²` steps per symbol.
    fn forward(&self) -> S {
        let mut alpha: [S; STATES] = each(|i| self.initial[i].clone() * self.evidence[0][i].clone());
        for evidence in &self.evidence[1..] {
            let arrive = |j: usize| sum((0..STATES).map(|i| alpha[i].clone() * self.transition[i][j].clone()));
            alpha = each(|j| arrive(j) * evidence[j].clone());
        }
        sum(alpha)
    }

    /// The derivative of [`forward`](Model::forward) by the evidence, times the evidence: the sum over the paths that
    /// are in state `i` at time `t`. The product rule asks for a semiring and no more.
    fn through(&self) -> Vec<[S; STATES]> {
        type Number<S> = Dual<S, Sparse<(usize, usize), S>>;
        let variable = |t: usize, i: usize| Number::variable(self.evidence[t][i].clone(), (t, i));
        let lifted = Model::<Number<S>> {
            initial: self.initial.clone().map(Dual::lift),
            transition: self.transition.clone().map(|row| row.map(Dual::lift)),
            evidence: (0..self.evidence.len()).map(|t| each(|i| variable(t, i))).collect(),
        };
        let derivative = lifted.forward().tangent;
        let at = |t, i| derivative.get(&(t, i)).map_or_else(S::zero, |d| d.clone().scale(&self.evidence[t][i]));
        (0..self.evidence.len()).map(|t| each(|i| at(t, i))).collect()
    }

    /// The weight of one path: what the definition of the model says.
    fn path(&self, path: &[usize]) -> S {
        let start = self.initial[path[0]].clone() * self.evidence[0][path[0]].clone();
        (1..path.len()).fold(start, |product, t| {
            product * self.transition[path[t - 1]][path[t]].clone() * self.evidence[t][path[t]].clone()
        })
    }
}

fn each<T>(f: impl FnMut(usize) -> T) -> [T; STATES] {
    std::array::from_fn(f)
}

fn sum<S: Semiring>(terms: impl IntoIterator<Item = S>) -> S {
    terms.into_iter().fold(S::zero(), |a, b| a + b)
}

/// All `4⁸` paths.
fn paths() -> impl Iterator<Item = Vec<usize>> {
    let times = OBSERVED.len() as u32;
    (0..STATES.pow(times)).map(move |k| (0..times).map(|t| k / STATES.pow(t) % STATES).collect())
}

/// Asks the program a question, and checks the answer, and what passes through each state, against all paths.
fn ask<S: Semiring + Display>(question: &str, weight: impl Fn(f64) -> S, same: impl Fn(&S, &S) -> bool) -> S {
    let model = Model::new(weight);
    let (answer, through) = (model.forward(), model.through());
    println!("{question:<44} {answer}");
    assert!(same(&answer, &sum(paths().map(|p| model.path(&p)))), "{question}");
    for (t, row) in through.iter().enumerate() {
        for (i, found) in row.iter().enumerate() {
            let expected = sum(paths().filter(|p| p[t] == i).map(|p| model.path(&p)));
            assert!(same(found, &expected), "{question}: {found} and {expected} at time {t} in state {i}");
        }
    }
    answer
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

fn main() -> catadiff::Result<()> {
    println!("observed: {OBSERVED:?}\n");
    let likelihood = ask("how likely is this?            (ℝ, +, ×)", |p| p, |a, b| close(*a, *b));
    let best = ask("how likely is the best path?   (max, ×)", Viterbi, |a, b| close(a.0, b.0));
    let possible = ask("is it possible?                (or, and)", |p| Boolean(p > 0.0), Boolean::eq);
    let count = ask("how many paths are possible?   (ℕ, +, ×)", |p| Counting(u64::from(p > 0.0)), Counting::eq);
    let cost = ask("how cheap is the best, in bits? (min, +)", |p| MinPlus(-p.log2()), |a, b| close(a.0, b.0));
    let worst = ask("and the dearest possible?       (max, +)", dearest, |a, b| close(a.0, b.0));
    assert!(possible.0 && count.0 > 1 && best.0 < likelihood && close(cost.0, -best.0.log2()) && worst.0 > cost.0);

    // Posteriors are derivatives of ln Z: with e^θ on every state at every time, ∂ ln Z / ∂θ = P(state | observed).
    // Here they come from the tape, all of them in one reverse sweep over the same program.
    let zeros = vec![0.0; OBSERVED.len() * STATES];
    let posterior = grad(|theta| tilted(theta).forward().ln(), &zeros)?;
    println!("\ntime  symbol  P(state | observed)            likeliest path");
    let sure = Model::new(Viterbi).through();
    let mut path = Vec::new();
    for (t, row) in posterior.chunks(STATES).enumerate() {
        let likeliest = (0..STATES).max_by(|i, j| sure[t][*i].0.total_cmp(&sure[t][*j].0)).expect("four states");
        let shown: Vec<String> = row.iter().map(|p| format!("{p:.3}")).collect();
        println!("{t:4}  {:6}  {}    state {likeliest}", OBSERVED[t], shown.join("  "));
        assert!(close(row.iter().sum(), 1.0));
        path.push(likeliest);
    }
    // The best path runs where the best path through a state is the best of all.
    assert!(close(Model::new(|p| p).path(&path), best.0));
    let through = Model::new(|p| p).through();
    assert!(posterior.iter().zip(through.concat()).all(|(p, z)| close(*p, z / likelihood)));
    Ok(())
}

/// Impossible is no path at all, and not one that costs infinitely much.
fn dearest(p: f64) -> MaxPlus {
    if p > 0.0 { MaxPlus(-p.log2()) } else { MaxPlus::zero() }
}

/// The model with `exp(theta)` on its evidence.
fn tilted<R: Real>(theta: &[R]) -> Model<R> {
    let mut model = Model::new(R::constant);
    for (evidence, theta) in model.evidence.iter_mut().flatten().zip(theta) {
        *evidence *= theta.exp();
    }
    model
}
