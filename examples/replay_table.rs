//! The table "Replayed" of `benches/README.md`: what an operation of a gradient takes, by a tape and by a recording.
//!
//! `cargo run --release --example replay_table` prints it: nanoseconds per operation, the least of some rounds in which all are asked in
//! turn, on one thread. `ROUNDS=30` asks longer, for steadier figures.

use std::hint::black_box;
use std::time::Instant;

use catadiff::Result;
use catadiff::carriers::Tape;
use catadiff::derivative::Workspace;
use catadiff::prelude::*;

/// Functions of any scalar, and the points they are asked at.
trait Timed {
    fn at<R: Real>(&self, x: &[R]) -> R;
}

struct Rosenbrock;

impl Timed for Rosenbrock {
    fn at<R: Real>(&self, x: &[R]) -> R {
        let term = |a: R, b: R| {
            let (bend, short) = (b - a * a, a - 1.0);
            bend * bend * 100.0 + short * short
        };
        x[1..].windows(2).fold(term(x[0], x[1]), |sum, pair| sum + term(pair[0], pair[1]))
    }
}

struct LogSumExp;

impl Timed for LogSumExp {
    fn at<R: Real>(&self, x: &[R]) -> R {
        x.iter().map(|x| x.exp()).sum::<R>().ln()
    }
}

/// The sum of the product of two square matrices.
struct MatrixProduct(usize);

impl Timed for MatrixProduct {
    fn at<R: Real>(&self, x: &[R]) -> R {
        let n = self.0;
        let (a, b) = x.split_at(n * n);
        let entry = |i: usize, j: usize| (1..n).fold(a[i * n] * b[j], |sum, k| sum + a[i * n + k] * b[k * n + j]);
        (1..n * n).fold(entry(0, 0), |sum, ij| sum + entry(ij / n, ij % n))
    }
}

/// So many steps, each of which needs the one before.
struct LogisticMap(usize);

impl Timed for LogisticMap {
    fn at<R: Real>(&self, x: &[R]) -> R {
        (0..self.0).fold(x[1], |y, _| x[0] * y * (R::one() - y))
    }
}

/// The nanoseconds of a call, which is repeated for about two milliseconds. Short calls are many between looks at the clock.
fn nanoseconds(operations: usize, call: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    let mut calls = 0_u32;
    while calls == 0 || start.elapsed().as_micros() < 2_000 {
        let more = 1 + 20_000 / operations as u32;
        (0..more).for_each(|_| call());
        calls += more;
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

/// A line of the table.
fn line(name: &str, function: &impl Timed, x: &[f64], operations: usize, rounds: usize) -> Result<()> {
    let (mut of_tape, mut of_program) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let mut tape = Tape::new();
    let program = record(|x| vec![function.at(x)], x)?;
    let mut workspace = Workspace::new();
    let mut least = [f64::INFINITY; 4];
    for _ in 0..rounds {
        let times = [
            nanoseconds(operations, &mut || {
                black_box(function.at(black_box(x)));
            }),
            nanoseconds(operations, &mut || {
                tape.value_and_grad(|x| function.at(x), black_box(x), &mut of_tape).expect("a gradient");
            }),
            nanoseconds(operations, &mut || {
                black_box(Reverse::grad(|x| function.at(x), black_box(x)).expect("a gradient"));
            }),
            nanoseconds(operations, &mut || {
                program.value_and_grad_into(&mut workspace, black_box(x), &mut of_program).expect("a gradient");
            }),
        ];
        least.iter_mut().zip(times).for_each(|(least, time)| *least = least.min(time / operations as f64));
    }
    let [value, kept, new, replayed] = least;
    println!(
        "| {name} | {operations} | {value:.1} | {kept:.1} | {new:.1} | {replayed:.1} | {:.2} | {:.2} |",
        new / kept,
        replayed / new
    );
    Ok(())
}

fn main() -> Result<()> {
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    println!("| function | operations | value | kept tape | new tape | replayed | new ÷ kept | replayed ÷ new |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let sizes = [48, 96, 1_000, 10_000, 100_000, 1_000_000];
    let points = |n: usize| (0..n).map(|i| (i % 97) as f64 / 50.0 - 1.0).collect::<Vec<f64>>();
    for n in sizes {
        line("Rosenbrock", &Rosenbrock, &points(n / 8 + 1), n, rounds)?;
    }
    for n in sizes {
        line("log-sum-exp", &LogSumExp, &points(n / 2), n, rounds)?;
    }
    for side in [3, 4, 8, 16, 40, 64] {
        let product = MatrixProduct(side);
        line(
            &format!("product of {side}×{side} matrices"),
            &product,
            &points(2 * side * side),
            2 * side.pow(3),
            rounds,
        )?;
    }
    for n in sizes {
        line("logistic map", &LogisticMap(n / 3), &[1.0 + 6_f64.sqrt(), 0.4], n, rounds)?;
    }
    Ok(())
}
