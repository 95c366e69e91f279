//! Scalar objectives, each with its gradient derived by hand.

use super::Objective;
use crate::scalar::Scalar;

/// The Rosenbrock valley in as many variables as it is given.
#[derive(Clone, Copy, Debug)]
pub struct Rosenbrock;

impl Objective for Rosenbrock {
    #[inline]
    fn value<S: Scalar>(&self, x: &[S]) -> S {
        let term = |a: S, b: S| {
            let bend = b - a * a;
            let short = a.taken_from(1.0);
            (bend * bend).times(100.0) + short * short
        };
        let first = term(x[0], x[1]);
        x[1..].windows(2).fold(first, |sum, pair| sum + term(pair[0], pair[1]))
    }

    fn adjoint(&self, x: &[f64], gradient: &mut Vec<f64>) {
        gradient.clear();
        gradient.resize(x.len(), 0.0);
        for i in 0..x.len() - 1 {
            let bend = x[i + 1] - x[i] * x[i];
            gradient[i] += 2.0 * (x[i] - 1.0) - 400.0 * bend * x[i];
            gradient[i + 1] += 200.0 * bend;
        }
    }
}

/// `ln Σ exp xᵢ`, shifted by the largest `xᵢ` so that it never overflows.
///
/// The shift is a constant: it cancels, so the derivative is right whichever number it is.
#[derive(Clone, Copy, Debug)]
pub struct LogSumExp;

impl Objective for LogSumExp {
    #[inline]
    fn value<S: Scalar>(&self, x: &[S]) -> S {
        let largest = x.iter().fold(f64::NEG_INFINITY, |most, x| most.max(x.value()));
        let shifted = |x: S| x.minus(largest).exp();
        let first = shifted(x[0]);
        let total = x[1..].iter().fold(first, |sum, &x| sum + shifted(x));
        total.ln().plus(largest)
    }

    fn adjoint(&self, x: &[f64], gradient: &mut Vec<f64>) {
        let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        gradient.clear();
        gradient.extend(x.iter().map(|x| (x - largest).exp()));
        let share = 1.0 / gradient.iter().sum::<f64>();
        gradient.iter_mut().for_each(|g| *g *= share);
    }
}

/// The sum of all entries of `A·B`, two square matrices given one after the other, row by row.
#[derive(Clone, Copy, Debug)]
pub struct MatrixProduct {
    /// Rows of each matrix.
    pub side: usize,
}

impl Objective for MatrixProduct {
    #[inline]
    fn value<S: Scalar>(&self, x: &[S]) -> S {
        let n = self.side;
        let (a, b) = x.split_at(n * n);
        let entry = |i: usize, j: usize| {
            let first = a[i * n] * b[j];
            (1..n).fold(first, |sum, k| sum + a[i * n + k] * b[k * n + j])
        };
        let first = entry(0, 0);
        (1..n * n).fold(first, |sum, ij| sum + entry(ij / n, ij % n))
    }

    /// One outer product: a row of ones times `A·B` times a column of ones, differentiated.
    fn adjoint(&self, x: &[f64], gradient: &mut Vec<f64>) {
        let n = self.side;
        let (a, b) = x.split_at(n * n);
        let row_sum = |k: usize| b[k * n..][..n].iter().sum::<f64>();
        let column_sum = |k: usize| (0..n).map(|i| a[i * n + k]).sum::<f64>();
        gradient.clear();
        for _ in 0..n {
            gradient.extend((0..n).map(row_sum));
        }
        for k in 0..n {
            gradient.extend(std::iter::repeat_n(column_sum(k), n));
        }
    }
}

/// `steps` steps of `x ← r·x·(1 − x)`, as a function of `r` and the first `x`.
///
/// Run it at `r = 1 + √6`: where the cycle of two loses its stability, adjoints fade only
/// polynomially, so every step of the sweep has work to do. A little further on (`r = 3.5`) they
/// reach zero within a thousand steps, and a sweep that skips zeros would skip nearly all of it.
#[derive(Clone, Copy, Debug)]
pub struct Logistic {
    /// How often the map is applied.
    pub steps: usize,
}

impl Objective for Logistic {
    #[inline]
    fn value<S: Scalar>(&self, x: &[S]) -> S {
        let (r, first) = (x[0], x[1]);
        (0..self.steps).fold(first, |x, _| r * x * x.taken_from(1.0))
    }

    fn adjoint(&self, x: &[f64], gradient: &mut Vec<f64>) {
        let (r, mut x) = (x[0], x[1]);
        let mut seen = Vec::with_capacity(self.steps);
        for _ in 0..self.steps {
            seen.push(x);
            x = r * x * (1.0 - x);
        }
        let (mut by_r, mut by_x) = (0.0, 1.0);
        for x in seen.into_iter().rev() {
            by_r += by_x * x * (1.0 - x);
            by_x *= r * (1.0 - 2.0 * x);
        }
        gradient.clear();
        gradient.extend([by_r, by_x]);
    }
}
