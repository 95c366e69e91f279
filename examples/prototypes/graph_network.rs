//! A graph convolutional network (Kipf and Welling, "Semi-Supervised Classification with Graph Convolutional Networks", 2017) tells which of two
//! communities each node is of, from two labels. Messages go along a list of edges: gathered where they come from, added where they arrive.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, hist, loop_for};
use catadiff::{Elementary, Result};

const NODES: i64 = 16;
const WIDTH: i64 = 4;
type Matrix = Arr<Arr<F64>>;

/// What each node hears, the node itself included, divided by the roots of both degrees.
fn heard(states: Matrix, from: Arr<I64>, to: Arr<I64>) -> Matrix {
    let degrees = hist(NODES, 0.0, to, to.map(|_| F64::from(1.0)), |a, b| a + b) + 1.0;
    let sent = states.map2(degrees, |s, d| s / d.sqrt());
    let arrived = sent.reduce_by_index(sent.first() * 0.0, to, sent.gather(from), |a, b| a + b);
    arrived.map2(degrees, |s, d| s / d.sqrt())
}

fn scores((first, second): (Matrix, Arr<F64>), from: Arr<I64>, to: Arr<I64>) -> Arr<F64> {
    // Nodes have no features but who they are.
    let hidden = heard(first, from, to).map(|row| row.map(Elementary::tanh));
    heard(hidden, from, to).matvec(second)
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|first: Matrix, second: Arr<F64>, from: Arr<I64>, to: Arr<I64>| {
        let scores = scores((first, second), from, to);
        (-scores.first()).softplus() + scores.last().softplus()
    })?;
    let gradient = loss.grad([0, 1])?;
    let train = Program::trace(move |seed: I64, from: Arr<I64>, to: Arr<I64>| {
        let (of_first, of_second) = Key::new(seed).split();
        let start = (of_first.normal(NODES * WIDTH).unflatten(NODES, WIDTH), of_second.normal(WIDTH));
        let (first, second) = loop_for(60, start, |_, (first, second)| {
            let (by_first, by_second): (Matrix, Arr<F64>) = gradient.call((first, second, from, to));
            (first - by_first * 0.5, second - by_second * 0.5)
        });
        (loss.call::<F64>((first, second, from, to)), scores((first, second), from, to))
    })?;
    // Two rings of eight, with chords, and a bridge.
    let ring = |base: i64| (0..8).flat_map(move |k| [(base + k, base + (k + 1) % 8), (base + k, base + (k + 3) % 8)]);
    let edges: Vec<(i64, i64)> = ring(0).chain(ring(8)).chain([(3, 12)]).flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let (from, to): (Vec<i64>, Vec<i64>) = edges.into_iter().unzip();
    let (loss, scores): (f64, Vec<f64>) = train.compile()?.at((9, from, to))?;
    Ok([vec![loss], scores].concat())
}
