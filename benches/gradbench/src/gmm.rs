//! `gmm`: the log-posterior of a Gaussian mixture with a Wishart prior, and its gradient.
//!
//! Law: for the precisions' roots `Q_k`, lower triangular, and `β_ik = α_k + Σ_j q_kj − ½ ‖Q_k (x_i − μ_k)‖²`,
//! `F = −n d/2 log 2π + Σ_i logsumexp_k β_ik − n logsumexp α + prior`.

use std::f64::consts::PI;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, iota, literal, stop_gradient, tabulate2d};
use catadiff::execute::Flat;
use catadiff::{Elementary, Result};
use serde_json::Value as Json;

use crate::json::{integer, number, real, reals};
use crate::{Task, Written};

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;

fn sum_of_squares(x: Vector) -> F64 {
    x.dot(x)
}

/// `log Σ exp v`. The largest is taken out first; the sum is the same whatever is taken out, so it has no derivative.
fn logsumexp(v: Vector) -> F64 {
    let largest = stop_gradient(v.max());
    (v - largest).map(|v| v.exp()).sum().ln() + largest
}

/// Where each entry of a lower triangular matrix is in the list of 0, the diagonal, and what is below it column by
/// column.
fn places(d: I64) -> Arr<Arr<I64>> {
    tabulate2d(d, d, |row, column| {
        let below = 1 + d + column * d - column * (column + 1) / 2 + (row - column - 1);
        if_(row.eq(column), || 1 + row, || if_(row.gt(column), || below, || 0))
    })
}

/// `log Γ_d(a)`, the multivariate gamma function.
fn log_gamma(d: I64, a: F64) -> F64 {
    let (real, terms) = (d.to_f64(), iota(d).map(|j| (a - j.to_f64() / 2.0).lgamma()));
    real * (real - 1.0) / 4.0 * PI.ln() + terms.sum()
}

fn log_prior(diagonals: Matrix, q: Matrix, l: Matrix, m: F64, gamma: F64) -> F64 {
    let (k, d) = (q.len().to_f64(), q.size(1));
    let n = d.to_f64() + m + 1.0;
    let constant = n * d.to_f64() * (gamma.ln() - 0.5 * 2.0_f64.ln()) - log_gamma(d, n / 2.0);
    let squares = sum_of_squares(diagonals.flatten()) + sum_of_squares(l.flatten());
    k * constant - gamma * gamma / 2.0 * squares + m * q.flatten().sum()
}

fn log_posterior((alpha, mu, q, l): (Vector, Matrix, Matrix, Matrix), x: Matrix, m: F64, gamma: F64) -> F64 {
    let (n, d) = (x.len().to_f64(), q.size(1));
    let diagonals = q.map(|q| q.map(|q| q.exp()));
    let places = places(d);
    let roots = diagonals.map2(l, |diagonal, below| {
        let entries = literal([0.0]).concat(diagonal).concat(below);
        places.map(|row| entries.gather(row))
    });
    // Q (x − μ) = Q x − Q μ, so that what depends on both x and the component is a product of matrices.
    let centres = roots.map2(mu, |root, mu| root.matvec(mu));
    let weights = alpha + q.map(|q| q.sum());
    let beta = x.map(|x| {
        weights.map3(roots, centres, |weight, root, centre| weight - 0.5 * sum_of_squares(root.matvec(x) - centre))
    });
    beta.map(logsumexp).sum() - n * d.to_f64() / 2.0 * (2.0 * PI).ln() - n * logsumexp(alpha)
        + log_prior(diagonals, q, l, m, gamma)
}

const NAMES: [&str; 7] = ["alpha", "mu", "q", "l", "x", "m", "gamma"];

fn program() -> Result<Program> {
    Program::trace_named(&NAMES, |alpha: Vector, mu: Matrix, q: Matrix, l: Matrix, x: Matrix, m: F64, gamma: F64| {
        log_posterior((alpha, mu, q, l), x, m, gamma)
    })
}

fn inputs(input: &Json) -> Result<Vec<Flat>> {
    let [alpha, mu, q, l, x] =
        [("alpha", 1), ("mu", 2), ("q", 2), ("l", 2), ("x", 2)].map(|(name, rank)| reals(input, name, rank));
    let (m, gamma) = (integer(input, "m")? as f64, number(&input["gamma"])?);
    Ok(vec![alpha?, mu?, q?, l?, x?, real(m)?, real(gamma)?])
}

pub(crate) fn objective(input: &Json) -> Result<Task> {
    let program = program()?.simplified();
    Task::value(program, inputs(input)?)
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let output = |results: &mut [Flat]| {
        let fields = ["alpha", "mu", "q", "l"].into_iter().enumerate();
        Written::Fields(fields.map(|(k, name)| (name, Written::result(results, k))).collect())
    };
    // By the mixture alone: the points are data.
    let gradient = program()?.grad(["alpha", "mu", "q", "l"])?;
    Ok(Task { program: gradient, inputs: inputs(input)?, output: Box::new(output) })
}
