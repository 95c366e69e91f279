//! Reverse mode: a gradient beside the function itself, on a kept tape, on a new one, and replayed from a recording.
//!
//! Law: a gradient costs a constant number of operations per operation of the function, however many variables.

use std::hint::black_box;

use catadiff::carriers::{Recorded, Tape};
use catadiff::derivative::{ReverseVar, Workspace};
use catadiff::prelude::*;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn log_sum_exp<R: Real>(x: &[R]) -> R {
    x.iter().map(|x| x.exp()).sum::<R>().ln()
}

fn rosenbrock<R: Real>(x: &[R]) -> R {
    let term = |a: R, b: R| {
        let (bend, short) = (b - a * a, a - 1.0);
        bend * bend * 100.0 + short * short
    };
    x[1..].windows(2).fold(term(x[0], x[1]), |sum, pair| sum + term(pair[0], pair[1]))
}

/// The sum of the entries of a product of two square matrices.
fn matrix_product<R: Real>(x: &[R]) -> R {
    let n = (x.len() / 2).isqrt();
    let (a, b) = x.split_at(n * n);
    let entry = |i: usize, j: usize| (1..n).fold(a[i * n] * b[j], |sum, k| sum + a[i * n + k] * b[k * n + j]);
    (1..n * n).fold(entry(0, 0), |sum, ij| sum + entry(ij / n, ij % n))
}

fn measure(
    criterion: &mut Criterion,
    name: &str,
    sizes: &[usize],
    value: fn(&[f64]) -> f64,
    tangent: for<'b> fn(&'b [ReverseVar<'b, f64>]) -> ReverseVar<'b, f64>,
    recorded: for<'b> fn(&'b [Recorded<'b, f64>]) -> Recorded<'b, f64>,
) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    for &n in sizes {
        let x: Vec<f64> = (0..n).map(|i| (i % 97) as f64 / 50.0 - 1.0).collect();
        let mut gradient = vec![0.0; n];
        let mut tape = Tape::new();
        group.bench_with_input(BenchmarkId::new("value", n), &x, |b, x| b.iter(|| value(black_box(x))));
        group.bench_with_input(BenchmarkId::new("kept tape", n), &x, |b, x| {
            b.iter(|| tape.value_and_grad(tangent, black_box(x), &mut gradient));
        });
        group.bench_with_input(BenchmarkId::new("new tape", n), &x, |b, x| {
            b.iter(|| Reverse::grad(tangent, black_box(x)));
        });
        let program = record(|x| vec![recorded(x)], &x).expect("the point is finite");
        let mut workspace = Workspace::new();
        group.bench_with_input(BenchmarkId::new("replay", n), &x, |b, x| {
            b.iter(|| program.value_and_grad_into(&mut workspace, black_box(x), &mut gradient));
        });
    }
    group.finish();
}

fn reverse(criterion: &mut Criterion) {
    measure(criterion, "log-sum-exp", &[10_000, 1_000_000], log_sum_exp, |x| log_sum_exp(x), |x| log_sum_exp(x));
    measure(criterion, "rosenbrock", &[1_000_000], rosenbrock, |x| rosenbrock(x), |x| rosenbrock(x));
    let product = "matrix product";
    measure(criterion, product, &[2 * 64 * 64], matrix_product, |x| matrix_product(x), |x| matrix_product(x));
}

criterion_group!(benches, reverse);
criterion_main!(benches);
