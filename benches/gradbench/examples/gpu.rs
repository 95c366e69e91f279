//! The table of times on a GPU: functions of the benchmark and their derivatives, with arguments and results that stay there, beside all
//! cores of the processor and, if wanted, JAX; and how much of a device reductions, scans and products of matrices reach.
//!
//! `cargo run --release -p catadiff-gradbench --features gpu --example gpu` prints it. Words after `--`: `quick` takes small inputs,
//! `jax=PYTHON` runs the same functions by a Python that has JAX, on the device that JAX picks, and any other picks functions by
//! a part of their names. Times are the least of several: of as many runs as take a tenth of a second, after which the device is
//! waited for, by the number of runs.

use std::collections::HashMap;
use std::process::Command;
use std::time::{Duration, Instant};

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::execute::Flat;
use catadiff::execute::gpu::{FirstGpu, Gpu, Resident};
use catadiff::{Error, Result};
use catadiff_gradbench::{FUNCTIONS, Task, inputs};
use serde_json::{Value as Json, json};

/// Module, function, and the sizes of an input, and of a small one.
const BENCHMARK: [[&str; 4]; 8] = [
    ["kmeans", "cost", "k=100 n=100000 d=16", "k=5 n=1000 d=4"],
    ["kmeans", "dir", "k=100 n=100000 d=16", "k=5 n=1000 d=4"],
    ["gmm", "objective", "d=64 k=25 n=10000", "d=4 k=5 n=200"],
    ["gmm", "jacobian", "d=64 k=25 n=10000", "d=4 k=5 n=200"],
    ["lstm", "objective", "l=4 c=4096", "l=2 c=20"],
    ["lstm", "jacobian", "l=4 c=4096", "l=2 c=20"],
    ["lse", "primal", "n=1280000", "n=10000"],
    ["lse", "gradient", "n=1280000", "n=10000"],
];

/// What is said of a program by its size: how many elements it moves at least, or how many operations it does.
enum Measure {
    Moves(u64),
    Operations(u64),
    Nothing,
}

struct Case {
    name: [String; 2],
    size: String,
    program: Program,
    arguments: Vec<Flat>,
    /// What JAX makes its arguments of.
    input: Json,
    measure: Measure,
}

fn of_benchmark(module: &str, name: &str, settings: &str) -> Result<Case> {
    let words: Vec<String> = settings.split_whitespace().map(str::to_owned).collect();
    let input = inputs::input(module, &words)?;
    let function =
        FUNCTIONS.iter().find(|it| it.module == module && it.name == name).expect("a function of the benchmark");
    let task: Task = (function.task)(&input)?;
    let (size, arguments) = (settings.to_owned(), task.inputs);
    let name = [module, name].map(str::to_owned);
    Ok(Case { name, size, arguments, program: task.program, input, measure: Measure::Nothing })
}

fn numbers(sizes: &[usize]) -> Result<Flat> {
    Flat::reals(sizes, (0..sizes.iter().product::<usize>()).map(|k| (k * 7919 % 1009) as f64 / 1009.0).collect())
}

/// A reduction, a scan, and a product of matrices.
fn plain(n: usize, side: usize) -> Result<Vec<Case>> {
    let case = |name: &str, program: Program, arguments: Vec<Flat>, size: usize, measure: Measure| Case {
        name: ["plain".to_owned(), name.to_owned()],
        size: format!("n={size}"),
        program,
        arguments,
        input: json!({ "n": size }),
        measure,
    };
    let sum = Program::trace(|xs: Arr<F64>| xs.sum())?;
    let scan = Program::trace(|xs: Arr<F64>| xs.scan(0.0, |a, b| a + b))?;
    let product = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| a.matmul(b))?;
    let matrices = vec![numbers(&[side, side])?, numbers(&[side, side])?];
    Ok(vec![
        case("sum", sum, vec![numbers(&[n])?], n, Measure::Moves(n as u64)),
        case("scan", scan, vec![numbers(&[n])?], n, Measure::Moves(2 * n as u64)),
        case("product", product, matrices, side, Measure::Operations(2 * (side as u64).pow(3))),
    ])
}

/// The program and its arguments in single precision.
fn single(program: &Program, arguments: &[Flat]) -> Result<(Program, Vec<Flat>)> {
    let narrowed = |flat: &Flat| match flat.as_reals() {
        Some(reals) => Flat::singles(flat.sizes(), reals.iter().map(|x| *x as f32).collect()),
        None => Ok(flat.clone()),
    };
    Ok((
        Program::parse(&program.to_string().replace("f64", "f32"))?,
        arguments.iter().map(narrowed).collect::<Result<_>>()?,
    ))
}

/// The least time of several in which `runs` runs are done, by their number.
fn least(mut done: impl FnMut(u32) -> Result<()>) -> Result<Duration> {
    done(1)?;
    let start = Instant::now();
    done(1)?;
    let once = start.elapsed().max(Duration::from_nanos(1));
    let runs = (Duration::from_millis(100).as_nanos() / once.as_nanos()).clamp(1, 1000) as u32;
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_secs(1) {
        let start = Instant::now();
        done(runs)?;
        least = least.min(start.elapsed() / runs);
    }
    Ok(least)
}

/// A run on the GPU.
fn there(gpu: &Gpu, program: &Program, arguments: &[Flat]) -> Result<Duration> {
    let compiled = program.compile_on(gpu)?;
    let arguments: Vec<Resident> = arguments.iter().map(|flat| gpu.put(flat)).collect::<Result<_>>()?;
    let arguments: Vec<&Resident> = arguments.iter().collect();
    // What is fetched last is there when all before it is done.
    let last = gpu.put(&Flat::reals(&[1], vec![0.0])?).or_else(|_| gpu.put(&Flat::singles(&[1], vec![0.0])?))?;
    let mut results = Vec::new();
    let least = least(|runs| {
        (0..runs).try_for_each(|_| compiled.run_on(&arguments, &mut results))?;
        gpu.get(&last).map(drop)
    })?;
    // An error of a run is one of its results.
    gpu.get(&results[0])?;
    Ok(least)
}

fn here(program: &Program, arguments: &[Flat]) -> Result<Duration> {
    let (compiled, mut results) = (program.compile()?, Vec::new());
    least(|runs| (0..runs).try_for_each(|_| compiled.run_into(arguments, &mut results)))
}

/// The times of JAX by function and precision; it runs what its script has, and leaves out what fails.
fn jax(python: &str, precision: &str, cases: &[Case]) -> HashMap<[String; 2], Duration> {
    let folder = std::env::temp_dir().join(format!("catadiff-gpu-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for inputs");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../peers/gradbench/jax_device.py");
    let mut command = Command::new(python);
    command.args([script, precision]);
    for (k, case) in cases.iter().enumerate() {
        let path = folder.join(format!("{k}.json"));
        std::fs::write(&path, case.input.to_string()).expect("there is room for inputs");
        command.args(&case.name).arg(path);
    }
    let output = command.stderr(std::process::Stdio::inherit()).output().expect("the Python is there");
    let _ = std::fs::remove_dir_all(&folder);
    let line = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let name = [words.next()?, words.next()?];
        Some((name, Duration::from_secs_f64(words.next()?.parse().ok()?)))
    };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(line).collect()
}

fn milliseconds(time: Option<Duration>) -> String {
    time.map_or("–".to_owned(), |time| format!("{:.3}", time.as_secs_f64() * 1e3))
}

fn quotient(time: Option<Duration>, by: Option<Duration>) -> String {
    time.zip(by).map_or("–".to_owned(), |(time, by)| format!("{:.2}", time.as_secs_f64() / by.as_secs_f64()))
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quick = words.iter().any(|word| word == "quick");
    let python = words.iter().find_map(|word| word.strip_prefix("jax="));
    let only: Vec<&String> = words.iter().filter(|word| *word != "quick" && !word.starts_with("jax=")).collect();
    let gpu = FirstGpu::open()?;
    let (n, side) = if quick { (1 << 16, 128) } else { (1 << 26, 4096) };
    let of_benchmark =
        BENCHMARK.map(|[module, name, large, small]| of_benchmark(module, name, if quick { small } else { large }));
    let mut cases = plain(n, side)?;
    cases.extend(of_benchmark.into_iter().collect::<Result<Vec<Case>>>()?);
    cases.retain(|case| only.is_empty() || only.iter().any(|word| case.name.join(" ").contains(*word)));

    println!(
        "Milliseconds on {}, beside {} cores.\n",
        gpu.name(),
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    println!("| | input | reals | GPU | ÷ function | cores | GPU ÷ cores | JAX | GPU ÷ JAX | each second |");
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for (kind, bytes, precision) in [("f32", 4, "single"), ("f64", 8, "double")] {
        let peer = python.map(|python| jax(python, precision, &cases)).unwrap_or_default();
        let mut function: Option<(&str, Duration)> = None;
        for case in &cases {
            let narrow = single(&case.program, &case.arguments)?;
            let (program, arguments) =
                if kind == "f32" { (&narrow.0, &narrow.1) } else { (&case.program, &case.arguments) };
            let on_gpu = match there(&gpu, program, arguments) {
                Ok(time) => Some(time),
                // A device may have no double precision, or too little memory.
                Err(Error::Device { what }) => {
                    eprintln!("{} in {kind}: {what}", case.name.join(" "));
                    None
                }
                Err(error) => return Err(error),
            };
            let on_cores = Some(here(program, arguments)?);
            let of_jax = peer.get(&case.name).copied();
            // The first of a module is the function itself.
            if function.is_none_or(|(module, _)| module != case.name[0]) {
                function = on_gpu.map(|time| (case.name[0].as_str(), time));
            }
            let each_second = on_gpu.map(|time| match case.measure {
                Measure::Moves(elements) => format!("{:.1} GB", (elements * bytes) as f64 / time.as_secs_f64() / 1e9),
                Measure::Operations(count) => format!("{:.1} GFLOP", count as f64 / time.as_secs_f64() / 1e9),
                Measure::Nothing => String::new(),
            });
            let is_derived = case.name[0] != "plain";
            println!(
                "| {} | {} | {kind} | {} | {} | {} | {} | {} | {} | {} |",
                case.name.join(" "),
                case.size,
                milliseconds(on_gpu),
                quotient(on_gpu, function.filter(|_| is_derived).map(|it| it.1)),
                milliseconds(on_cores),
                quotient(on_gpu, on_cores),
                milliseconds(of_jax),
                quotient(on_gpu, of_jax),
                each_second.unwrap_or_default(),
            );
        }
    }
    Ok(())
}
