//! Prototypes of research, each a file of 20 to 60 lines, and each beside the same program in JAX.
//!
//! Every prototype returns numbers: losses, gradients, what was learnt. Those that JAX has for the same program are in
//! `reference.json`, which `python examples/prototypes/reference.py` makes (JAX 0.10, double precision); random numbers are the same
//! in both, since keys are. The greatest difference is printed and held to a bound.
//!
//! Names as arguments choose some of them. After the word `times` they are timed beside JAX, and after `evidence` the value and the gradient
//! of the Gaussian process are, at the sizes that follow: README.md of this folder has the tables.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use catadiff::Result;
use catadiff::array::Program;

macro_rules! prototypes {
    ($($name:ident within $bound:literal;)+) => {
        $(mod $name;)+

        const ALL: &[Prototype] = &[$(Prototype {
            name: stringify!($name),
            run: $name::run,
            bound: $bound,
            text: include_str!(concat!(stringify!($name), ".rs")),
        }),+];
    };
}

struct Prototype {
    name: &'static str,
    run: fn() -> Result<Vec<f64>>,
    /// The greatest difference from JAX, relative to numbers above 1.
    bound: f64,
    text: &'static str,
}

prototypes! {
    attention within 1e-11;
    black_scholes within 1e-11;
    closest_points within 1e-11;
    convolutional_net within 1e-11;
    deep_equilibrium within 1e-11;
    double_pendulum within 1e-11;
    gaussian_process within 1e-11;
    graph_network within 1e-11;
    hamiltonian_monte_carlo within 1e-11;
    hanging_chain within 1e-11;
    hidden_markov within 1e-11;
    interval_newton within 1e-14;
    kalman_filter within 1e-11;
    lennard_jones within 1e-11;
    levenberg_marquardt within 1e-11;
    linear_regulator within 1e-11;
    logistic_newton within 1e-11;
    lstm within 1e-11;
    matrix_factorisation within 1e-11;
    meta_learning within 1e-11;
    mlp within 1e-11;
    n_body within 1e-11;
    neighbourhood_components within 1e-11;
    normalising_flow within 1e-11;
    ode_fit within 1e-8;
    particle_filter within 1e-11;
    pinn within 1e-11;
    random_field within 1e-11;
    ray_marching within 1e-11;
    relevance within 1e-11;
    semirings within 1e-11;
    sensitivity within 1e-11;
    shooting within 1e-11;
    sinkhorn within 1e-11;
    sparse_coding within 1e-11;
    sparse_newton within 1e-11;
    svi within 1e-11;
    taylor_orbit within 1e-11;
    truncated_newton within 1e-11;
    variational_autoencoder within 1e-11;
    vibrating_chain within 1e-11;
    yield_curve within 1e-11;
}

/// The first rows of a table of numbers, as the data of examples are.
fn table(text: &str, rows: usize) -> Vec<Vec<f64>> {
    let number = |x: &str| x.parse().expect("the table is of numbers");
    text.lines().take(rows).map(|row| row.split(',').map(number).collect()).collect()
}

/// Relative to numbers above 1.
fn greatest_difference(found: &[f64], expected: &[f64]) -> f64 {
    let difference = |(x, y): (&f64, &f64)| (x - y).abs() / y.abs().max(1.0);
    found.iter().zip(expected).map(difference).fold(0.0, f64::max)
}

impl Prototype {
    /// What it takes of a clock to be traced, compiled and run, and how far its numbers are from those of JAX.
    fn compared(&self, reference: &BTreeMap<String, Vec<f64>>, clock: impl Fn() -> f64) -> Result<(f64, f64)> {
        let begun = clock();
        let found = (self.run)()?;
        let seconds = clock() - begun;
        let expected = &reference[self.name];
        assert_eq!(found.len(), expected.len(), "{}", self.name);
        // A NaN is no difference to a maximum, and is none of the numbers.
        assert!(found.iter().all(|x| x.is_finite()), "{}: {found:?}", self.name);
        let greatest = greatest_difference(&found, expected);
        assert!(greatest <= self.bound, "{}: {greatest:e}: {found:?} where JAX has {expected:?}", self.name);
        Ok((seconds, greatest))
    }

    /// Its lines, but for empty ones, comments and imports.
    fn lines(&self) -> usize {
        let counts = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("use ");
        self.text.lines().map(str::trim).filter(counts).count()
    }
}

/// The seconds for which threads of this program have had a core, as Linux counts them: what else runs does not add to them.
fn processor_time() -> f64 {
    // The count of a thread is brought up to date where another one may run.
    std::thread::yield_now();
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux lists the threads of a program");
    let of_thread = |thread: std::io::Result<DirEntry>| std::fs::read_to_string(thread?.path().join("schedstat"));
    let counts = threads.map(|thread| of_thread(thread).expect("a thread has a count"));
    counts
        .map(|count| count.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("in nanoseconds") * 1e-9)
        .sum()
}

/// The least processor time of five runs, in seconds, and what the last returns.
fn least<T>(run: impl Fn() -> Result<T>) -> Result<(f64, T)> {
    let timed = || {
        let begun = processor_time();
        run().map(|found| (processor_time() - begun, found))
    };
    (0..4).try_fold(timed()?, |(least, _), _| timed().map(|(seconds, found)| (seconds.min(least), found)))
}

/// What the same programs in JAX print, as JSON, when they are given these words.
fn in_jax(words: &[&str]) -> Vec<u8> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/prototypes/reference.py");
    let found = Command::new(python).arg(script).args(words).output().expect("PYTHON is a Python with JAX");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    found.stdout
}

/// The table of what the evidence of a Gaussian process and its gradient take of these numbers of points, once they are compiled, as
/// Markdown: the least processor times, ours and those of JAX.
fn evidence(sizes: &[&str]) -> Result<()> {
    let theirs: Vec<(f64, f64, Vec<f64>)> =
        serde_json::from_slice(&in_jax(&[&["evidence"], sizes].concat())).expect("times and the gradient of each");
    let evidence = Program::trace(gaussian_process::evidence)?;
    let (value, gradient) = (evidence.compile()?, evidence.grad(0)?.compile()?);
    println!("| points | value, ms | gradient | ratio | value in JAX | gradient | ratio | difference |");
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (size, (their_value, their_gradient, expected)) in sizes.iter().zip(theirs) {
        let size: u32 = size.parse().expect("after `evidence` stand numbers of points");
        let x: Vec<f64> = (0..size).map(|k| f64::from(k) * 0.15).collect();
        let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
        let at = ([0.0, 0.0, -2.0], &x, &y);
        let (of_value, _) = least(|| value.at::<f64>(at))?;
        let (of_gradient, found) = least(|| gradient.at::<Vec<f64>>(at))?;
        print!("| {size} ");
        for (value, gradient) in [(of_value, of_gradient), (their_value, their_gradient)] {
            print!("| {:.1} | {:.1} | {:.2} ", value * 1e3, gradient * 1e3, gradient / value);
        }
        println!("| {:.0e} |", greatest_difference(&found, &expected));
    }
    Ok(())
}

/// The table of lines, and of processor times of those that are chosen, as Markdown: the least of three first calls, ours and those of JAX.
fn times(chosen: &[&Prototype], reference: &BTreeMap<String, Vec<f64>>) -> Result<()> {
    let names: Vec<&str> = chosen.iter().map(|prototype| prototype.name).collect();
    let theirs: BTreeMap<String, (usize, Option<f64>)> =
        serde_json::from_slice(&in_jax(&[&["times"], &names[..]].concat())).expect("lines and seconds of each");
    println!("| prototype | lines | in JAX | ms | in JAX | difference |\n|---|---:|---:|---:|---:|---:|");
    for prototype in ALL {
        let (lines, seconds) = theirs[prototype.name];
        let runs = (0..if seconds.is_some() { 3 } else { 1 })
            .map(|_| prototype.compared(reference, processor_time))
            .collect::<Result<Vec<_>>>()?;
        let least = runs.iter().map(|(seconds, _)| *seconds).fold(f64::INFINITY, f64::min);
        let times = seconds.map_or("| |".into(), |theirs| format!("{:.1} | {:.0} |", least * 1e3, theirs * 1e3));
        println!("| `{}` | {} | {lines} | {times} {:.0e} |", prototype.name, prototype.lines(), runs[0].1);
    }
    Ok(())
}

fn main() -> Result<()> {
    let reference: BTreeMap<String, Vec<f64>> =
        serde_json::from_str(include_str!("reference.json")).expect("the reference is a table of lists");
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if let Some((_, sizes)) = names.split_first().filter(|(first, _)| *first == "evidence") {
        return evidence(&sizes.iter().map(|size| &**size).collect::<Vec<_>>());
    }
    let timed = names.first().is_some_and(|first| first == "times");
    names.drain(..usize::from(timed));
    if let Some(name) = names.iter().find(|name| ALL.iter().all(|prototype| prototype.name != **name)) {
        panic!("there is no prototype `{name}`");
    }
    let is_chosen = |prototype: &&Prototype| names.is_empty() || names.iter().any(|name| name == prototype.name);
    let chosen: Vec<&Prototype> = ALL.iter().filter(is_chosen).collect();
    if timed {
        return times(&chosen, &reference);
    }
    let begun = Instant::now();
    println!("{:24} {:>10} {:>8}", "prototype", "difference", "time");
    for prototype in chosen {
        let (seconds, difference) = prototype.compared(&reference, || begun.elapsed().as_secs_f64())?;
        println!("{:24} {difference:10.1e} {seconds:6.2} s", prototype.name);
    }
    Ok(())
}
