//! Forward mode: what a tangent, or several, cost beside the function itself.
//!
//! Law: one derivative is at most a few times the function, and eight cost less than eight times one.

use std::hint::black_box;

use catadiff::carriers::{Dense, Dual};
use catadiff::prelude::*;
use criterion::{Criterion, criterion_group, criterion_main};
use generic_array::typenum::{U8, U16};

fn rosenbrock<R: Real>(x: &[R]) -> R {
    let term = |a: R, b: R| {
        let (bend, short) = (b - a * a, a - 1.0);
        bend * bend * 100.0 + short * short
    };
    x[1..].windows(2).fold(term(x[0], x[1]), |sum, pair| sum + term(pair[0], pair[1]))
}

fn polynomial<R: Real>(x: R, coefficients: &[f64]) -> R {
    coefficients.iter().fold(R::zero(), |sum, c| sum * x + *c)
}

fn transcendental<R: Real>(x: R, y: R) -> R {
    (x * y).sin().exp() / (x * x + y * y).sqrt() + x.atan2(y) * y.powf(1.5) + x.powi(7).tanh()
}

fn forward(criterion: &mut Criterion) {
    let point: Vec<f64> = (0..100).map(|i| f64::from(i % 13) / 7.0 - 0.8).collect();
    let along: Vec<Dual<f64>> = point.iter().map(|x| Dual { value: *x, tangent: 1.0 - x }).collect();
    let mut group = criterion.benchmark_group("rosenbrock of 100 variables");
    group.bench_function("value", |b| b.iter(|| rosenbrock(black_box(&point))));
    group.bench_function("one direction", |b| b.iter(|| rosenbrock(black_box(&along))));
    group.bench_function("gradient, 8 lanes", |b| {
        b.iter(|| VectorForward::<U8>::grad(|x| rosenbrock(x), black_box(&point)));
    });
    group.bench_function("gradient, 16 lanes", |b| {
        b.iter(|| VectorForward::<U16>::grad(|x| rosenbrock(x), black_box(&point)));
    });
    group.finish();

    let coefficients: Vec<f64> = (0..30).map(|k| 1.0 / f64::from(k + 1)).collect();
    let mut group = criterion.benchmark_group("polynomial of 30 terms");
    group.bench_function("value", |b| b.iter(|| polynomial(black_box(0.83), &coefficients)));
    group.bench_function("derivative", |b| {
        b.iter(|| polynomial(black_box(Dual { value: 0.83, tangent: 1.0 }), &coefficients));
    });
    group.bench_function("second derivative", |b| {
        let one = Dual { value: 1.0, tangent: 0.0 };
        let x = Dual { value: Dual { value: 0.83, tangent: 1.0 }, tangent: one };
        b.iter(|| polynomial(black_box(x), &coefficients));
    });
    group.finish();

    let mut group = criterion.benchmark_group("elementary functions of 2 variables");
    group.bench_function("value", |b| b.iter(|| transcendental(black_box(0.4), black_box(0.7))));
    group.bench_function("gradient, 8 lanes", |b| {
        type Number = Dual<f64, Dense<f64, U8>>;
        let (x, y) = (Number::variable(0.4, 0), Number::variable(0.7, 1));
        b.iter(|| transcendental(black_box(x), black_box(y)));
    });
    group.finish();
}

criterion_group!(benches, forward);
criterion_main!(benches);
