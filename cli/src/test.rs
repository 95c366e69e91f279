//! `test`: the test blocks of many programs, in parallel.
//!
//! Law: the summary counts every verdict; the order of the lines is that of the files, however many threads there are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::json;

use crate::answer::{Answer, FAILED, Failure, tell};
use crate::arguments::Arguments;
use crate::cases::{Plan, Status, Verdict, run};
use crate::compare::Tolerance;
use crate::engine::Executor;

/// See the table.
pub(crate) fn test(arguments: &Arguments) -> Result<Answer, Failure> {
    let plan = plan(arguments)?;
    let files = programs(arguments.some_files()?)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.number("threads")?.unwrap_or(cores).clamp(1, files.len().max(1));
    let start = Instant::now();
    let verdicts = in_parallel(&files, threads, &plan);
    let mut output = String::new();
    let [mut passed, mut failed, mut skipped] = [0; 3];
    for verdict in &verdicts {
        match &verdict.status {
            Status::Passed | Status::Near(_) => passed += 1,
            Status::Failed(_) => failed += 1,
            Status::Skipped(_) => skipped += 1,
        }
        if arguments.has("json") {
            output.push_str(&told(verdict));
        } else if let Status::Failed(text) = &verdict.status {
            let _ = writeln!(output, "{}: {}", name(verdict), indented(text));
        } else if let Status::Near(text) = &verdict.status {
            let _ = writeln!(output, "{}: passed within 0.002 only: {}", name(verdict), indented(text));
        }
        if let Some(note) = verdict.note.as_ref().filter(|_| !arguments.has("json")) {
            let _ = writeln!(output, "{}: note: {}", name(verdict), indented(note));
        }
    }
    if passed + failed + skipped == 0 {
        return Err(Failure::asked(match arguments.option("entry") {
            Some(entry) => format!("no test block is about an entry point `{entry}`"),
            None => "there are no tests: a test block is a comment that begins with `-- ==`".to_owned(),
        }));
    }
    let seconds = start.elapsed().as_secs_f64();
    if arguments.has("json") {
        let counts = json!({"passed": passed, "failed": failed, "skipped": skipped, "seconds": seconds});
        let _ = writeln!(output, "{counts}");
    } else {
        let _ = writeln!(output, "{passed} passed, {failed} failed, {skipped} skipped");
    }
    Ok(Answer { output: output.into_bytes(), code: if failed == 0 { 0 } else { FAILED } })
}

fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    let executors = if arguments.has("both") {
        if arguments.has("executor") {
            return Err(Failure::asked("`--both` goes without `--executor`"));
        }
        vec![Executor::Interpreter, Executor::of_compiled()]
    } else {
        vec![Executor::asked(arguments, Executor::Interpreter)?]
    };
    let tolerance: Option<f64> = arguments.number("tolerance")?;
    if tolerance.is_some_and(|tolerance| tolerance.is_nan() || tolerance < 0.0) {
        return Err(Failure::asked("the value of `--tolerance` is not at least 0"));
    }
    Ok(Plan {
        executors,
        entry: arguments.option("entry").map(str::to_owned),
        limits: arguments.limits()?,
        tolerance: Tolerance {
            half: tolerance.unwrap_or(2e-3),
            single: tolerance.unwrap_or(1e-4),
            double: tolerance.unwrap_or(1e-9),
            of_array: false,
        },
        lenient: tolerance.is_none(),
        seed: arguments.number("seed")?.unwrap_or(0),
        exclude: arguments.all("exclude").map(str::to_owned).collect(),
    })
}

/// All programs among files and in folders, each once, in order.
pub(crate) fn programs(paths: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let path = Path::new(path);
        if path.is_dir() {
            let mut seen = BTreeSet::new();
            let count = found.len();
            below(path, &mut seen, &mut found)?;
            if found.len() == count {
                return Err(Failure::asked(format!("there are no programs in `{}`", path.display())));
            }
        } else if path.exists() {
            found.push(path.to_owned());
        } else {
            return Err(Failure::asked(format!("there is no file `{}`", path.display())));
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|path| known.insert(path.clone()));
    Ok(found)
}

/// The programs in a folder and below it. Folders that lead back to themselves are entered once.
fn below(folder: &Path, seen: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unread = |error| Failure::asked(format!("`{}` cannot be read: {error}", folder.display()));
    if !seen.insert(folder.canonicalize().map_err(unread)?) {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unread)?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            below(&path, seen, found)?;
        } else if path.extension().is_some_and(|ending| ending == "fut") {
            found.push(path);
        }
    }
    Ok(())
}

/// The verdicts of all files; each thread takes the next file that nobody has taken.
fn in_parallel(files: &[PathBuf], threads: usize, plan: &Plan) -> Vec<Verdict> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let verdicts: Vec<Mutex<Vec<Verdict>>> = files.iter().map(|_| Mutex::new(Vec::new())).collect();
    let progress = std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let found = run(file, plan);
                    *verdicts[at].lock().expect("no thread panics with it") = found;
                    let count = done.fetch_add(1, Ordering::Relaxed) + 1;
                    if progress {
                        tell(&format!("\r{} {count}/{}", bar(count, files.len()), files.len()));
                    }
                }
            });
        }
    });
    if progress {
        tell("\r\x1b[K");
    }
    verdicts.into_iter().flat_map(|slot| slot.into_inner().expect("no thread panics with it")).collect()
}

fn bar(count: usize, of: usize) -> String {
    const WIDTH: usize = 30;
    let full = count * WIDTH / of.max(1);
    format!("[{}{}]", "#".repeat(full), " ".repeat(WIDTH - full))
}

/// Which case a verdict is of.
fn name(verdict: &Verdict) -> String {
    let mut name = format!("{}:{}", verdict.file.display(), verdict.line);
    if let Some(entry) = &verdict.entry {
        let _ = write!(name, ": {entry} {}", verdict.dataset);
    }
    if let Some(executor) = verdict.executor.filter(|executor| *executor != Executor::Interpreter) {
        let _ = write!(name, " on {}", executor.name());
    }
    name
}

fn told(verdict: &Verdict) -> String {
    let mut object = json!({"file": verdict.file.display().to_string(), "line": verdict.line});
    if let Some(entry) = &verdict.entry {
        object["entry"] = json!(**entry);
        object["dataset"] = json!(verdict.dataset);
    }
    if let Some(executor) = verdict.executor {
        object["executor"] = json!(executor.name());
    }
    if let Some(note) = &verdict.note {
        object["note"] = json!(note);
    }
    let (status, more) = match &verdict.status {
        Status::Passed => ("passed", None),
        Status::Near(text) => ("passed", Some(("near", text.as_str()))),
        Status::Failed(text) => ("failed", Some(("why", text.trim_end()))),
        Status::Skipped(text) => ("skipped", Some(("why", text.as_str()))),
    };
    object["status"] = json!(status);
    if let Some((key, text)) = more {
        object[key] = json!(text);
    }
    format!("{object}\n")
}

/// What follows the first line stands further in.
fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n    ")
}
