//! Optimal control by shooting (Betts, "Practical Methods for Optimal Control", 2010): pushes that swing a pendulum towards its top, by steps of Newton
//! on all of them at once. The Hessian is forward over reverse through the simulation, and what keeps it definite is the price of pushes.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

const DT: f64 = 0.1;

pub(crate) fn run() -> Result<Vec<f64>> {
    let simulate = |pushes: Arr<F64>| {
        loop_for(pushes.len(), (F64::from(0.0), F64::from(0.0)), |t, (angle, speed)| {
            let speed = speed + (pushes.index(t) - 2.0 * angle.sin()) * DT;
            (angle + speed * DT, speed)
        })
    };
    let cost = Program::trace(move |pushes: Arr<F64>| {
        let (angle, speed) = simulate(pushes);
        5.0 * (1.0 + angle.cos()).powi(2) + speed * speed + 0.05 * pushes.dot(pushes)
    })?;
    let (gradient, hessian) = (cost.grad(0)?, cost.hessian(0)?);
    let plan = Program::trace(move |start: Arr<F64>| {
        let pushes = loop_for(30, start, |_, pushes| {
            let damped = hessian.call::<Arr<Arr<F64>>>(pushes).with_ridge(2.0);
            pushes - damped.solve(gradient.call::<Arr<F64>>(pushes))
        });
        (cost.call::<F64>(pushes), simulate(pushes), pushes)
    })?;
    let (cost, (angle, speed), pushes): (f64, (f64, f64), Vec<f64>) = plan.compile()?.at([0.8; 30])?;
    Ok([vec![cost, angle, speed], pushes].concat())
}
