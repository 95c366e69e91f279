//! `bench`: the time that entry points take, and what their derivatives cost on top.
//!
//! Law: what is timed is the run alone, not reading, checking or compiling; times are medians.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use catadiff::futhark::core::Program;
use catadiff::futhark::meaning::interface;
use catadiff::futhark::source::Message;
use catadiff::futhark::values::Array;
use catadiff::interpret::Limits;
use serde_json::json;

use crate::answer::{Answer, FAILED, Failure};
use crate::arguments::Arguments;
use crate::cases::{Suite, caught, dataset, skipped};
use crate::derivative::{WRAPPER, derived};
use crate::engine::{Executor, Ran};
use crate::load::{Loaded, entry};
use crate::test::programs;

/// What was measured.
struct Row {
    file: String,
    entry: String,
    dataset: String,
    seconds: f64,
    jvp: Option<f64>,
    vjp: Option<f64>,
    /// How the executor had to be helped, if it had, with the function or a derivative.
    note: Option<String>,
}

/// See the table.
pub(crate) fn bench(arguments: &Arguments) -> Result<Answer, Failure> {
    let executor = Executor::asked(arguments, Executor::of_compiled())?;
    let runs: Option<usize> = arguments.number("runs")?;
    if runs == Some(0) {
        return Err(Failure::asked("the value of `--runs` is not at least 1"));
    }
    let (seed, limits) = (arguments.number("seed")?.unwrap_or(0), arguments.limits()?);
    let exclude: Vec<String> = arguments.all("exclude").map(str::to_owned).collect();
    let (mut rows, mut wrong) = (Vec::new(), String::new());
    for path in programs(arguments.some_files()?)? {
        let name = path.display().to_string();
        let suite = Suite::load(&path).map_err(Failure::asked)?;
        if suite.blocks.iter().all(|block| block.cases.is_empty()) {
            continue;
        }
        let mut loaded = Loaded::file(&name)?;
        for block in suite.blocks.iter().filter(|block| skipped(&block.tags, Some(executor), &exclude).is_none()) {
            let asked = arguments.option("entry");
            for entry in block.entries.iter().filter(|entry| asked.is_none_or(|only| only == &***entry)) {
                for (number, case) in block.cases.iter().enumerate() {
                    let unwanted = case.words.iter().any(|word| &**word == "nobench");
                    // What is to fail has no time.
                    let fails = matches!(case.output, catadiff::futhark::testing::blocks::Output::Error(_));
                    if unwanted || fails || skipped(&case.words, Some(executor), &exclude).is_some() {
                        continue;
                    }
                    let dataset = dataset(case, number);
                    let input = suite.input(case, seed, limits);
                    match input.and_then(|input| measured(&mut loaded, entry, &input, (executor, limits), runs)) {
                        Ok((times, note)) => {
                            let (file, entry, [seconds, jvp, vjp]) = (name.clone(), entry.to_string(), times);
                            let seconds = seconds.expect("the function is timed");
                            rows.push(Row { file, entry, dataset, seconds, jvp, vjp, note });
                        }
                        Err(text) => {
                            let _ = writeln!(wrong, "{name}: {entry} {dataset}: {}", text.trim_end());
                        }
                    }
                }
            }
        }
    }
    if rows.is_empty() && wrong.is_empty() {
        return Err(Failure::asked(
            "there is nothing to time: an input is given in a test block, which begins with `-- ==`",
        ));
    }
    let output = if arguments.has("json") { rows.iter().map(told).collect() } else { table(&rows) };
    if wrong.is_empty() {
        return Ok(output.into());
    }
    Err(Failure { output: output.into_bytes(), text: wrong, code: FAILED })
}

/// The time of an entry point, and the multiples of it that its derivatives take, if it has any; and whether the executor had to
/// be helped.
fn measured(
    loaded: &mut Loaded,
    name: &str,
    input: &[Array],
    executor: (Executor, Limits),
    runs: Option<usize>,
) -> Result<([Option<f64>; 3], Option<String>), String> {
    let told = |loaded: &Loaded, message: Message| loaded.texts.sources.show_placed(&message);
    let (Ran { results, note }, seconds) =
        timed(&loaded.program, name, input, executor, runs).map_err(|message| told(loaded, message))?;
    let found = entry(&loaded.program, Some(name)).map_err(|failure| failure.text)?;
    let mut directions = Vec::new();
    let mut at = 0;
    for (_, of) in &found.params {
        let leaves = interface(of);
        let end = (at + leaves.len()).min(input.len());
        // Any direction takes the same time: the point itself has the right sizes.
        if leaves.iter().any(|(kind, _)| kind.is_real()) {
            directions.extend_from_slice(&input[at..end]);
        }
        at = end;
    }
    if directions.is_empty() {
        return Ok(([Some(seconds), None, None], note));
    }
    let mut notes: Vec<String> = note.into_iter().collect();
    let mut multiple = |mode: &str, more: &[Array]| -> Result<Option<f64>, String> {
        let program = derived(mode, loaded, Some(name), None).map_err(|failure| failure.text)?;
        let arguments: Vec<Array> = input.iter().chain(more).cloned().collect();
        let (ran, time) =
            timed(&program, WRAPPER, &arguments, executor, runs).map_err(|message| told(loaded, message))?;
        notes.extend(ran.note.map(|note| format!("{mode}: {note}")));
        Ok(Some(time / seconds))
    };
    let times = [Some(seconds), multiple("jvp", &directions)?, multiple("vjp", &results)?];
    Ok((times, (!notes.is_empty()).then(|| notes.join("\n"))))
}

/// The results, and the median of the times of some runs.
fn timed(
    program: &Program,
    entry: &str,
    input: &[Array],
    (executor, limits): (Executor, Limits),
    runs: Option<usize>,
) -> Result<(Ran, f64), Message> {
    let engine = caught(|| executor.ready(program, entry))?;
    // The first run warms up, and is not counted.
    let ran = caught(|| engine.run(input, limits))?;
    let (start, mut times) = (Instant::now(), Vec::new());
    while match runs {
        Some(runs) => times.len() < runs,
        None => times.len() < 3 || start.elapsed() < Duration::from_millis(500) && times.len() < 10_000,
    } {
        let begin = Instant::now();
        caught(|| engine.run(input, limits))?;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok((ran, times[times.len() / 2]))
}

fn told(row: &Row) -> String {
    let Row { file, entry, dataset, seconds, jvp, vjp, note } = row;
    let mut object =
        json!({"file": file, "entry": entry, "dataset": dataset, "seconds": seconds, "jvp": jvp, "vjp": vjp});
    if let Some(note) = note {
        object["note"] = json!(note);
    }
    format!("{object}\n")
}

fn table(rows: &[Row]) -> String {
    let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0).max(7);
    let (file, entry, data) = (width(|row| &row.file), width(|row| &row.entry), width(|row| &row.dataset));
    let mut text = String::new();
    let head = ["file", "entry", "dataset", "time", "jvp", "vjp"];
    let mut write = |cells: [&str; 6]| {
        let [a, b, c, time, jvp, vjp] = cells;
        let _ = writeln!(text, "{a:<file$}  {b:<entry$}  {c:<data$}  {time:>10}  {jvp:>8}  {vjp:>8}");
    };
    write(head);
    let multiple = |ratio: Option<f64>| ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2} ×"));
    for row in rows {
        let time = duration(row.seconds);
        write([&row.file, &row.entry, &row.dataset, &time, &multiple(row.jvp), &multiple(row.vjp)]);
    }
    for row in rows {
        if let Some(note) = &row.note {
            let _ =
                writeln!(text, "{}: {} {}: note: {}", row.file, row.entry, row.dataset, note.replace('\n', "\n    "));
        }
    }
    text
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.3} µs", s * 1e6),
    }
}
