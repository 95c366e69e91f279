//! `lstm`: the loss of a recurrent network that predicts the next character of a text, and its gradient.
//!
//! Law: the weight matrices are diagonal, so each bit of a layer is a recurrence of its own ([`cell`]), and what a layer
//! puts out at all times is what the next takes in.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::execute::Flat;
use catadiff::{Elementary, Real, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::reals;

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;

/// One for each of the gates that forget, let in and let out, and for the change.
type Gates<R> = ((R, R), (R, R));

/// The output and the memory of a bit of a layer, from its input and from its output and memory before.
fn cell<R: Real>(x: R, (h, c): (R, R), w: Gates<R>, b: Gates<R>) -> (R, R) {
    let forget = (x * w.0.0 + b.0.0).sigmoid();
    let input = (h * w.0.1 + b.0.1).sigmoid();
    let output = (x * w.1.0 + b.1.0).sigmoid();
    let change = (h * w.1.1 + b.1.1).tanh();
    let c = c * forget + input * change;
    (output * c.tanh(), c)
}

/// A row of parameters as those of each bit.
fn gates(row: Vector, bits: usize) -> Arr<Gates<F64>> {
    let gate = |k: usize| row.slice(k * bits, (k + 1) * bits);
    gate(0).zip(gate(1)).zip(gate(2).zip(gate(3)))
}

/// The outputs of a layer at all times.
fn layer(inputs: Matrix, weights: Arr<Gates<F64>>, biases: Arr<Gates<F64>>, start: Arr<(F64, F64)>) -> Matrix {
    let (_, outputs) = loop_for(inputs.len(), (start, inputs.zeros_like()), |t, (state, outputs)| {
        let bits = inputs.index(t).zip(state).zip(weights.zip(biases));
        let state = bits.map(|((x, state), (w, b))| cell(x, state, w, b));
        let (output, _) = state.unzip();
        (state, outputs.with(t, output))
    });
    outputs
}

/// The sizes of a network, which are known before it is traced.
#[derive(Clone, Copy)]
struct Sizes {
    layers: usize,
    bits: usize,
}

fn loss(sizes: Sizes, main: Matrix, extra: Matrix, state: Matrix, sequence: Matrix) -> F64 {
    let steps = sequence.len() - 1;
    let inputs = sequence.take(steps).map(|x| x * extra.index(0));
    let outputs = (0..sizes.layers).map(|i| (2 * i, 2 * i + 1)).fold(inputs, |inputs, (i, j)| {
        let [weights, biases] = [i, j].map(|i| gates(main.index(i), sizes.bits));
        layer(inputs, weights, biases, state.index(i).zip(state.index(j)))
    });
    let likelihoods = outputs.map2(sequence.drop(1), |x, next| {
        let y = x * extra.index(1) + extra.index(2);
        next.dot(y - (y.map(|y| y.exp()).sum() + 2.0).ln())
    });
    -likelihoods.sum() / (steps * sizes.bits as i64).to_f64()
}

const NAMES: [&str; 4] = ["main", "extra", "state", "sequence"];

fn program(inputs: &[Flat]) -> Result<Program> {
    let &[rows, bits] = inputs[2].sizes() else { panic!("the state is a matrix") };
    let sizes = Sizes { layers: rows / 2, bits };
    Program::trace_named(&NAMES, |main: Matrix, extra: Matrix, state: Matrix, sequence: Matrix| {
        loss(sizes, main, extra, state, sequence)
    })
}

/// The adjoints of the parameters alone: where the network starts, and what it reads, are data.
fn gradient(inputs: &[Flat]) -> Result<Program> {
    let adjoints = program(inputs)?.grad(["main", "extra"])?;
    let gradient = Program::trace_named(&NAMES, |main: Matrix, extra: Matrix, state: Matrix, sequence: Matrix| {
        let (main, extra): (Matrix, Matrix) = adjoints.call((main, extra, state, sequence));
        main.flatten().concat(extra.flatten())
    })?;
    Ok(gradient.simplified())
}

fn inputs(input: &Json) -> Result<Vec<Flat>> {
    ["main_params", "extra_params", "state", "sequence"].into_iter().map(|name| reals(input, name, 2)).collect()
}

pub(crate) fn objective(input: &Json) -> Result<Task> {
    let inputs = inputs(input)?;
    Task::value(program(&inputs)?, inputs)
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let inputs = inputs(input)?;
    Task::value(gradient(&inputs)?, inputs)
}
