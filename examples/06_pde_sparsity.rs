//! The sparse Jacobian of a partial differential equation: found, coloured, compressed, and put to use.
//!
//! Bratu's equation `−Δu = λ·exp(u)` (a reacting slab that heats itself) on a grid of 64 × 64 points has a Jacobian
//! of 4096 × 4096 entries, of which each row has five. The library finds them by running the stencil on sets
//! of variables, colours columns that share no row alike, and computes all columns of a colour as one: a handful of
//! runs for 4096 columns. Newton's method then solves the equation.

use std::time::Instant;

use catadiff::derivative::{SparseJacobian, SparseMatrix};
use catadiff::prelude::*;

/// Points along a side of the unit square, the edge not counted: there `u = 0`.
const SIDE: usize = 64;
/// How strong the reaction is; beyond 6.808 there is no solution.
const LAMBDA: f64 = 6.0;

/// What the equation leaves over at each point, by the five-point stencil.
fn residual<R: Real>(side: usize, u: &[R]) -> Vec<R> {
    let h = 1.0 / (side + 1) as f64;
    let at = |i: Option<usize>, j: Option<usize>| match (i, j) {
        (Some(i), Some(j)) if i < side && j < side => u[i * side + j],
        _ => R::zero(),
    };
    let point = |k: usize| {
        let (i, j) = (k / side, k % side);
        let neighbours = at(i.checked_sub(1), Some(j))
            + at(Some(i + 1), Some(j))
            + at(Some(i), j.checked_sub(1))
            + at(Some(i), Some(j + 1));
        u[k] * 4.0 - neighbours - u[k].exp() * (LAMBDA * h * h)
    };
    (0..side * side).map(point).collect()
}

/// Solves `A·x = b` by conjugate gradients; the Jacobian here is symmetric and positive definite.
fn solve(a: &SparseMatrix<f64>, b: &[f64]) -> catadiff::Result<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut x, mut rest, mut p) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
    let mut square = dot(&rest, &rest);
    let enough = square * 1e-26;
    for _ in 0..2 * b.len() {
        if square <= enough {
            break;
        }
        let ap = a.product(&p)?;
        let step = square / dot(&p, &ap);
        for k in 0..b.len() {
            x[k] += step * p[k];
            rest[k] -= step * ap[k];
        }
        let next = dot(&rest, &rest);
        p.iter_mut().zip(&rest).for_each(|(p, r)| *p = r + next / square * *p);
        square = next;
    }
    Ok(x)
}

/// The pattern and the colours of a grid of 4 × 4 points, to look at.
fn show() -> catadiff::Result<()> {
    let small = SparseJacobian::prepare(|u| residual(4, u), &[0.0; 16])?;
    println!("a grid of 4 × 4 points: the colours of its columns, and the pattern");
    for row in 0..16 {
        let colours = &small.colouring().colours()[row / 4 * 4..][..4];
        let colours = if row % 4 == 0 { format!("{colours:?}") } else { String::new() };
        let entries: String = (0..16).map(|c| if small.pattern().contains(row, c) { " ×" } else { " ·" }).collect();
        println!("  {colours:<14}{entries}");
    }
    // Where dense Jacobians are cheap, they are the judge.
    let u: Vec<f64> = (0..16).map(|k| 0.1 * f64::from(k)).collect();
    let dense = jacrev(|u| residual(4, u), &u)?;
    assert_eq!(small.at(&u)?.to_dense(), dense);
    assert!(small.colouring().separates_columns(small.pattern()));
    Ok(())
}

fn main() -> catadiff::Result<()> {
    show()?;

    let mut u = vec![0.0; SIDE * SIDE];
    let start = Instant::now();
    let jacobian = SparseJacobian::prepare(|u| residual(SIDE, u), &u)?;
    let (unknowns, entries, colours) = (u.len(), jacobian.pattern().len(), jacobian.colouring().count());
    println!("\na grid of {SIDE} × {SIDE} points, prepared in {:.0?}:", start.elapsed());
    println!("  {unknowns} columns, {entries} of {} entries, {colours} colours", unknowns * unknowns);
    assert_eq!(entries, 5 * SIDE * SIDE - 4 * SIDE);
    assert!(colours <= 8, "the number of colours does not grow with the grid");

    println!("\nNewton's method");
    let mut size = f64::INFINITY;
    for step in 0..12 {
        let start = Instant::now();
        let (left, matrix) = jacobian.values_at(&u)?;
        let time = start.elapsed();
        size = left.iter().fold(0.0, |largest, r| largest.max(r.abs()));
        println!("  step {step}: largest residual {size:.1e}, its Jacobian in {time:.1?}");
        if size < 1e-14 {
            break;
        }
        u.iter_mut().zip(solve(&matrix, &left)?).for_each(|(u, step)| *u -= step);
    }
    assert!(size < 1e-14);

    let peak = u.iter().copied().fold(0.0, f64::max);
    println!("the slab is hottest in the middle: u = {peak:.4}");
    assert!((peak - u[SIDE / 2 * SIDE + SIDE / 2]).abs() < 1e-12);

    // Without knowing where the zeros are, every column is a direction of its own.
    let start = Instant::now();
    let sparse = jacobian.at(&u)?;
    let (sparse_time, start) = (start.elapsed(), Instant::now());
    let (_, along) = jvp(|u| residual(SIDE, u), &u, &u)?;
    println!(
        "\none column takes {:.1?}, so {unknowns} of them would take {:.1?}; all of them, compressed, {sparse_time:.1?}",
        start.elapsed(),
        start.elapsed() * unknowns as u32
    );
    let product = sparse.product(&u)?;
    assert!(along.iter().zip(&product).all(|(a, b)| (a - b).abs() < 1e-13));
    Ok(())
}
