//! A recurrent network with gates (Hochreiter and Schmidhuber, "Long Short-Term Memory", 1997) predicts a sequence, number by number. The gradient
//! by backpropagation through time keeps ten states of two hundred, by checkpoints in binomial order (Griewank and Walther, 2000).

use catadiff::array::trace::{Arr, F64, I64, Key, loop_for, loop_for_with};
use catadiff::array::{Policy, Program};
use catadiff::{Elementary, Result};

const UNITS: i64 = 6;
type Matrix = Arr<Arr<F64>>;

pub(crate) fn run() -> Result<Vec<f64>> {
    // Of each gate, a row for each unit: weights of the units, of the number that is seen, and of 1.
    let loss = Program::trace(|gates: Arr<Matrix>, out: Arr<F64>, sequence: Arr<F64>| {
        let still = (F64::from(0.0), out.zeros_like(), out.zeros_like());
        let (total, _, _) = loop_for_with(Policy::Binomial(10), sequence.len() - 1, still, |t, (total, hidden, cell)| {
            let seen = hidden.concat([sequence.index(t), 1.0.into()]);
            let [forget, take, give, new] = [0, 1, 2, 3].map(|k| gates.index(k).matvec(seen));
            let [forget, take, give] = [forget, take, give].map(|gate| gate.map(Elementary::sigmoid));
            let cell = forget * cell + take * new.map(Elementary::tanh);
            let hidden = give * cell.map(Elementary::tanh);
            (total + (out.dot(hidden) - sequence.index(t + 1)).powi(2), hidden, cell)
        });
        total / sequence.len().to_f64()
    })?;
    let gradient = loss.grad([0, 1])?;
    let train = Program::trace(move |seed: I64, sequence: Arr<F64>| {
        let (of_gates, of_out) = Key::new(seed).split();
        let start = (of_gates.normal(4 * UNITS * (UNITS + 2)).reshape([4, UNITS, UNITS + 2]) * 0.4, of_out.normal(UNITS));
        let (gates, out) = loop_for(20, start, |_, (gates, out)| {
            let (by_gates, by_out): (Arr<Matrix>, Arr<F64>) = gradient.call((gates, out, sequence));
            (gates - by_gates * 0.1, out - by_out * 0.1)
        });
        (loss.call::<F64>((gates, out, sequence)), out)
    })?;
    let sequence: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.2).map(|t| t.sin() * (t * 0.31).cos()).collect();
    let (loss, out): (f64, Vec<f64>) = train.compile()?.at((8, sequence))?;
    Ok([vec![loss], out].concat())
}
