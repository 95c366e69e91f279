//! How the time of tracing and of transforming a program grows with its number of statements.
//!
//! Law: each is linear: a program of 10⁵ statements is traced or transformed in well under a second.

use std::hint::black_box;
use std::time::Duration;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::prelude::*;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A program of `statements` sums, products and sines of scalars, each of what came before.
fn scalars(statements: usize) -> Program {
    Program::trace(|x: F64, y: F64| {
        let (mut a, mut b) = (x, y);
        for _ in 0..statements / 3 {
            let c = a * b;
            (a, b) = (b, c.sin() + a);
        }
        a * b
    })
    .expect("it is well typed")
}

/// A program of so many statements that are maps of products and sums, reductions and elements of arrays.
fn arrays(statements: usize) -> Program {
    Program::trace(|xs: Arr<F64>| {
        let mut ys = xs;
        for _ in 0..statements / 8 {
            let scale = ys.sum() * 0.5;
            ys = ys.map2(xs, |y, x| y * x + scale);
        }
        ys.sum()
    })
    .expect("it is well typed")
}

fn transform(criterion: &mut Criterion) {
    for (family, make) in [("scalars", scalars as fn(usize) -> Program), ("arrays", arrays)] {
        let mut group = criterion.benchmark_group(format!("transforming {family}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
        for n in [1_000, 10_000, 100_000_usize] {
            let program = make(n);
            group.throughput(Throughput::Elements(n as u64));
            macro_rules! run {
                ($what:literal, $run:expr) => {
                    group.bench_with_input(BenchmarkId::new($what, n), &n, |b, &n| {
                        b.iter(|| ($run)(black_box(&program), n));
                    });
                };
            }
            run!("trace", |_, n| make(n));
            run!("jvp", |program: &Program, _| program.jvp().expect("every operation has a rule"));
            run!("vjp", |program: &Program, _| program.vjp().expect("every operation has a rule"));
            run!("simplified", |program: &Program, _| program.simplified());
        }
        group.finish();
    }
}

criterion_group!(benches, transform);
criterion_main!(benches);
