//! Learning to learn: the gradient, by starting weights and by the rate, of the loss after five steps of descent (Finn, Abbeel and Levine,
//! "Model-Agnostic Meta-Learning", 2017).

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|w: Arr<F64>, xs: Arr<F64>, shift: F64| {
        let network = |x: F64| w.index(2) * (w.index(0) * x + w.index(1)).tanh();
        xs.map(|x| network(x) - (x + shift).sin()).map(|e| e * e).mean()
    })?;
    let gradient = loss.grad(0)?;
    let meta = Program::trace(move |w: Arr<F64>, rate: F64, shifts: Arr<F64>, xs: Arr<F64>| {
        let after = |shift: F64| {
            let adapted = loop_for(5, w, |_, w| w - gradient.call::<Arr<F64>>((w, xs, shift)) * rate);
            loss.call::<F64>((adapted, xs, shift))
        };
        shifts.map(after).mean()
    })?;
    let xs: Vec<f64> = (0..10).map(|k| f64::from(k) * 0.4 - 2.0).collect();
    let at = ([0.8, 0.1, 1.2], 0.2, [0.0, 0.5, 1.0, 1.5], &xs);
    let (value, (weights, rate)): (f64, (Vec<f64>, f64)) = meta.value_and_grad([0, 1])?.compile()?.at(at)?;
    Ok([vec![value], weights, vec![rate]].concat())
}
