//! The table of times: how long each function of the benchmark takes on lanes, and its derivative relative to it.
//!
//! `cargo run --release -p catadiff-gradbench --example times` prints it; a word after `--` picks a module, a second
//! one a function. Times are the least of several runs, from arguments in memory to results in memory, as the benchmark
//! has it.

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff_gradbench::{FUNCTIONS, Task};
use inputs::{data, inputs};

/// The time of compilation, and the least of several runs.
fn times(task: &Task) -> Result<(Duration, Duration)> {
    let start = Instant::now();
    let compiled = task.program.compile()?;
    let compilation = start.elapsed();
    let mut results = Vec::new();
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_millis(500) {
        let start = Instant::now();
        compiled.run_into(&task.inputs, &mut results)?;
        least = least.min(start.elapsed());
    }
    Ok((compilation, least))
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let [only, function] = [words.next().unwrap_or_default(), words.next().unwrap_or_default()];
    println!("{:44} {:>12} {:>12} {:>7}", "", "compile", "run", "ratio");
    for functions in FUNCTIONS.chunk_by(|f, g| f.module == g.module).filter(|of| of[0].module.contains(&only)) {
        let module = functions[0].module;
        for name in inputs(module) {
            let input = data(&format!("{module}/{name}.json.gz"));
            let mut first = None;
            for f in functions.iter().filter(|f| f.name.contains(&function)) {
                let (compilation, run) = times(&(f.task)(&input)?)?;
                let ratio = run.as_secs_f64() / first.get_or_insert(run).as_secs_f64();
                println!("{:44} {compilation:>12.2?} {run:>12.2?} {ratio:>7.2}", format!("{module} {} {name}", f.name));
            }
        }
    }
    Ok(())
}
