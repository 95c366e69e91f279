//! The table of scans: what an element of a large scan, histogram or scatter costs, beside a plain sequential loop.
//!
//! `cargo run --release -p catadiff-gradbench --features jit,native --example scans` prints it; a number after `--` is another number
//! of elements, and a word another start of the names of rows. Times are the least of several runs in one process, from arguments in
//! memory to results in memory. Without the feature, or a C compiler, the column of compiled C is empty.

use std::hint::black_box;
use std::time::Duration;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_};
use catadiff::execute::{Compiled, Flat};
use catadiff::{Elementary, Result};
use catadiff_gradbench::measure::{compiled_c, least};

/// How long runs are repeated.
const FOR: Duration = Duration::from_millis(700);

/// The least time of several runs, in nanoseconds for each element.
fn each(n: usize, run: impl FnMut() -> Result<()>) -> Result<f64> {
    Ok(least(FOR, run)?.as_nanos() as f64 / n as f64)
}

/// The rows that are printed, and of how many elements.
struct Table {
    n: usize,
    only: String,
}

impl Table {
    fn row(&self, name: &str, program: Program, arguments: &[Flat], plain: &mut dyn FnMut()) -> Result<()> {
        if !name.starts_with(&self.only) {
            return Ok(());
        }
        let (compiled, mut results) = (program.compile()?, Vec::new());
        let mut with = |compiled: &Compiled, threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| each(self.n, || compiled.run_into(arguments, &mut results)))
        };
        let (one, two) = (with(&compiled, 1)?, with(&compiled, 2)?);
        let in_c = compiled_c(&program).map(|it| with(&it, 1)).transpose()?;
        let in_c = in_c.map_or_else(String::new, |time| format!("{time:.2}"));
        let plain = each(self.n, || {
            plain();
            Ok(())
        })?;
        let (times, ratio) = (one / plain, one / two);
        println!("| {name} | {plain:.2} | {one:.2} | {times:.2} | {two:.2} | {ratio:.2} | {in_c} |");
        Ok(())
    }
}

fn scans(table: &Table, xs: &[f64]) -> Result<()> {
    let n = table.n;
    let reals = Flat::reals(&[n], xs.to_vec())?;
    let mut out = vec![0.0; n];
    let sums = Program::trace(|xs: Arr<F64>| xs.scan(0.0, |a, b| a + b))?;
    table.row("scan, sums", sums.clone(), std::slice::from_ref(&reals), &mut || {
        let mut sum = 0.0;
        for (out, x) in out.iter_mut().zip(xs) {
            sum += x;
            *out = sum;
        }
        black_box(&mut out);
    })?;
    let mut found = vec![0.0; n];
    table.row("scan, sums: with adjoints", sums.vjp()?, &[reals.clone(), reals.clone()], &mut || {
        let mut sum = 0.0;
        for (found, x) in found.iter_mut().zip(xs) {
            sum += x;
            *found = sum;
        }
        let mut sum = 0.0;
        for (out, x) in out.iter_mut().zip(xs).rev() {
            sum += x;
            *out = sum;
        }
        black_box((&mut out, &mut found));
    })?;

    let whole: Vec<i64> = (0..n as i64).collect();
    let mut counts = vec![0; n];
    let counted = Program::trace(|xs: Arr<I64>| xs.scan(0, |a, b| a + b))?;
    table.row("scan, sums of integers", counted, &[Flat::integers(&[n], whole.clone())?], &mut || {
        let mut sum = 0;
        for (out, x) in counts.iter_mut().zip(&whole) {
            sum += x;
            *out = sum;
        }
        black_box(&mut counts);
    })?;

    let greatest = Program::trace(|xs: Arr<F64>| xs.scan(f64::NEG_INFINITY, |a, b| a.max(b)))?;
    table.row("scan, greatest", greatest, std::slice::from_ref(&reals), &mut || {
        let mut most = f64::NEG_INFINITY;
        for (out, x) in out.iter_mut().zip(xs) {
            most = most.max(*x);
            *out = most;
        }
        black_box(&mut out);
    })?;

    let recurrence = Program::trace(|a: Arr<F64>, b: Arr<F64>| {
        let both = a.map2(b, |a, b| (a, b));
        both.scan((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d)).map(|(_, y)| y)
    })?;
    table.row("scan, linear recurrence", recurrence.clone(), &[reals.clone(), reals.clone()], &mut || {
        let mut y = 0.0;
        for (out, x) in out.iter_mut().zip(xs) {
            y = y * x + x;
            *out = y;
        }
        black_box(&mut out);
    })?;
    let mut of_a = vec![0.0; n];
    table.row(
        "scan, linear recurrence: with adjoints",
        recurrence.vjp()?,
        &[reals.clone(), reals.clone(), reals],
        &mut || {
            let mut y = 0.0;
            for (found, x) in found.iter_mut().zip(xs) {
                y = y * x + x;
                *found = y;
            }
            let mut adjoint = 0.0;
            for k in (0..n).rev() {
                adjoint += xs[k];
                let before = if k > 0 { found[k - 1] } else { 0.0 };
                (out[k], of_a[k]) = (adjoint, adjoint * before);
                adjoint *= xs[k];
            }
            black_box((&mut out, &mut of_a, &mut found));
        },
    )
}

/// Does something with a bin and its value, for each index that is one of a bin.
fn each_bin<B>(bins: &mut [B], at: &[i64], xs: &[f64], does: impl Fn(&mut B, f64)) {
    for (at, x) in at.iter().zip(xs) {
        if let Some(bin) = usize::try_from(*at).ok().and_then(|at| bins.get_mut(at)) {
            does(bin, *x);
        }
    }
    black_box(bins);
}

fn histograms(table: &Table, xs: &[f64]) -> Result<()> {
    let n = table.n;
    let spread = |of: usize| -> Vec<i64> { (0..n).map(|k| (k.wrapping_mul(2_654_435_761) % of) as i64).collect() };
    let (few, many, in_order) = (spread(256), spread(n), (0..n as i64).collect::<Vec<_>>());
    let reals = Flat::reals(&[n], xs.to_vec())?;
    let with = |at: &[i64]| -> Result<[Flat; 2]> { Ok([Flat::integers(&[n], at.to_vec())?, reals.clone()]) };
    let mut bins = vec![f64::NEG_INFINITY; 256];
    let greatest = Program::trace(|at: Arr<I64>, xs: Arr<F64>| {
        hist(256, f64::NEG_INFINITY, at, xs, |a, b| if_(a.lt(b), || b, || a))
    })?;
    table.row("hist, greatest of 256 bins", greatest, &with(&few)?, &mut || {
        each_bin(&mut bins, &few, xs, |bin, x| {
            if *bin < x {
                *bin = x;
            }
        });
    })?;
    let added = Program::trace(|at: Arr<I64>, xs: Arr<F64>| hist(256, 0.0, at, xs, |a, b| a + b))?;
    let sum = |bin: &mut f64, x: f64| *bin += x;
    table.row("hist, sums of 256 bins", added.clone(), &with(&few)?, &mut || each_bin(&mut bins, &few, xs, sum))?;
    let mut out = vec![0.0; n];
    let seeds = Flat::reals(&[256], vec![1.0; 256])?;
    // Integers have adjoints too, which are 0.
    let mut of_indices = vec![0; n];
    let of_added = [&with(&few)?[..], &[seeds]].concat();
    table.row("hist, sums of 256 bins: with adjoints", added.vjp()?, &of_added, &mut || {
        bins.fill(0.0);
        each_bin(&mut bins, &few, xs, sum);
        of_indices.fill(0);
        for (out, at) in out.iter_mut().zip(&few) {
            *out = usize::try_from(*at).ok().and_then(|at| bins.get(at)).copied().unwrap_or(0.0);
        }
        black_box((&mut out, &mut of_indices));
    })?;
    let spread_out = Program::trace(|at: Arr<I64>, xs: Arr<F64>| hist(at.len(), 0.0, at, xs, |a, b| a + b))?;
    table.row("hist, sums of many bins", spread_out, &with(&many)?, &mut || {
        out.fill(0.0);
        each_bin(&mut out, &many, xs, sum);
    })?;

    let scattered = Program::trace(|at: Arr<I64>, xs: Arr<F64>| xs.zeros_like().scatter(at, xs))?;
    let set = |to: &mut f64, x: f64| *to = x;
    table.row("scatter, anywhere", scattered.clone(), &with(&many)?, &mut || {
        out.fill(0.0);
        each_bin(&mut out, &many, xs, set);
    })?;
    table.row("scatter, in order", scattered.clone(), &with(&in_order)?, &mut || {
        out.fill(0.0);
        each_bin(&mut out, &in_order, xs, set);
    })?;
    let of_scattered = [&with(&many)?[..], std::slice::from_ref(&reals)].concat();
    // Of the values that are scattered to one place the last has the adjoint.
    let (mut last, mut found) = (vec![0; n], vec![0.0; n]);
    table.row("scatter, anywhere: with adjoints", scattered.vjp()?, &of_scattered, &mut || {
        found.fill(0.0);
        each_bin(&mut found, &many, xs, set);
        of_indices.fill(0);
        last.fill(-1);
        for (k, at) in many.iter().enumerate() {
            if let Some(last) = usize::try_from(*at).ok().and_then(|at| last.get_mut(at)) {
                *last = k as i64;
            }
        }
        for (k, (out, at)) in out.iter_mut().zip(&many).enumerate() {
            let at = usize::try_from(*at).ok().filter(|at| last.get(*at) == Some(&(k as i64)));
            *out = at.map_or(0.0, |at| xs[at]);
        }
        black_box((&mut out, &mut of_indices));
    })
}

/// Short scans and histograms, one for each row of a matrix.
fn of_rows(table: &Table, xs: &[f64]) -> Result<()> {
    let (length, n) = (100, table.n / 100 * 100);
    let rows = Flat::reals(&[n / length, length], xs[..n].to_vec())?;
    let mut out = vec![0.0; n];
    let sums = Program::trace(|rows: Arr<Arr<F64>>| rows.map(|row| row.scan(0.0, |a, b| a + b)))?;
    table.row("scans of rows of 100, sums", sums, &[rows], &mut || {
        for (out, row) in out.chunks_mut(length).zip(xs.chunks(length)) {
            let mut sum = 0.0;
            for (out, x) in out.iter_mut().zip(row) {
                sum += x;
                *out = sum;
            }
        }
        black_box(&mut out);
    })
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let n = words.iter().find_map(|word| word.parse().ok()).unwrap_or(10_000_000);
    let only = words.into_iter().find(|word| word.parse::<usize>().is_err()).unwrap_or_default();
    let xs: Vec<f64> = (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 1009.0).collect();
    println!("Nanoseconds for each of {n} elements.\n");
    println!("| | a plain loop | lanes | as a multiple | two threads | ratio | compiled C |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let table = Table { n, only };
    scans(&table, &xs)?;
    histograms(&table, &xs)?;
    of_rows(&table, &xs)
}
