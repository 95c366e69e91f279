//! Hamiltonian Monte Carlo (Neal, "MCMC Using Hamiltonian Dynamics", 2011) of Rosenbrock's banana: the whole chain is one program, with the gradient of
//! the energy called inside a loop inside a loop, and a branch that takes or leaves what was proposed.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, if_, literal, loop_for};
use catadiff::{Elementary, Result};

const STEP: f64 = 0.1;

pub(crate) fn run() -> Result<Vec<f64>> {
    let energy = Program::trace(|q: Arr<F64>| {
        let (x, y) = (q.index(0), q.index(1));
        0.5 * (1.0 - x).powi(2) + 2.0 * (y - x * x).powi(2)
    })?;
    let gradient = energy.grad(0)?;
    let chain = Program::trace(move |seed: I64, samples: I64| {
        let total = |q: Arr<F64>, p: Arr<F64>| energy.call::<F64>(q) + 0.5 * p.dot(p);
        let force = |q: Arr<F64>| gradient.call::<Arr<F64>>(q) * -STEP;
        let start = (literal([0.0, 0.0]), literal([0.0, 0.0]), literal([0.0, 0.0]), F64::from(0.0));
        let (_, sum, squares, taken) = loop_for(samples, start, |k, (q, sum, squares, taken)| {
            let (of_momentum, of_choice) = Key::new(seed).fold_in(k).split();
            let p = of_momentum.normal(2);
            let (new, pushed) = loop_for(8, (q, p + force(q) * 0.5), |_, (q, p)| {
                let q = q + p * STEP;
                (q, p + force(q))
            });
            let likelier = total(q, p) - total(new, pushed - force(new) * 0.5);
            let take = of_choice.uniform(1).first().ln().lt(likelier);
            let q = if_(take, || new, || q);
            (q, sum + q, squares + q * q, taken + take.to_f64())
        });
        let n = samples.to_f64();
        (sum / n, squares / n, taken / n)
    })?;
    let (mean, square, taken): ([f64; 2], [f64; 2], f64) = chain.compile()?.at((13, 100))?;
    Ok([&mean[..], &square, &[taken]].concat())
}
