//! What an element of each vector function costs, by the instructions it is compiled for, beside the standard library's.
//!
//! Law: one source for every machine; with wider vectors each function is faster, and none is slower than one by one.

#![allow(unsafe_code, reason = "functions compiled for instructions that the machine was asked for are called here")]

use std::hint::black_box;
use std::time::Duration;

use catadiff::execute::math::Lane;
use catadiff::primitives::{Elementary, Primitive, rows};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Few enough that arguments and results stay in the nearest cache.
const LANES: usize = 1024;

/// A vector function as a type, to be compiled into each loop.
trait Function {
    const PRIMITIVE: Primitive;
    fn lane<F: Lane, const FMA: bool>(x: F, y: F) -> F;
    fn one<F: Elementary>(x: F, y: F) -> F;
}

#[inline(always)]
fn each<G: Function, F: Lane, const FMA: bool>(xs: &[F; LANES], ys: &[F; LANES], to: &mut [F; LANES]) {
    for ((x, y), to) in xs.iter().zip(ys).zip(to) {
        *to = G::lane::<F, FMA>(*x, *y);
    }
}

#[inline(never)]
fn portable<G: Function, F: Lane>(xs: &[F; LANES], ys: &[F; LANES], to: &mut [F; LANES]) {
    each::<G, F, false>(xs, ys, to);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn avx2<G: Function, F: Lane>(xs: &[F; LANES], ys: &[F; LANES], to: &mut [F; LANES]) {
    each::<G, F, true>(xs, ys, to);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,fma")]
fn avx512<G: Function, F: Lane>(xs: &[F; LANES], ys: &[F; LANES], to: &mut [F; LANES]) {
    each::<G, F, true>(xs, ys, to);
}

fn one_by_one<G: Function, F: Elementary + Copy>(xs: &[F; LANES], ys: &[F; LANES], to: &mut [F; LANES]) {
    for ((x, y), to) in xs.iter().zip(ys).zip(to) {
        *to = G::one(*x, *y);
    }
}

fn measure<G: Function, F: Lane + Elementary>(criterion: &mut Criterion, width: &str) {
    let (low, high) = G::PRIMITIVE.smooth()[0];
    let at = |k: usize| low + (high - low) * ((k * 389) % LANES) as f64 / LANES as f64;
    let xs: [F; LANES] = std::array::from_fn(|k| F::constant(at(k)));
    let ys: [F; LANES] = std::array::from_fn(|k| F::constant(0.25 + at(7 * k + 3).abs()));
    let mut to = xs;
    let mut group = criterion.benchmark_group(format!("{} of {width}", G::PRIMITIVE.name()));
    group.throughput(Throughput::Elements(LANES as u64));
    group.bench_function("one by one", |b| b.iter(|| one_by_one::<G, F>(black_box(&xs), black_box(&ys), &mut to)));
    group.bench_function("portable", |b| b.iter(|| portable::<G, F>(black_box(&xs), black_box(&ys), &mut to)));
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        // SAFETY: the machine has just said that it has both features.
        group.bench_function("avx2", |b| b.iter(|| unsafe { avx2::<G, F>(black_box(&xs), black_box(&ys), &mut to) }));
    }
    #[cfg(target_arch = "x86_64")]
    if ["avx512f", "avx512dq", "avx512vl", "avx512bw", "fma"].iter().all(|feature| has(feature)) {
        // SAFETY: the machine has just said that it has all five features.
        group.bench_function("avx512", |b| {
            b.iter(|| unsafe { avx512::<G, F>(black_box(&xs), black_box(&ys), &mut to) })
        });
    }
    black_box(&to);
    group.finish();
}

/// Whether the machine has a feature; the macro takes literals only.
#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "avx512f" => std::is_x86_feature_detected!("avx512f"),
        "avx512dq" => std::is_x86_feature_detected!("avx512dq"),
        "avx512vl" => std::is_x86_feature_detected!("avx512vl"),
        "avx512bw" => std::is_x86_feature_detected!("avx512bw"),
        _ => std::is_x86_feature_detected!("fma"),
    }
}

macro_rules! functions {
    ($($Row:ident $function:ident($x:ident, $y:ident $(; $second:ident)?);)+) => {
        $(impl Function for rows::$Row {
            const PRIMITIVE: Primitive = Primitive::$Row;
            #[inline(always)]
            fn lane<F: Lane, const FMA: bool>($x: F, $y: F) -> F { F::$function::<FMA>($x $(, $second)?) }
            #[inline(always)]
            fn one<F: Elementary>($x: F, $y: F) -> F { F::apply(&rows::$Row, [$x $(, $second)?]) }
        })+

        fn vector_math(criterion: &mut Criterion) {
            $(
                measure::<rows::$Row, f64>(criterion, "f64");
                measure::<rows::$Row, f32>(criterion, "f32");
            )+
        }
    };
}

functions! {
    Exp exp(x, _y);
    Exp2 exp2(x, _y);
    Expm1 expm1(x, _y);
    Ln ln(x, _y);
    Log2 log2(x, _y);
    Log10 log10(x, _y);
    Log1p log1p(x, _y);
    Sin sin(x, _y);
    Cos cos(x, _y);
    Tan tan(x, _y);
    Asin asin(x, _y);
    Acos acos(x, _y);
    Atan atan(x, _y);
    Atan2 atan2(x, y; y);
    Sinh sinh(x, _y);
    Cosh cosh(x, _y);
    Tanh tanh(x, _y);
    Asinh asinh(x, _y);
    Acosh acosh(x, _y);
    Atanh atanh(x, _y);
    Cbrt cbrt(x, _y);
    Pow pow(x, y; y);
    Hypot hypot(x, y; y);
    Erf erf(x, _y);
    Erfc erfc(x, _y);
    Sigmoid sigmoid(x, _y);
    Softplus softplus(x, _y);
}

fn briefly() -> Criterion {
    let (warm, measured) = (Duration::from_millis(100), Duration::from_millis(300));
    Criterion::default().warm_up_time(warm).measurement_time(measured).sample_size(20)
}

criterion_group!(name = benches; config = briefly(); targets = vector_math);
criterion_main!(benches);
