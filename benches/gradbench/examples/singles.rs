//! The table of precisions: how long functions of the benchmark take in single precision, relative to double precision, and how far
//! their results differ.
//!
//! `cargo run --release -p catadiff-gradbench --example singles` prints it; a word after `--` picks a module. Times are of the
//! processor, of all threads (Linux counts them), the least of several turns that both precisions take. Inputs are those of the
//! benchmark's generator, by their seeds.

use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::{Compiled, Flat};
use catadiff_gradbench::{FUNCTIONS, inputs::input};

const INPUTS: [(&str, &str); 6] = [
    ("gmm", "d=20 k=25 n=1000 seed=1"),
    ("gmm", "d=64 k=50 n=1000 seed=2"),
    ("kmeans", "k=10 n=10000 d=8 seed=1"),
    ("kmeans", "k=100 n=10000 d=16 seed=2"),
    ("lse", "n=10000 seed=1"),
    ("lse", "n=1000000 seed=2"),
];

/// What the threads of this process have used of the processor so far.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let read = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
    let used = |text: String| text.split_whitespace().next().and_then(|n| n.parse::<u64>().ok());
    Duration::from_nanos(tasks.filter_map(read).filter_map(used).sum())
}

/// How long a turn is at least: the account of the processor's time is off by a tick.
const TURN: Duration = Duration::from_millis(150);
const TURNS: usize = 7;

/// The time of a run, of as many as fill a turn.
fn turn(compiled: &Compiled, arguments: &[Flat], results: &mut Vec<Flat>) -> Result<Duration> {
    let (start, before, mut runs) = (Instant::now(), processor_time(), 0);
    while start.elapsed() < TURN {
        compiled.run_into(arguments, results)?;
        runs += 1;
    }
    Ok((processor_time() - before) / runs)
}

/// The least times of runs that take turns, after one to warm up.
fn least(both: [&Compiled; 2], arguments: [&[Flat]; 2]) -> Result<([Duration; 2], [Vec<Flat>; 2])> {
    let (mut least, mut results) = ([Duration::MAX; 2], [Vec::new(), Vec::new()]);
    for at in 0..=TURNS {
        for k in 0..2 {
            let time = turn(both[k], arguments[k], &mut results[k])?;
            if at > 0 {
                least[k] = least[k].min(time);
            }
        }
    }
    Ok((least, results))
}

/// The reals, in either precision.
fn reals_of(flat: &Flat) -> Vec<f64> {
    let singles = flat.as_singles().map(|singles| singles.iter().map(|x| f64::from(*x)).collect());
    singles.unwrap_or_else(|| flat.as_reals().unwrap_or_default().to_vec())
}

/// The same argument in single precision, if it is of reals.
fn narrowed(flat: &Flat) -> Result<Flat> {
    match flat.as_reals() {
        Some(reals) => Flat::singles(flat.sizes(), reals.iter().map(|x| *x as f32).collect()),
        None => Ok(flat.clone()),
    }
}

/// The largest difference, relative to the largest number.
fn apart([a, b]: &[Vec<Flat>; 2]) -> f64 {
    let reals = |flats: &[Flat]| flats.iter().flat_map(reals_of).collect::<Vec<f64>>();
    let (a, b) = (reals(a), reals(b));
    let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, |most, x| f64::max(most, x.abs()));
    largest(&mut a.iter().zip(&b).map(|(a, b)| a - b)) / largest(&mut a.iter().copied())
}

fn main() -> Result<()> {
    let only = std::env::args().nth(1).unwrap_or_default();
    println!("{:52} {:>12} {:>12} {:>8} {:>9}", "", "f64", "f32", "f64/f32", "apart");
    for (module, settings) in INPUTS.into_iter().filter(|(module, _)| module.contains(&only)) {
        let settings: Vec<String> = settings.split_whitespace().map(str::to_owned).collect();
        let input = input(module, &settings)?;
        for f in FUNCTIONS.iter().filter(|f| f.module == module) {
            let task = (f.task)(&input)?;
            let single = Program::parse(&task.program.to_string().replace("f64", "f32"))?;
            let both = [task.program.compile()?, single.compile()?];
            let doubles = task.inputs;
            let singles: Vec<Flat> = doubles.iter().map(narrowed).collect::<Result<_>>()?;
            let ([double, single], results) = least([&both[0], &both[1]], [&doubles, &singles])?;
            let name = format!("{module} {} {}", f.name, settings.join(" "));
            let ratio = double.as_secs_f64() / single.as_secs_f64();
            println!("{name:52} {double:>12.2?} {single:>12.2?} {ratio:>8.2} {:>9.1e}", apart(&results));
        }
    }
    Ok(())
}
