//! How the time of tracing and of transforming a program grows with its number of statements.
//!
//! Law: each is linear: a program of 10⁵ statements is traced or transformed in well under a second.

use std::hint::black_box;
use std::time::Duration;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, if_};
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

/// A program of this many statements that are maps of products and sums, reductions and elements of arrays.
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

/// A program of one map, whose function has this many statements.
fn one_map(statements: usize) -> Program {
    Program::trace(|xs: Arr<F64>| {
        let chain = |x: F64| (0..statements / 3).fold((x, x), |(a, b), _| (b, (a * b).sin() + a));
        xs.map(|x| chain(x).1).sum()
    })
    .expect("it is well typed")
}

/// A program of this many statements that are, one in five, a choice between two.
fn branches(statements: usize) -> Program {
    Program::trace(|x: F64, y: F64| {
        let step = |(a, b): (F64, F64)| (b, if_(a.lt(b), || a * b, || a + b).sin());
        (0..statements / 5).fold((x, y), |state, _| step(state)).1
    })
    .expect("it is well typed")
}

/// A program that reads this many elements of one array, a third of its statements.
fn elements(statements: usize) -> Program {
    let reads = i64::try_from(statements / 3).expect("a program is shorter than 2^63");
    Program::trace(|xs: Arr<F64>| (0..reads).fold(xs.index(0), |sum, k| sum.sin() + xs.index(k)))
        .expect("it is well typed")
}

fn transform(criterion: &mut Criterion) {
    type Make = fn(usize) -> Program;
    let families: [(&str, Make); 5] = [
        ("scalars", scalars),
        ("arrays", arrays),
        ("one map", one_map),
        ("branches", branches),
        ("elements", elements),
    ];
    for (family, make) in families {
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
            run!("verify", |program: &Program, _| program.verify().expect("it is well typed"));
            run!("jvp", |program: &Program, _| program.jvp().expect("every operation has a rule"));
            run!("vjp", |program: &Program, _| program.vjp().expect("every operation has a rule"));
            run!("simplified", |program: &Program, _| program.simplified());
        }
        group.finish();
    }
}

criterion_group!(benches, transform);
criterion_main!(benches);
