//! The functions of the benchmark on the ranks of a job, beside one process.
//!
//! `mpirun -n 2 target/release/examples/ranks gmm jacobian n=100000 d=10 k=25`, after `cargo build --release -p catadiff-gradbench --features mpi
//! --example ranks`: a module, a function, and the settings of its input. `plan` among them prints what ranks do and send. Each rank has one
//! thread. Times are the least of several runs, from arguments to results that are whole on every rank.

use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::execute::mpi::{Mpi, World};
use catadiff::execute::{Compiled, Flat, Lanes};
use catadiff_gradbench::{FUNCTIONS, inputs};

fn least(compiled: &Compiled, arguments: &[Flat], results: &mut Vec<Flat>, runs: usize) -> Result<Duration> {
    let mut least = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        compiled.run_into(arguments, results)?;
        least = least.min(start.elapsed());
    }
    Ok(least)
}

/// The largest difference of two results, relative to the largest element.
fn difference(left: &[Flat], right: &[Flat]) -> f64 {
    let reals = |flats: &[Flat]| flats.iter().filter_map(Flat::as_reals).flatten().copied().collect::<Vec<_>>();
    let (left, right) = (reals(left), reals(right));
    let scale = right.iter().fold(1e-300_f64, |most, x| most.max(x.abs()));
    left.iter().zip(&right).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs())) / scale
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let shows = words.iter().position(|word| word == "plan").map(|at| words.remove(at)).is_some();
    let [module, name, settings @ ..] = &words[..] else { return Err("a module, a function, and settings".into()) };
    let function = FUNCTIONS.iter().find(|f| f.module == module && f.name == name).ok_or("no such function")?;
    let task = (function.task)(&inputs::input(module, settings)?)?;
    let world = World::join()?;
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    let one = task.program.compile()?;
    // One process has the machine to itself.
    let mut alone_time = Duration::ZERO;
    if world.rank() == 0 {
        alone_time = least(&one, &task.inputs, &mut alone, 5)?;
    }
    let on_ranks = task.program.compile_on(&Mpi::over(&Lanes))?;
    on_ranks.run_into(&task.inputs, &mut together)?;
    let before = world.traffic();
    let together_time = least(&on_ranks, &task.inputs, &mut together, 5)?;
    let traffic = world.traffic();
    if world.rank() == 0 {
        let (messages, bytes) = ((traffic.messages - before.messages) / 5, (traffic.bytes - before.bytes) / 5);
        let speedup = alone_time.as_secs_f64() / together_time.as_secs_f64();
        println!(
            "{module} {name} {}: one process {alone_time:.2?}, {} ranks {together_time:.2?}: {speedup:.2} x; {messages} messages and {bytes} bytes a rank and run; results differ by {:.1e}",
            settings.join(" "),
            world.ranks(),
            difference(&together, &alone),
        );
        if shows {
            println!("{}", on_ranks.explain());
        }
    }
    Ok(())
}
