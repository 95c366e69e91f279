//! The table of scans: what an element of a large scan, histogram or scatter costs, beside a plain sequential loop.
//!
//! `cargo run --release -p catadiff-gradbench --example scans` prints it; a number after `--` is another number of
//! elements. Times are the least of several runs in one process, from arguments in memory to results in memory.

use std::hint::black_box;
use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_};
use catadiff::execute::Flat;

/// The least time of several runs, in nanoseconds for each element.
fn least(n: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_secs(2) {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed());
    }
    Ok(least.as_nanos() as f64 / n as f64)
}

fn row(name: &str, program: &Program, arguments: &[Flat], n: usize, plain: &mut dyn FnMut()) -> Result<()> {
    let (compiled, mut results) = (program.compile()?, Vec::new());
    let mut with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| least(n, || compiled.run_into(arguments, &mut results)))
    };
    let (one, two) = (with(1)?, with(2)?);
    let plain = least(n, || {
        plain();
        Ok(())
    })?;
    println!("| {name} | {plain:.2} | {one:.2} | {two:.2} | {:.2} |", one / two);
    Ok(())
}

fn main() -> Result<()> {
    let n: usize = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(10_000_000);
    let xs: Vec<f64> = (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 1009.0).collect();
    let spread = |of: usize| -> Vec<i64> { (0..n).map(|k| (k.wrapping_mul(2_654_435_761) % of) as i64).collect() };
    let (few, many) = (spread(256), spread(n));
    let reals = Flat::reals(&[n], xs.clone())?;
    println!("Nanoseconds for each of {n} elements.\n");
    println!("| | a plain loop | one thread | two threads | ratio |");
    println!("|---|---:|---:|---:|---:|");

    let sums = Program::trace(|xs: Arr<F64>| xs.scan(0.0, |a, b| a + b))?;
    let mut out = vec![0.0; n];
    row("scan, sums", &sums, std::slice::from_ref(&reals), n, &mut || {
        let mut sum = 0.0;
        for (out, x) in out.iter_mut().zip(&xs) {
            sum += x;
            *out = sum;
        }
        black_box(&mut out);
    })?;

    let recurrence = Program::trace(|a: Arr<F64>, b: Arr<F64>| {
        let both = a.map2(b, |a, b| (a, b));
        both.scan((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d)).map(|(_, y)| y)
    })?;
    row("scan, linear recurrence", &recurrence, &[reals.clone(), reals.clone()], n, &mut || {
        let mut y = 0.0;
        for (out, x) in out.iter_mut().zip(&xs) {
            y = y * x + x;
            *out = y;
        }
        black_box(&mut out);
    })?;

    let mut bins = vec![f64::NEG_INFINITY; 256];
    let greatest = Program::trace(|at: Arr<I64>, xs: Arr<F64>| {
        hist(256, f64::NEG_INFINITY, at, xs, |a, b| if_(a.lt(b), || b, || a))
    })?;
    row("hist, greatest of 256 bins", &greatest, &[Flat::integers(&[n], few.clone())?, reals.clone()], n, &mut || {
        for (at, x) in few.iter().zip(&xs) {
            if let Some(bin) = usize::try_from(*at).ok().and_then(|at| bins.get_mut(at))
                && *bin < *x
            {
                *bin = *x;
            }
        }
        black_box(&mut bins);
    })?;

    let added = Program::trace(|at: Arr<I64>, xs: Arr<F64>| hist(256, 0.0, at, xs, |a, b| a + b))?;
    row("hist, sums of 256 bins", &added, &[Flat::integers(&[n], few.clone())?, reals.clone()], n, &mut || {
        for (at, x) in few.iter().zip(&xs) {
            if let Some(bin) = usize::try_from(*at).ok().and_then(|at| bins.get_mut(at)) {
                *bin += *x;
            }
        }
        black_box(&mut bins);
    })?;

    let scattered = Program::trace(|at: Arr<I64>, xs: Arr<F64>| xs.zeros_like().scatter(at, xs))?;
    row("scatter, anywhere", &scattered, &[Flat::integers(&[n], many.clone())?, reals], n, &mut || {
        out.fill(0.0);
        for (at, x) in many.iter().zip(&xs) {
            if let Some(out) = usize::try_from(*at).ok().and_then(|at| out.get_mut(at)) {
                *out = *x;
            }
        }
        black_box(&mut out);
    })?;
    Ok(())
}
