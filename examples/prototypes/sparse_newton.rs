//! A nonlinear Poisson equation, `−Δu + u³ = 20`, by Newton's method: the Jacobian of the stencil is sparse, and is found in as many runs as
//! its colouring has colours (Curtis, Powell and Reid, 1974), here for a grid of a hundred points.

use catadiff::derivative::{SparseJacobian, SparseMatrix};
use catadiff::prelude::*;

const SIDE: usize = 10;

fn residual<R: Real>(u: &[R]) -> Vec<R> {
    let h = 1.0 / (SIDE + 1) as f64;
    let at = |i: usize, j: usize| {
        // The grid begins at 1; at its edge the solution is 0.
        if (1..=SIDE).contains(&i) && (1..=SIDE).contains(&j) { u[(i - 1) * SIDE + j - 1] } else { R::zero() }
    };
    let point = |i: usize, j: usize| {
        let neighbours = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
        at(i, j) * 4.0 - neighbours + (at(i, j).powi(3) - 20.0) * (h * h)
    };
    (1..=SIDE).flat_map(|i| (1..=SIDE).map(move |j| (i, j))).map(|(i, j)| point(i, j)).collect()
}

/// Conjugate gradients, since the matrix is symmetric and positive definite.
fn solve(a: &SparseMatrix<f64>, b: &[f64]) -> catadiff::Result<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let add = |a: &mut [f64], by: f64, b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += by * b);
    let (mut x, mut left, mut way) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
    while dot(&left, &left) > 1e-30 {
        let (before, ahead) = (dot(&left, &left), a.product(&way)?);
        let step = before / dot(&way, &ahead);
        add(&mut x, step, &way);
        add(&mut left, -step, &ahead);
        let turn = dot(&left, &left) / before;
        way = left.iter().zip(&way).map(|(l, w)| l + turn * w).collect();
    }
    Ok(x)
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let mut u = vec![0.0; SIDE * SIDE];
    let jacobian = SparseJacobian::prepare(|u| residual(u), &u)?;
    for _ in 0..8 {
        let (left, matrix) = jacobian.values_at(&u)?;
        u.iter_mut().zip(solve(&matrix, &left)?).for_each(|(u, step)| *u -= step);
    }
    Ok([vec![jacobian.pattern().len() as f64], u].concat())
}
