//! The table of everyday programs: what programs written in Futhark cost, beside a plain loop in Rust and beside the same in C.
//!
//! `cargo run --release -p catadiff-gradbench --features jit,native --example everyday` prints it; a word after `--` is the start of the
//! names of rows. All is on one thread. Times are the least of several runs in one process, from arguments in memory to results in
//! memory, and results are those of the loops, or it says so and ends. The last column is the time of the function with its reverse derivative, by
//! lanes, as a multiple of the function's.

mod loops;

use std::time::Duration;

use catadiff::array::Program;
use catadiff::execute::Flat;
use catadiff::futhark::elaborate::compile;
use catadiff::{Error, Result};
use catadiff_gradbench::measure::{compiled_c, least};
use loops::Loop;

const PROGRAMS: &str = include_str!("programs.fut");

/// How long runs are repeated.
const FOR: Duration = Duration::from_millis(500);

/// Numbers that look like none in particular, the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Reals from 0 to 1.
    fn reals(&mut self, sizes: &[usize]) -> Result<Flat> {
        let real = |_| self.next() as f64 / (1_u64 << 31) as f64;
        Flat::reals(sizes, (0..sizes.iter().product()).map(real).collect())
    }

    /// Integers from 0 to `below`, without it.
    fn below(&mut self, below: u64, sizes: &[usize]) -> Result<Flat> {
        Flat::integers(sizes, (0..sizes.iter().product()).map(|_| (self.next() % below) as i64).collect())
    }
}

fn scalar(n: i64) -> Result<Flat> {
    Flat::integers(&[], vec![n])
}

/// Where each row starts, of rows of 0 to 20 elements, and where the last ends.
fn starts(numbers: &mut Numbers, rows: usize) -> Result<Flat> {
    let mut starts = vec![0];
    for row in 0..rows {
        starts.push(starts[row] + (numbers.next() % 21) as i64);
    }
    Flat::integers(&[rows + 1], starts)
}

/// The same up to the rounding of sums; what no loop has made is the number of a check that did not hold, 0 for none.
fn same(ours: &Flat, theirs: &Flat) -> bool {
    if theirs.sizes() == [0] {
        return ours.as_integers() == Some(&[0]);
    }
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    ours.sizes() == theirs.sizes()
        && match (ours.as_reals(), theirs.as_reals()) {
            (Some(ours), Some(theirs)) => ours.iter().zip(theirs).all(near),
            _ => ours.as_integers() == theirs.as_integers(),
        }
}

struct Table {
    only: String,
}

impl Table {
    fn row(&self, name: &str, size: &str, arguments: &[Flat], plain: Loop) -> Result<()> {
        if !name.starts_with(&self.only) {
            return Ok(());
        }
        let program = compile(PROGRAMS, name).expect("the programs are right").program;
        let (lanes, mut results) = (program.compile()?, Vec::new());
        let time = least(FOR, || lanes.run_into(arguments, &mut results))?;
        let mut expected = vec![Flat::default(); results.len()];
        let by_hand = least(FOR, || {
            plain(arguments, &mut expected);
            Ok(())
        })?;
        assert!(
            results.iter().zip(&expected).all(|(ours, theirs)| same(ours, theirs)),
            "{name}: not what the loop says"
        );
        let in_c = match compiled_c(&program) {
            None => None,
            Some(compiled) => Some(least(FOR, || compiled.run_into(arguments, &mut results))?),
        };
        let derived = of_derivative(&program, arguments, &results)?;

        let shown = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
        let times = |a: Duration, b: Duration| format!("{:.2}", a.as_secs_f64() / b.as_secs_f64());
        println!(
            "| {name} | {size} | {} | {} | {} | {} | {} | {} |",
            shown(by_hand),
            shown(time),
            times(time, by_hand),
            in_c.map_or_else(String::new, shown),
            in_c.map_or_else(String::new, |it| times(time, it)),
            derived.map_or_else(String::new, |it| times(it, time)),
        );
        Ok(())
    }
}

/// The time of the function with its reverse derivative, where a result is real.
fn of_derivative(program: &Program, arguments: &[Flat], results: &[Flat]) -> Result<Option<Duration>> {
    if results.iter().all(|result| result.as_reals().is_none()) {
        return Ok(None);
    }
    let compiled = program.vjp()?.compile()?;
    let seed = |result: &Flat| match result.as_integers() {
        Some(_) => Ok(result.clone()),
        None => Flat::reals(result.sizes(), vec![1.0; result.sizes().iter().product()]),
    };
    let seeds = results.iter().map(seed);
    let arguments = arguments.iter().cloned().map(Ok).chain(seeds).collect::<Result<Vec<_>>>()?;
    let mut results = Vec::new();
    match compiled.run_into(&arguments, &mut results) {
        // What the states of a loop take may be more than a run is allowed.
        Err(Error::Budget { .. }) => return Ok(None),
        other => other?,
    }
    least(FOR, || compiled.run_into(&arguments, &mut results)).map(Some)
}

fn main() -> Result<()> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let table = Table { only };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    println!(
        "| | size | a plain loop | lanes | as a multiple | compiled C | lanes ÷ C | with its reverse derivative |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    pool.install(|| rows(&table))
}

fn rows(table: &Table) -> Result<()> {
    let mut numbers = Numbers(1);
    let side = 1024;
    let square = numbers.reals(&[side, side])?;
    let matrix = "1,024²";
    let two = [square.clone(), numbers.reals(&[side, side])?];
    table.row("product", matrix, &two, loops::product)?;
    table.row("covariance", matrix, &two[..1], loops::covariance)?;
    let mut heavy = square.clone();
    heavy.as_reals_mut().expect("reals").iter_mut().step_by(side + 1).for_each(|x| *x += side as f64);
    table.row("lu", matrix, &[heavy], loops::lu)?;
    table.row("floyd", "512²", &[numbers.reals(&[512, 512])?], loops::floyd)?;
    table.row("transposed", matrix, &two[..1], loops::transposed)?;
    table.row("softmax", matrix, &two[..1], loops::softmax)?;
    table.row("heat", "1,024², 20 steps", &[scalar(20)?, square], loops::heat)?;
    table.row("smooth", "10⁶, 20 steps", &[scalar(20)?, numbers.reals(&[1_000_000])?], loops::smooth)?;
    table.row("life", "1,024², 20 steps", &[scalar(20)?, numbers.below(2, &[side, side])?], loops::life)?;

    table.row("radix_sort", "10⁶", &[numbers.below(1 << 20, &[1_000_000])?], loops::radix_sort)?;
    table.row("network_sort", "2²⁰", &[scalar(20)?, numbers.below(1 << 40, &[1 << 20])?], loops::network_sort)?;

    let n = 10_000_000;
    let xs = [numbers.reals(&[n])?];
    table.row("prefix", "10⁷", &xs, loops::prefix)?;
    table.row("keep", "10⁷", &xs, loops::keep)?;
    let mut centred = xs[0].clone();
    centred.as_reals_mut().expect("reals").iter_mut().for_each(|x| *x -= 0.5);
    table.row("stretch", "10⁷", std::slice::from_ref(&centred), loops::stretch)?;
    let [xs] = xs;
    table.row("segmented", "10⁷", &[numbers.below(20, &[n])?, xs.clone()], loops::segmented)?;
    table.row("histogram", "10⁷, 1,000 bins", &[scalar(1000)?, xs], loops::histogram)?;

    let rows = 1_000_000;
    let x = numbers.reals(&[rows])?;
    let five = [numbers.below(rows as u64, &[rows, 5])?, numbers.reals(&[rows, 5])?, x.clone()];
    table.row("ell", "10⁶ rows of 5", &five, loops::ell)?;
    let starts = starts(&mut numbers, rows)?;
    let count = starts.as_integers().and_then(|starts| starts.last()).map_or(0, |count| *count as usize);
    let (columns, values) = (numbers.below(rows as u64, &[count])?, numbers.reals(&[count])?);
    table.row("csr", "10⁶ rows, 10⁷", &[starts, columns.clone(), values.clone(), x.clone()], loops::csr)?;
    let by_row = [scalar(rows as i64)?, numbers.below(rows as u64, &[count])?, columns, values, x];
    table.row("coo", "10⁶ rows, 10⁷", &by_row, loops::coo)?;

    table.row("distances", "10⁶ of 4 edges", &[numbers.below(rows as u64, &[rows, 4])?], loops::distances)?;
    table.row("roots", "10⁶", &[numbers.reals(&[rows])?], loops::roots)?;

    table.row("mandelbrot", "1,000², 100 steps", &[scalar(1000)?, scalar(100)?], loops::mandelbrot)?;
    let bodies = [0; 4].map(|_| numbers.reals(&[2000]));
    table.row("nbody", "2,000", &bodies.into_iter().collect::<Result<Vec<_>>>()?, loops::nbody)
}
