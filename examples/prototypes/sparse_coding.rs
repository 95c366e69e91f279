//! Sparse codes by an unrolled iteration whose steps and thresholds are learnt (Gregor and LeCun, "Learning Fast Approximations of Sparse Coding",
//! 2010): eight steps of the iterative method of thresholds, each with numbers of its own, as layers of a network that is trained on the loss itself.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for, replicate};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;
const STEPS: i64 = 8;

fn shrunk(code: Arr<F64>, threshold: F64) -> Arr<F64> {
    code.map(|x| (x - threshold).max(0.0) - (-x - threshold).max(0.0))
}

fn encode(steps: Arr<F64>, thresholds: Arr<F64>, dictionary: Matrix, signal: Arr<F64>) -> Arr<F64> {
    loop_for(STEPS, dictionary.map(|_| F64::from(0.0)), |k, code| {
        let left = signal - dictionary.transpose().matvec(code);
        shrunk(code + dictionary.matvec(left) * steps.index(k), thresholds.index(k))
    })
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|steps: Arr<F64>, thresholds: Arr<F64>, dictionary: Matrix, signals: Matrix| {
        let lasso = |signal: Arr<F64>| {
            let code = encode(steps, thresholds, dictionary, signal);
            let left = signal - dictionary.transpose().matvec(code);
            0.5 * left.dot(left) + 0.1 * code.map(|x| x.abs()).sum()
        };
        signals.map(lasso).mean()
    })?;
    let gradient = loss.value_and_grad([0, 1])?;
    let learn = Program::trace(move |seed: I64| {
        let (of_atoms, of_codes) = Key::new(seed).split();
        let dictionary = of_atoms.normal(24 * 10).unflatten(24, 10).map(|atom| atom / atom.norm());
        let codes = shrunk(of_codes.normal(30 * 24), 1.5.into()).unflatten(30, 24);
        let signals = codes.matmul(dictionary);
        let start = (F64::from(0.0), replicate(STEPS, 0.2), replicate(STEPS, 0.02));
        loop_for(50, start, |_, (_, steps, thresholds)| {
            let (loss, (by_steps, by_thresholds)): (F64, (Arr<F64>, Arr<F64>)) =
                gradient.call((steps, thresholds, dictionary, signals));
            (loss, steps - by_steps * 0.01, thresholds - by_thresholds * 0.01)
        })
    })?;
    let (loss, steps, thresholds): (f64, Vec<f64>, Vec<f64>) = learn.compile()?.at(15)?;
    Ok([vec![loss], steps, thresholds].concat())
}
