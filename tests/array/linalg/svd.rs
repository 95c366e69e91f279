//! Singular values and vectors: what they multiply to, their order, their derivatives, and JAX.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, eye};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::{Verdict, array_derivatives, executors};

use super::{Matrix, is_zero, matrix, numbers, reals};

fn of(rows: &[&[f64]]) -> Value<f64> {
    Value::reals(&[rows.len(), rows[0].len()], rows.concat()).unwrap()
}

/// A matrix of this rank, with singular values that are far from each other.
fn of_rank(rank: usize, n: usize, m: usize) -> Value<f64> {
    let (left, right) = (numbers(n * rank, 3), numbers(m * rank, 8));
    let element =
        |k: usize| (0..rank).map(|r| left[k / m * rank + r] * right[k % m * rank + r] / (1 << (3 * r)) as f64).sum();
    Value::reals(&[n, m], (0..n * m).map(element).collect::<Vec<f64>>()).unwrap()
}

#[test]
fn singular_values_and_vectors() -> Result<()> {
    let svd = Program::trace(|a: Matrix| {
        let (u, s, vt) = a.svd();
        let unit = eye::<F64>(s.len());
        let ascents = s.drop(1).map2(s.take(s.len() - 1), |x, y| (x - y).max(0.0));
        let negative = s.map(|s| (-s).max(0.0));
        let product = u.map(|row| row * s).matmul(vt);
        (product - a, u.transpose().matmul(u) - unit, vt.matmul(vt.transpose()) - unit, ascents, negative)
    })?;
    for (n, m) in [(1, 1), (4, 1), (1, 5), (5, 3), (3, 5), (4, 4), (40, 17), (17, 33)] {
        is_zero(&svd, &[matrix(n, m, 2)], 1e-13);
        is_zero(&svd, &[of_rank(2.min(n).min(m), n, m)], 1e-13);
    }
    is_zero(&svd, &[of(&[&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0]])], 0.0);
    is_zero(&svd, &[of(&[&[0.0, 2.0, 0.0], &[0.0, 0.0, 0.0]])], 0.0);
    is_zero(&svd, &[of(&[&[2.0, 0.0], &[0.0, -2.0]])], 0.0);
    Ok(())
}

/// Small singular values have their digits: those of a product with powers of ten between orthogonal factors, by one column each.
#[test]
fn small_singular_values_are_accurate() -> Result<()> {
    let values = Program::trace(|a: Matrix| a.svd().1)?;
    // Columns that are orthogonal in integers, of the norm 2, scaled.
    let signs = [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]];
    let rows = signs.map(|row| [row[0], row[1] * 1e-9, row[2] * 1e-18, row[3] * 1e-27]);
    let found: Vec<f64> = values.at(rows)?;
    assert!(found.iter().zip([2.0, 2e-9, 2e-18, 2e-27]).all(|(x, y)| (x / y - 1.0).abs() < 1e-14), "{found:?}");
    let empty = |n: usize, m: usize| values.run::<f64>(&[Value::reals(&[n, m], vec![]).unwrap()]).unwrap();
    assert_eq!((empty(0, 0), empty(0, 3)), (vec![Value::reals(&[0], vec![])?], vec![Value::reals(&[0], vec![])?]));
    let nan = values.run(&[of(&[&[f64::NAN, 0.0], &[0.0, 1.0]])])?;
    assert!(reals(&nan[0]).iter().any(|x| x.is_nan()));
    Ok(())
}

/// Both modes and second order, of tall, wide and square matrices.
#[test]
fn derivatives_of_singular_values_and_vectors() -> Verdict {
    let svd = Program::trace(|a: Matrix| a.svd()).unwrap();
    array_derivatives::at(&svd, [vec![matrix(2, 2, 3)], vec![matrix(3, 2, 1)], vec![matrix(2, 3, 4)]])
}

/// What does not depend on which of the vectors of equal values, or of 0, they are, has its derivative.
#[test]
fn equal_singular_values() -> Result<()> {
    let squares = Program::trace(|a: Matrix| a.svd().1.map(|s| s * s).sum())?;
    let slope: Vec<Vec<f64>> = squares.grad(..)?.at([vec![0.0, 3.0], vec![3.0, 0.0]])?;
    assert_eq!(slope, [[0.0, 6.0], [6.0, 0.0]]);
    let same = Program::trace(|a: Matrix| {
        let (u, s, vt) = a.svd();
        let product = u.map(|row| row * s).matmul(vt);
        product.map(|row| row.map(|x| x * x)).sum().sum()
    })?;
    for a in [[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]] {
        let slope: Vec<[f64; 2]> = same.grad(..)?.at(a)?;
        let near =
            |(row, wanted): (&[f64; 2], &[f64; 2])| row.iter().zip(wanted).all(|(x, y)| (x - 2.0 * y).abs() < 1e-13);
        assert!(slope.iter().zip(&a).all(near), "{slope:?}");
    }
    Ok(())
}

#[test]
fn executors_agree_on_singular_values() -> Verdict {
    let values = Program::trace(|a: Arr<Matrix>| a.map(|a| a.svd().1)).unwrap();
    let cost = Program::trace(|a: Matrix| {
        let (u, s, vt) = a.svd();
        // The signs of vectors cancel out.
        (u.index(0) * s.map(|s| s.sin()) * vt.transpose().index(0)).sum()
    });
    let gradient = cost.unwrap().grad(..).unwrap();
    for executor in executors::at_hand() {
        executors::same(executor, &values, &[Value::reals(&[2, 3, 4], numbers(24, 1)).unwrap()])?;
        executors::same(executor, &gradient, &[matrix(4, 3, 2)])?;
    }
    Ok(())
}

/// `u, s, vt = jnp.linalg.svd(a, full_matrices=False)` of `a = [[1, 2, 0.5], [-1, 0.25, 3]]`, and `jax.grad` of
/// `jnp.sum((u*jnp.cos(s))@vt*[[1, 2, 3], [4, 5, 6]])`, JAX 0.10.2 with `jax_enable_x64`.
#[test]
fn singular_values_of_jax() -> Result<()> {
    let cost = Program::trace(|a: Matrix, by: Matrix| {
        let (u, s, vt) = a.svd();
        (u.map(|row| row * s.map(|s| s.cos())).matmul(vt) * by).sum().sum()
    })?;
    let at = ([[1.0, 2.0, 0.5], [-1.0, 0.25, 3.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let values: Vec<f64> = Program::trace(|a: Matrix| a.svd().1)?.at(at.0)?;
    let (found, slope): (f64, Vec<Vec<f64>>) = cost.value_and_grad(0)?.at(at)?;
    let close = |found: &[f64], expected: &[f64]| {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?} {expected:?}");
    };
    close(&values, &[3.2034388303125323, 2.2473272259388213]);
    close(&[found], &[-6.712562827175034]);
    let first = [-0.5692263235788217, -0.9905351827026481, -0.808994736246758];
    let second = [-1.9249932130019982, -1.2658833900964477, 0.35208859386106683];
    close(&slope.concat(), &[first, second].concat());
    Ok(())
}
