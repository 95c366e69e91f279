//! Checks, times and weighs every contender at every workload, and writes the tables.

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

const USAGE: &str = "usage: catadiff-peers [--quick] [--md FILE] [--only TEXT]
  --quick      small sizes, few repetitions
  --md FILE    write the tables to FILE as well
  --only TEXT  only the workloads whose title contains TEXT";

struct Options {
    scale: Scale,
    file: Option<String>,
    only: String,
}

fn options() -> Result<Options, String> {
    let mut options = Options { scale: Scale::Full, file: None, only: String::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--quick" => options.scale = Scale::Quick,
            "--md" => options.file = Some(value()?),
            "--only" => options.only = value()?,
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
    let mut report = String::from(PREAMBLE);
    print!("{report}");
    for (heading, workloads) in
        [("\n## Forward\n", suite::forward(options.scale)), ("\n## Reverse\n", suite::reverse(options.scale))]
    {
        report.push_str(heading);
        for workload in workloads.iter().filter(|w| w.title.contains(&options.only)) {
            // A thread each, so that what one workload left in a thread's storage is gone.
            let table = std::thread::scope(|scope| {
                scope.spawn(|| measure(workload, effort)).join().expect("measuring does not panic")
            });
            println!("\n{table}");
            report.push('\n');
            report.push_str(&table);
        }
    }
    match options.file.map(|file| std::fs::write(&file, report).map_err(|e| format!("{file}: {e}"))) {
        Some(Err(wrong)) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

const PREAMBLE: &str = "# Peers

Each round times every contender once, on the same input, in one process; ratios are between the
shortest rounds. *In italics*: not a library. Bytes per operation: the most heap that one cold
gradient, preparation included, holds at once, over the operations of the function.

No reverse mode, so absent there: num-dual, autodiff, hyperdual. No forward mode, so absent there:
reverse, RustQuant_autodiff.
";

/// The table of one workload.
fn measure(workload: &Workload, effort: Effort) -> String {
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
            peak: (workload.mode == Mode::Reverse && row.is_derivative()).then(|| weigh(&row.prepare)),
        })
        .collect();
    table::markdown(workload, &measured, &left_out)
}
