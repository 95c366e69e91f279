//! Regression by a Gaussian process whose hyperparameters are learnt by ascent on the evidence (Rasmussen and Williams, "Gaussian Processes for
//! Machine Learning", 2006, algorithm 2.1), and what it predicts. The gradient goes through Cholesky's factor by a rule of its own.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, linspace, literal, loop_for};
use catadiff::{Elementary, Result};
use core::f64::consts::TAU;

type Vector = Arr<F64>;

fn covariance(log: Vector, a: Vector, b: Vector) -> Arr<Vector> {
    let (amplitude, length) = (log.index(0).exp(), log.index(1).exp());
    a.map(|a| b.map(|b| amplitude * (-0.5 * ((a - b) / length).powi(2)).exp()))
}

/// The logarithm of the evidence, by the logarithms of amplitude, length and noise.
pub(crate) fn evidence(log: Vector, x: Vector, y: Vector) -> F64 {
    let factor = covariance(log, x, x).with_ridge(log.index(2).exp()).cholesky();
    let volume = factor.diagonal().map(Elementary::ln).sum();
    -0.5 * y.dot(factor.cholesky_solve(y)) - volume - x.len().to_f64() * (0.5 * TAU.ln())
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let evidence = Program::trace(evidence)?;
    let gradient = evidence.grad(0)?;
    let fit = Program::trace(move |x: Vector, y: Vector| {
        let log = loop_for(50, literal([0.0, 0.0, -2.0]), |_, log| log + gradient.call::<Vector>((log, x, y)) * 0.02);
        let new = linspace(F64::from(-1.0), 7.0, 9);
        let factor = covariance(log, x, x).with_ridge(log.index(2).exp()).cholesky();
        let across = covariance(log, new, x);
        let explained = factor.solve_lower(across.transpose()).transpose().map(|v| v.dot(v));
        let deviation = explained.map(|v| (log.index(0).exp() - v).sqrt());
        (evidence.call::<F64>((log, x, y)), log, across.matvec(factor.cholesky_solve(y)), deviation)
    })?;
    let x: Vec<f64> = (0..40).map(|k| f64::from(k) * 0.15).collect();
    let y: Vec<f64> = x.iter().map(|x| x.sin() + 0.3 * (x * 17.0).sin()).collect();
    let (evidence, log, mean, deviation): (f64, Vec<f64>, Vec<f64>, Vec<f64>) = fit.compile()?.at((x, y))?;
    Ok([vec![evidence], log, mean, deviation].concat())
}
