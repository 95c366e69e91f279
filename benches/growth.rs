//! How the time of a gradient grows with the number of operations, in every mode.
//!
//! Law: with the number of variables held at 8, every mode is linear in the operations; the modes differ in what one
//! operation costs ("Forwards and in reverse", the table of complexities).

use std::hint::black_box;
use std::time::Duration;

use catadiff::carriers::{Accumulate, Cayley, Dense, Dual, Hom, Sparse, Tape};
use catadiff::prelude::*;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use generic_array::typenum::U8;

const VARIABLES: usize = 8;

/// `operations` sums and products of what came before and of the variables, in turn, of bounded size.
fn chain<N: Clone + core::ops::Add<Output = N> + core::ops::Mul<Output = N>>(x: &[N], operations: usize) -> N {
    let mut sum = x[0].clone();
    for k in 0..operations / 2 {
        sum = sum * x[k % VARIABLES].clone() + x[(k + 3) % VARIABLES].clone();
    }
    sum
}

fn growth(criterion: &mut Criterion) {
    let at: [f64; VARIABLES] = core::array::from_fn(|i| 0.3 + 0.05 * i as f64);
    let mut group = criterion.benchmark_group("a gradient by 8 variables");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for n in [1_000, 10_000, 100_000, 1_000_000_usize] {
        group.throughput(Throughput::Elements(n as u64));
        macro_rules! run {
            ($mode:literal, $gradient:expr) => {
                group.bench_with_input(BenchmarkId::new($mode, n), &n, |b, &n| {
                    let gradient = $gradient;
                    b.iter(|| gradient(black_box(&at), n));
                });
            };
        }
        run!("value", |x: &[f64; VARIABLES], n| chain(x, n));
        run!("forward", |x: &[f64; VARIABLES], n| Forward::grad(|x| chain(x, n), x));
        run!("dense", |x: &[f64; VARIABLES], n| {
            type Number = Dual<f64, Dense<f64, U8>>;
            chain(&core::array::from_fn::<_, VARIABLES, _>(|i| Number::variable(x[i], i)), n).tangent
        });
        run!("sparse", |x: &[f64; VARIABLES], n| {
            type Number = Dual<f64, Sparse<usize, f64>>;
            chain(&core::array::from_fn::<_, VARIABLES, _>(|i| Number::variable(x[i], i)), n).tangent
        });
        run!("downward", |x: &[f64; VARIABLES], n| {
            type Number<'a> = Dual<f64, Hom<'a, f64, Sparse<usize, f64>>>;
            chain(&core::array::from_fn::<_, VARIABLES, _>(|i| Number::variable(x[i], i)), n).tangent.abs()
        });
        run!("Cayley", |x: &[f64; VARIABLES], n| {
            type Number<'a> = Dual<f64, Cayley<'a, f64, Sparse<usize, f64>>>;
            chain(&core::array::from_fn::<_, VARIABLES, _>(|i| Number::variable(x[i], i)), n).tangent.abs()
        });
        run!("accumulated", |x: &[f64; VARIABLES], n| {
            type Number<'a> = Dual<f64, Accumulate<'a, f64>>;
            chain(&core::array::from_fn::<_, VARIABLES, _>(|i| Number::variable(x[i], i)), n).tangent.abs(VARIABLES)
        });
        let mut tape = Tape::new();
        let mut gradient = [0.0; VARIABLES];
        group.bench_with_input(BenchmarkId::new("tape", n), &n, |b, &n| {
            b.iter(|| tape.value_and_grad(|x| chain(x, n), black_box(&at), &mut gradient));
        });
    }
    group.finish();
}

criterion_group!(benches, growth);
criterion_main!(benches);
