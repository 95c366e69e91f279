//! Which tests reach a mutant, and whether one of them notices it.
//!
//! Law: each test runs in a process of its own, with the limits of a multiple of what it takes without a mutant; one that fails,
//! crashes, runs too long or asks for too much memory has noticed it, and no other is run then. Tests that fail without a
//! mutant, or take very long, are not asked at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::tree::Program;

/// A test, and what it does when no mutant is on.
#[derive(Debug, Clone)]
pub struct Test {
    program: Program,
    pub name: String,
    seconds: f64,
    reaches: BTreeSet<usize>,
}

/// What became of a mutant.
#[derive(Debug, Clone)]
pub enum Fate {
    Killed { by: String, how: &'static str },
    Survived { asked: usize, reached_by: usize },
}

/// Kilobytes of memory that a test may ask for.
const MEMORY: u64 = 6_000_000;

/// How a process ended.
enum End {
    Well,
    Badly(&'static str),
}

fn run(program: &Program, name: &str, folder: &Path, mutant: &str, seconds: f64) -> End {
    let limits = format!("ulimit -v {MEMORY}; ulimit -t {}; exec \"$0\" \"$@\"", seconds.ceil() as u64);
    let child = Command::new("sh")
        .args(["-c", &limits])
        .arg(&program.path)
        .args(["--exact", name, "--test-threads=1"])
        .env("CATADIFF_MUTANT", mutant)
        .env("CARGO_MANIFEST_DIR", folder)
        .env("RUST_BACKTRACE", "0")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("a shell starts");
    // Who sleeps for ever takes no time of a processor.
    let until = Instant::now() + Duration::from_secs_f64(10.0 + 10.0 * seconds);
    loop {
        match child.try_wait().expect("our own process can be asked") {
            Some(status) if status.success() => return End::Well,
            Some(status) if status.code() == Some(101) => return End::Badly("failed"),
            Some(_) => return End::Badly("crashed, or ran out of time or memory"),
            None if Instant::now() > until => {
                child.kill().expect("our own process can be ended");
                child.wait().expect("our own process ends");
                return End::Badly("hung");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// Calls a function on each, on this many threads.
fn each<T: Sync>(all: &[T], threads: usize, call: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    call(one);
                }
            });
        }
    });
}

/// All tests that pass in time, and what they reach; and the names of the others.
pub fn survey(
    programs: &[Program],
    folder: &Path,
    scratch: &Path,
    threads: usize,
    longest: f64,
) -> (Vec<Test>, Vec<String>) {
    let mut names = Vec::new();
    for program in programs {
        let list = |ignored: &[&str]| {
            let listed = Command::new(&program.path)
                .args(["--list", "--format", "terse"])
                .args(ignored)
                .current_dir(folder)
                .output();
            let listed = String::from_utf8(listed.expect("a test program runs").stdout).expect("names are UTF-8");
            listed.lines().filter_map(|line| line.strip_suffix(": test").map(str::to_owned)).collect::<BTreeSet<_>>()
        };
        let ignored = list(&["--ignored"]);
        names.extend(list(&[]).difference(&ignored).map(|name| (program.clone(), name.clone())));
    }
    std::fs::create_dir_all(scratch).expect("a folder can be made");
    let found = Mutex::new((Vec::new(), Vec::new()));
    let count = AtomicUsize::new(0);
    each(&names, threads, |(program, name)| {
        let file = scratch.join(format!("reached.{}", count.fetch_add(1, Ordering::Relaxed)));
        std::fs::remove_file(&file).ok();
        let start = Instant::now();
        let end = run(program, name, folder, file.to_str().expect("a name in UTF-8"), longest);
        let seconds = start.elapsed().as_secs_f64();
        let reached = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::remove_file(&file).ok();
        let mut found = found.lock().expect("no thread panics");
        match end {
            End::Well => {
                let reaches = reached.lines().filter_map(|line| line.parse().ok()).collect();
                found.0.push(Test { program: program.clone(), name: name.clone(), seconds, reaches });
            }
            End::Badly(how) => found.1.push(format!("{} {name}: {how}", program.name)),
        }
    });
    found.into_inner().expect("no thread panics")
}

/// What becomes of each mutant. Those tests are run first that noticed others of the same group, then the quick ones.
pub fn judge(
    mutants: &[(usize, String)],
    tests: &[Test],
    folder: &Path,
    threads: usize,
    patience: f64,
) -> BTreeMap<usize, Fate> {
    let fates = Mutex::new(BTreeMap::new());
    let kills: Mutex<HashMap<(String, usize), usize>> = Mutex::new(HashMap::new());
    each(mutants, threads, |(number, group)| {
        let mut reaching: Vec<usize> = (0..tests.len()).filter(|t| tests[*t].reaches.contains(number)).collect();
        {
            let kills = kills.lock().expect("no thread panics");
            let worth = |t: &usize| {
                let kills = kills.get(&(group.clone(), *t)).copied().unwrap_or(0);
                tests[*t].seconds / (1 + 4 * kills) as f64
            };
            reaching.sort_by(|a, b| worth(a).total_cmp(&worth(b)));
        }
        let (mut taken, mut asked) = (0.0, 0);
        let killed = reaching.iter().find_map(|t| {
            let test = &tests[*t];
            if taken > patience {
                return None;
            }
            (taken, asked) = (taken + test.seconds, asked + 1);
            match run(&test.program, &test.name, folder, &number.to_string(), 3.0 + 4.0 * test.seconds) {
                End::Well => None,
                End::Badly(how) => {
                    *kills.lock().expect("no thread panics").entry((group.clone(), *t)).or_insert(0) += 1;
                    Some(Fate::Killed { by: format!("{} {}", test.program.name, test.name), how })
                }
            }
        });
        let fate = killed.unwrap_or(Fate::Survived { asked, reached_by: reaching.len() });
        let mut fates = fates.lock().expect("no thread panics");
        if matches!(fate, Fate::Survived { .. }) {
            eprintln!("{} of {}: {number} {fate:?} {taken:.0} s", fates.len() + 1, mutants.len());
        }
        fates.insert(*number, fate);
    });
    fates.into_inner().expect("no thread panics")
}
