//! Checks, times and weighs every contender at every workload, and writes the tables.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use catadiff_peers::heap::{self, Counting};
use catadiff_peers::suite::{self, Mode, Scale, Workload};
use catadiff_peers::table::{self, Measured};
use catadiff_peers::timer::{self, Effort};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How far from the reference a derivative may be and still take part.
const TOLERANCE: f64 = 1e-9;

const USAGE: &str = "usage: catadiff-peers [--quick] [--md FILE] [--only TEXT] [--replays [--cppad PROGRAM]]
  --quick          small sizes, few repetitions
  --md FILE        write the tables to FILE as well
  --only TEXT      only the workloads whose title contains TEXT
  --replays        the table of recordings that are replayed, instead of the others
  --cppad PROGRAM  what gradbench/replay.cpp is compiled to; `benches/peers/compare --replays` makes it";

struct Options {
    scale: Scale,
    file: Option<String>,
    only: String,
    replays: bool,
    cppad: Option<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { scale: Scale::Full, file: None, only: String::new(), replays: false, cppad: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--quick" => options.scale = Scale::Quick,
            "--md" => options.file = Some(value()?),
            "--only" => options.only = value()?,
            "--replays" => options.replays = true,
            "--cppad" => options.cppad = Some(value()?.into()),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(wrong) => {
            eprintln!("{wrong}\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    let effort = match options.scale {
        Scale::Full => Effort { rounds: 15, slice: Duration::from_millis(4) },
        Scale::Quick => Effort { rounds: 5, slice: Duration::from_micros(500) },
    };
    let report = if options.replays { replays(&options, effort) } else { peers(&options, effort) };
    match options.file.map(|file| std::fs::write(&file, report).map_err(|e| format!("{file}: {e}"))) {
        Some(Err(wrong)) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The table of recordings, each line printed when it is made.
fn replays(options: &Options, effort: Effort) -> String {
    let mut report = String::from(table::REPLAYS);
    print!("{report}");
    let workloads = suite::replays(options.scale, options.cppad.as_deref());
    for workload in workloads.iter().filter(|w| w.title.contains(&options.only)) {
        let line = alone(|| table::replays(workload, &measure(workload, effort, false).0));
        print!("{line}");
        report.push_str(&line);
    }
    report
}

/// What is made on a thread of its own, so that what one workload left in a thread's storage is gone.
fn alone(make: impl FnOnce() -> String + Send) -> String {
    std::thread::scope(|scope| scope.spawn(make).join().expect("measuring does not panic"))
}

/// The tables of all peers, each printed when it is made.
fn peers(options: &Options, effort: Effort) -> String {
    let mut report = String::from(PREAMBLE);
    print!("{report}");
    for (heading, workloads) in
        [("\n## Forward\n", suite::forward(options.scale)), ("\n## Reverse\n", suite::reverse(options.scale))]
    {
        report.push_str(heading);
        for workload in workloads.iter().filter(|w| w.title.contains(&options.only)) {
            let table = alone(|| {
                let (measured, left_out) = measure(workload, effort, workload.mode == Mode::Reverse);
                table::markdown(workload, &measured, &left_out)
            });
            println!("\n{table}");
            report.push('\n');
            report.push_str(&table);
        }
    }
    report
}

const PREAMBLE: &str = "# Peers

Each round times every contender once, on the same input, in one process; ratios are between the
shortest rounds. *In italics*: not a library. Bytes per operation: the most heap that one cold
gradient, preparation included, holds at once, over the operations of the function.

No reverse mode, so absent there: num-dual, autodiff, hyperdual. No forward mode, so absent there:
reverse, RustQuant_autodiff.
";

/// What was measured at one workload, with the memory if it is wanted; and who was omitted, and why.
fn measure(workload: &Workload, effort: Effort, memory: bool) -> (Vec<Measured>, Vec<String>) {
    eprintln!("… {}", workload.title);
    let mut left_out = workload.skipped.clone();
    let (mut rows, mut runs) = (Vec::new(), Vec::new());
    for row in &workload.rows {
        match (row.prepare)() {
            Err(why) => left_out.push(format!("{}: {why}", row.name)),
            Ok(mut run) => {
                run.run();
                let error = if row.is_derivative() { workload.error(run.result()) } else { 0.0 };
                if error <= TOLERANCE {
                    rows.push(row);
                    runs.push(run);
                } else {
                    left_out.push(format!("{}: WRONG by {error:.1e}", row.name));
                }
            }
        }
    }
    for name in &left_out {
        eprintln!("  SKIPPED {name}");
    }
    let timings = timer::interleave(&mut runs, effort);
    drop(runs);
    let weigh =
        |prepare: &catadiff_peers::row::Prepare| heap::peak_of(|| prepare().expect("it was prepared before").run());
    let measured: Vec<Measured> = rows
        .iter()
        .zip(timings)
        .map(|(row, timing)| Measured {
            name: row.name.clone(),
            kind: row.kind,
            timing,
            peak: (memory && row.is_derivative()).then(|| weigh(&row.prepare)),
        })
        .collect();
    (measured, left_out)
}
