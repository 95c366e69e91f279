//! The table of compilation: how long each function of the benchmark takes to compile for lanes, how long the JIT takes for all of its
//! code that can become the processor's, how long a C compiler takes, and how much code that is.
//!
//! `cargo run --release -p catadiff-gradbench --features native,jit --example compile_times` prints it; a word after `--` picks a module. What was compiled
//! before is not used: libraries are kept in the folder that `CATADIFF_CACHE` names, which is to be a new one.

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::{Executor, InstructionLanes, Native, NativeLanes};
use catadiff_gradbench::FUNCTIONS;
use inputs::{data, inputs};

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Duration, T)> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed(), result))
}

/// The least of several times that it takes to prepare a program for an executor: in so short a time others on the machine have a part.
fn least(program: &Program, executor: &impl Executor) -> Result<Duration> {
    (0..5).try_fold(Duration::MAX, |least, _| Ok(least.min(timed(|| program.compile_on(executor))?.0)))
}

/// The libraries that are kept, and how many bytes they have.
fn kept(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |file: &PathBuf| fs::metadata(file).map_or(0, |about| about.len());
    let libraries = entries.map(|entry| entry.path()).filter(|file| file.extension().is_some_and(|end| end == "so"));
    libraries.map(|file| (file.clone(), size(&file))).collect()
}

/// A row: the times, the lines that are printed for the program alone, and the bytes of the library.
fn row(name: &str, program: &Program, folder: &Path) -> Result<()> {
    let (lanes, natively) = (least(program, &InstructionLanes)?, least(program, &NativeLanes)?);
    let before = kept(folder);
    let (native, compiled) = timed(|| program.compile_on(&Native))?;
    let text = compiled.explain();
    let of_program = text.rsplit_once("OWN_ELEMENTS(i64)").map_or(0, |(_, after)| after.lines().count());
    let new: u64 =
        kept(folder).iter().filter(|(file, _)| before.iter().all(|(old, _)| old != file)).map(|(_, bytes)| bytes).sum();
    println!(
        "| {name} | {} | {:.1} | {:.1} | {} | {of_program} | {:.2} | {} |",
        program.statements(),
        lanes.as_secs_f64() * 1e3,
        natively.saturating_sub(lanes).as_secs_f64() * 1e3,
        NativeLanes.functions(program),
        native.as_secs_f64(),
        new.div_ceil(1024)
    );
    Ok(())
}

fn main() -> Result<()> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let Some(folder) = std::env::var_os("CATADIFF_CACHE").map(PathBuf::from) else {
        eprintln!("CATADIFF_CACHE is not set: it names a new folder, for what is compiled");
        std::process::exit(2);
    };
    println!(
        "| function | statements | lanes, ms | JIT, ms | its functions | lines of C | C, s | library, KiB |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|"
    );
    for function in FUNCTIONS.iter().filter(|f| f.module.contains(&only)) {
        let Some(input) = inputs(function.module).into_iter().next() else { continue };
        let task = (function.task)(&data(&format!("{}/{input}.json.gz", function.module)))?;
        row(&format!("{} {}", function.module, function.name), &task.program, &folder)?;
    }
    Ok(())
}
