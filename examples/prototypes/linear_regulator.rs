//! The design of a plant and of its controller at once: the optimal cost of a linear system is a fixed point of Riccati's iteration (Anderson and
//! Moore, "Optimal Control: Linear Quadratic Methods", 1990), and descent on it goes through the solves, by how the plant is built.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, eye, literal, loop_for};
use catadiff::{Elementary, Result};

const DT: f64 = 0.1;
type Matrix = Arr<Arr<F64>>;

/// A pendulum that stands on its head, pushed at its foot: its angle and the change of that.
fn plant(log: Arr<F64>) -> (Matrix, Matrix) {
    let (length, mass) = (log.index(0).exp(), log.index(1).exp());
    (literal([[1.0.into(), DT.into()], [9.81 * DT / length, 1.0.into()]]), literal([[0.0.into()], [DT / (mass * length * length)]]))
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let cost = Program::trace(|log: Arr<F64>, start: Arr<F64>| {
        let (a, b) = plant(log);
        let value = loop_for(120, eye::<F64>(2), |_, value| {
            let weighed = b.transpose().matmul(value);
            let gain = weighed.matmul(b).with_ridge(0.1).solve(weighed.matmul(a));
            eye::<F64>(2) + a.transpose().matmul(value).matmul(a - b.matmul(gain))
        });
        // Long and heavy plants cost as well.
        start.dot(value.matvec(start)) + log.map(|l| 0.5 * l.exp()).sum()
    })?;
    let gradient = cost.value_and_grad(0)?;
    let design = Program::trace(move |start: Arr<F64>| {
        loop_for(30, (F64::from(0.0), literal([0.0, 0.0])), |_, (_, log)| {
            let (cost, slope): (F64, Arr<F64>) = gradient.call((log, start));
            (cost, log - slope * 0.02)
        })
    })?;
    let (cost, log): (f64, [f64; 2]) = design.compile()?.at([0.3, 0.1])?;
    Ok(vec![cost, log[0], log[1]])
}
