//! Levenberg's and Marquardt's method: the sum of two decays from a curve, by Jacobians in forward mode and a damped solve.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, if_, loop_for};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let residuals = Program::trace(|p: Arr<F64>, times: Arr<F64>, seen: Arr<F64>| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| p.index(k));
        times.map2(seen, |t, y| a * (-b * t).exp() + c * (-d * t).exp() - y)
    })?;
    let jacobian = residuals.jacfwd(0)?;
    let fit = Program::trace(move |start: Arr<F64>, times: Arr<F64>, seen: Arr<F64>| {
        let residual = |p: Arr<F64>| residuals.call::<Arr<F64>>((p, times, seen));
        let (p, _) = loop_for(40, (start, F64::from(1.0)), |_, (p, damping)| {
            let j = jacobian.call::<Arr<Arr<F64>>>((p, times, seen)).transpose();
            let normal = j.matmul(j.transpose()).with_ridge(damping);
            let next = p - normal.solve(j.matvec(residual(p)));
            let better = residual(next).norm().lt(residual(p).norm());
            if_(better, || (next, damping * 0.3), || (p, damping * 2.0))
        });
        (residual(p).norm(), p)
    })?;
    let times: Vec<f64> = (0..40).map(|k| f64::from(k) * 0.1).collect();
    let seen: Vec<f64> = times.iter().map(|t| 2.0 * (-0.6 * t).exp() + (-3.0 * t).exp() + 0.01 * (9.0 * t).sin()).collect();
    let (norm, p): (f64, Vec<f64>) = fit.compile()?.at(([1.0, 0.5, 1.0, 2.0], &times, &seen))?;
    Ok([vec![norm], p].concat())
}
