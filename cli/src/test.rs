//! `test`: the test blocks of many programs, in parallel.
//!
//! Law: the summary counts every verdict; the order of the lines is that of the files, however many threads there are.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::answer::{Answer, FAILED, Failure, tell};
use crate::arguments::Arguments;
use crate::cases::{Outcome, Plan, Status, Verdict, run};
use crate::compare::Tolerance;
use crate::engine::Executor;

/// See the table.
pub(crate) fn test(arguments: &Arguments) -> Result<Answer, Failure> {
    let plan = plan(arguments)?;
    let files = programs(arguments.some_files()?)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.number("threads")?.unwrap_or(cores).clamp(1, files.len().max(1));
    let start = Instant::now();
    let (verdicts, programs) = in_parallel(&files, threads, &plan);
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
            let _ = writeln!(output, "{}: {}", name(verdict, &plan), indented(text));
        } else if let Status::Near(text) = &verdict.status {
            let _ = writeln!(output, "{}: passed within 0.002 only: {}", name(verdict, &plan), indented(text));
        }
        if let Some(note) = verdict.note.as_ref().filter(|_| !arguments.has("json")) {
            let _ = writeln!(output, "{}: note: {}", name(verdict, &plan), indented(note));
        }
    }
    if passed + failed + skipped == 0 {
        return Err(Failure::asked(match arguments.option("entry") {
            Some(entry) => format!("no test block is about an entry point `{entry}`"),
            None => "no executor has a case to run".to_owned(),
        }));
    }
    let seconds = start.elapsed().as_secs_f64();
    let Programs { checked, refused, good, bad } = programs;
    if arguments.has("json") {
        let programs = json!({"checked": checked, "refused": refused, "passed": good, "failed": bad});
        let counts = json!({
            "passed": passed, "failed": failed, "skipped": skipped, "programs": programs, "seconds": seconds
        });
        let _ = writeln!(output, "{counts}");
    } else {
        let _ = write!(output, "{passed} passed, {failed} failed, {skipped} skipped");
        let _ = if files.len() > 1 {
            writeln!(
                output,
                "; of {} programs {good} passed, {bad} failed: {checked} checked, {refused} refused",
                files.len()
            )
        } else {
            writeln!(output)
        };
    }
    Ok(Answer { output: output.into_bytes(), code: if failed == 0 { 0 } else { FAILED } })
}

/// How many programs there are, by what became of them.
#[derive(Debug, Clone, Copy, Default)]
struct Programs {
    checked: usize,
    refused: usize,
    /// Those of which all passed.
    good: usize,
    bad: usize,
}

fn plan(arguments: &Arguments) -> Result<Plan, Failure> {
    let executors = if arguments.has("both") {
        if arguments.has("executor") {
            return Err(Failure::asked("`--both` goes without `--executor`"));
        }
        vec![Executor::Interpreter, Executor::of_compiled()]
    } else {
        vec![Executor::asked(arguments, Executor::of_compiled())?]
    };
    let time: f64 = arguments.number("time")?.unwrap_or(60.0);
    let time = Duration::try_from_secs_f64(time)
        .map_err(|_| Failure::asked("the value of `--time` is no number of seconds, of which 0 is for no limit"))?;
    let tolerance: Option<f64> = arguments.number("tolerance")?;
    if tolerance.is_some_and(|tolerance| tolerance.is_nan() || tolerance < 0.0) {
        return Err(Failure::asked("the value of `--tolerance` is not at least 0"));
    }
    Ok(Plan {
        executors,
        referee: !arguments.has("both") && !arguments.has("executor"),
        words: arguments.has("words"),
        time: (!time.is_zero()).then_some(time),
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

/// The verdicts of all files, and what became of the programs; each thread takes the next file that nobody has taken. Of several
/// files, a line says how far the work is as each is done.
fn in_parallel(files: &[PathBuf], threads: usize, plan: &Plan) -> (Vec<Verdict>, Programs) {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((0, Programs::default()));
    let verdicts: Vec<Mutex<Vec<Verdict>>> = files.iter().map(|_| Mutex::new(Vec::new())).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    let (found, outcome) = run(file, plan);
                    let count = |wanted: fn(&Status) -> bool| found.iter().filter(|it| wanted(&it.status)).count();
                    let failed = count(|status| matches!(status, Status::Failed(_)));
                    let skipped = count(|status| matches!(status, Status::Skipped(_)));
                    let passed = found.len() - failed - skipped;
                    *verdicts[at].lock().expect("no thread panics with it") = found;
                    let mut done = done.lock().expect("no thread panics with it");
                    let (count, programs) = &mut *done;
                    *count += 1;
                    programs.checked += usize::from(outcome == Outcome::Checked);
                    programs.refused += usize::from(outcome == Outcome::Refused);
                    programs.good += usize::from(failed == 0);
                    programs.bad += usize::from(failed > 0);
                    if files.len() > 1 {
                        let (name, of) = (file.display(), files.len());
                        tell(&format!("[{count}/{of}] {name}: {passed} passed, {failed} failed, {skipped} skipped\n"));
                    }
                }
            });
        }
    });
    let verdicts = verdicts.into_iter().flat_map(|slot| slot.into_inner().expect("no thread panics with it")).collect();
    (verdicts, done.into_inner().expect("no thread panics with it").1)
}

/// Which case a verdict is of.
fn name(verdict: &Verdict, plan: &Plan) -> String {
    let mut name = format!("{}:{}", verdict.file.display(), verdict.line);
    if let Some(entry) = &verdict.entry {
        let _ = write!(name, ": {entry} {}", verdict.dataset);
    }
    // Where nobody asks for an executor, none is named.
    let named = |executor: &Executor| !plan.referee && !matches!(executor, Executor::Interpreter);
    if let Some(executor) = verdict.executor.filter(named) {
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
