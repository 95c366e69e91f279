//! Programs compiled by this machine's C compiler: by one call, kept on disk, and what happens where nothing can be kept.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, loop_while};
use catadiff::execute::{Executor, FaultKind, Flat, Native, RunReport};
use catadiff::interpret::{Cancel, Control, Limits, Value};
use catadiff::{Elementary, Error};

use crate::threads_in_c::in_parts;

fn softmax() -> Program {
    Program::trace(|xs: Arr<F64>| {
        let terms = xs.map(|x| x.exp());
        let all = terms.sum();
        terms.map(|t| t / all)
    })
    .expect("it is a program")
}

#[test]
fn one_call_compiles_and_many_threads_run() {
    let compiled = softmax().compile_native().unwrap();
    let run = |n: usize| {
        let xs = Flat::reals(&[n], (0..n).map(|k| (k as f64 * 0.7).sin()).collect()).unwrap();
        let mut results = Vec::new();
        for _ in 0..20 {
            let (outcome, report) =
                compiled.run_into_reported(core::slice::from_ref(&xs), &mut results, Control::default());
            outcome.unwrap();
            assert_eq!(report, RunReport::Bare);
            let sum: f64 = results[0].as_reals().unwrap().iter().sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
            assert_eq!(results[0].sizes(), [n]);
        }
    };
    std::thread::scope(|scope| {
        [1, 7, 1000, 12_345].map(|n| scope.spawn(move || run(n))).map(|thread| thread.join().unwrap())
    });
}

/// Results are where they were, if there is room, and count for limits all the same; what is there has nothing to do with them.
#[test]
fn results_stay_where_they_are() {
    let program = Program::trace(|xs: Arr<F64>| (xs.map(|x| x * 2.0), xs.map(|x| x + 1.0), xs.len())).unwrap();
    let compiled = program.compile_native().unwrap();
    let of = |n: usize| [Flat::reals(&[n], (0..n).map(|k| k as f64).collect()).unwrap()];
    let mut results = vec![Flat::reals(&[3], vec![0.5; 3]).unwrap(), Flat::integers(&[2], vec![7; 2]).unwrap()];
    let mut places = Vec::new();
    for n in [40, 40, 17, 3, 0, 17, 60, 60] {
        compiled.run_into(&of(n), &mut results).unwrap();
        let wanted = program.run(&of(n).map(|xs| xs.to_value())).unwrap();
        assert_eq!(results.iter().map(Flat::to_value).collect::<Vec<_>>(), wanted);
        places.push(results[0].as_reals().unwrap().as_ptr());
    }
    assert_eq!((places[0], places[0], places[6]), (places[1], places[2], places[7]));
    let limits = Limits { elements: 150, ..Limits::default() };
    let error = compiled.run_into_within(&of(60), &mut results, &limits).unwrap_err();
    assert!(matches!(error, Error::Budget { .. }), "{error}");
}

/// What runs in another process, whose environment says where libraries are kept.
#[test]
#[ignore = "it is run by the test below"]
fn in_another_process() {
    let compiled = softmax().compile_native().unwrap();
    let found: Vec<f64> = compiled.at((vec![0.0, 0.0],)).unwrap();
    assert_eq!(found, [0.5, 0.5]);
    let (_, report) = compiled.run_reported(&[Value::new([1.0]).unwrap()], Control::default());
    println!("{report:?} by {}", if compiled.explain().contains("static inline") { "C" } else { "lanes" });
}

fn elsewhere(variables: &[(&str, &Path)]) -> String {
    let test = std::env::current_exe().expect("a test knows its file");
    let output = Command::new(test)
        .args(["--exact", "native::in_another_process", "--ignored", "--nocapture"])
        .envs(variables.iter().copied())
        .output()
        .expect("it runs again");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn libraries(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).map_or_else(|_| Vec::new(), |all| all.map(|entry| entry.unwrap().path()).collect());
    all.retain(|path| path.extension().is_some_and(|end| end == "so"));
    all
}

#[test]
fn libraries_are_kept_and_checked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native_kept");
    let _ = fs::remove_dir_all(&folder);
    let here = [("CATADIFF_CACHE", folder.as_path())];
    assert!(elsewhere(&here).contains("Bare by C"));
    let [library] = &libraries(&folder)[..] else { panic!("one library is kept: {:?}", libraries(&folder)) };
    let whole = fs::read(library).unwrap();
    let written = || fs::metadata(library).and_then(|about| about.modified()).unwrap();
    let first = written();
    elsewhere(&here);
    assert_eq!(written(), first, "it is found again");
    // Cut short, changed, empty, or of another text: it is compiled again.
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    for broken in [&whole[..whole.len() / 2], &changed, &[][..], b"no library"] {
        fs::write(library, broken).unwrap();
        assert!(elsewhere(&here).contains("Bare by C"));
        assert_eq!(fs::read(library).unwrap().len(), whole.len());
    }
    fs::write(library.with_extension("c"), "int run(void) { return 1; }").unwrap();
    assert!(elsewhere(&here).contains("Bare by C"));
    assert!(
        !fs::read_dir(&folder).unwrap().any(|entry| entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("making-"))
    );
}

#[test]
fn where_nothing_can_be_kept_it_runs() {
    // No folder can be made in a file.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native_no_folder");
    fs::write(&file, "").unwrap();
    assert!(elsewhere(&[("CATADIFF_CACHE", &file.join("caches"))]).contains("Bare by C"));
    // Nor can files in a folder that is the system's.
    assert!(elsewhere(&[("CATADIFF_CACHE", Path::new("/proc/self"))]).contains("Bare by C"));
    let none = Path::new("/there/is/no/compiler");
    assert!(elsewhere(&[("CC", none)]).contains("Bare by lanes"));
}

#[test]
fn limits_and_wishes_end_runs() {
    let endless =
        Program::trace(|x: F64| loop_while(x, |x| x.ge(0.0), |x| x + 1.0)).unwrap().compile_on(&Native).unwrap();
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let error = endless.run_within(&[1.0.into()], &limits).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "steps", limit: 100_000, .. }), "{error}");
    let cancel = Cancel::new();
    let stop = cancel.clone();
    std::thread::spawn(move || stop.cancel());
    let error = endless.run_within(&[1.0.into()], Control::default().cancelled_by(&cancel)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
    let many = Program::trace(|n: I64| iota(n).map(|k| k.to_f64()).scan(0.0, |a, b| a + b))
        .unwrap()
        .compile_on(&Native)
        .unwrap();
    let limits = Limits { elements: 1000, ..Limits::default() };
    let error = many.run_within(&[5000_i64.into()], &limits).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "elements", limit: 1000, .. }), "{error}");
    assert_eq!(many.run_within(&[3_i64.into()], &limits).unwrap(), [Value::new([0.0, 1.0, 3.0]).unwrap()]);
}

#[test]
fn faults_say_what_is_wrong_and_where() {
    assert!(Native.available().is_ok());
    let pick = Program::trace(|xs: Arr<F64>, i: I64| xs.index(i) * 2.0).unwrap().compile_on(&Native).unwrap();
    let (found, report) = pick.run_reported(&[Value::new([1.0, 2.0]).unwrap(), 3_i64.into()], Control::default());
    let RunReport::Fault(fault) = report else { panic!("{report:?}") };
    assert_eq!(fault.kind, FaultKind::OutOfBounds { index: 3, length: 2 });
    assert_eq!(found.unwrap_err(), fault.into_error());
}

/// Neither an abort nor a run that goes on: the panic arrives where the run was begun, and the next run is right.
#[test]
fn a_panic_of_a_users_function_passes_through() {
    let halving = Program::trace(|x: F64| loop_while(x, |x| x.ge(1.0), |x| x * 0.999)).unwrap();
    let compiled = halving.compile_on(&Native).unwrap();
    let tell = |_| panic!("it is enough");
    let run = || compiled.run_within(&[1e300.into()], Control::default().with_progress(1, &tell));
    let panic = std::panic::catch_unwind(core::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"it is enough"));
    assert_eq!(compiled.run(&[0.5.into()]).unwrap(), [0.5.into()]);
}

#[cfg(feature = "rayon")]
/// Runs a program in a pool of this number of threads.
fn on_threads(program: &catadiff::execute::Compiled, xs: &Flat, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut results = Vec::new();
    let (outcome, report) =
        pool.install(|| program.run_into_reported(core::slice::from_ref(xs), &mut results, Control::default()));
    outcome.unwrap();
    assert_eq!(report, RunReport::Bare);
    results[0].as_reals().unwrap().iter().map(|x| x.to_bits()).collect()
}

#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_threads() {
    let xs = Flat::reals(&[150_001], (0..150_001).map(|k| (f64::from(k) * 0.7).sin()).collect()).unwrap();
    for (name, program) in in_parts() {
        let compiled = program.compile_native().unwrap();
        let alone = on_threads(&compiled, &xs, 1);
        for threads in [2, 5] {
            assert!(alone == on_threads(&compiled, &xs, threads), "{name} on {threads} threads");
        }
    }
}

/// Each of two threads waits, in a part, for the other: so parts run at the same time.
#[cfg(feature = "rayon")]
#[test]
fn parts_run_at_the_same_time() {
    let xs = [Flat::reals(&[1_000_000], vec![0.5; 1_000_000]).unwrap()];
    let (compiled, seen) = (softmax().compile_native().unwrap(), Mutex::new(HashSet::new()));
    let came = Condvar::new();
    let tell = |_: u64| {
        let mut seen = seen.lock().unwrap();
        seen.insert(std::thread::current().id());
        came.notify_all();
        let both = |seen: &mut HashSet<_>| seen.len() < 2;
        drop(came.wait_timeout_while(seen, Duration::from_secs(30), both).unwrap());
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let control = Control::default().with_progress(10_000, &tell);
    pool.install(|| compiled.run_into_within(&xs, &mut Vec::new(), control)).unwrap();
    assert_eq!(seen.into_inner().unwrap().len(), 2);
}

#[test]
fn what_ends_one_part_ends_the_run() {
    let picked = Program::trace(|xs: Arr<F64>| xs.map(|x| xs.index(x.to_i64()).exp()).sum()).unwrap();
    let compiled = picked.compile_native().unwrap();
    let mut elements = vec![1.0; 300_000];
    let run = |elements: &[f64], control: Control<'_>| {
        compiled.run_into_within(
            &[Flat::reals(&[elements.len()], elements.to_vec()).unwrap()],
            &mut Vec::new(),
            control,
        )
    };
    run(&elements, Control::default()).unwrap();
    let limits = Limits { steps: 10_000, ..Limits::default() };
    let error = run(&elements, Control::from(&limits)).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "steps", limit: 10_000, .. }), "{error}");
    let panics = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        run(&elements, Control::default().with_progress(1_000, &|_| panic!("enough")))
    }));
    assert!(panics.is_err(), "a panic of the caller's goes on");
    elements[222_222] = 300_000.0;
    let error = run(&elements, Control::default()).unwrap_err();
    assert!(error.to_string().contains("300000"), "{error}");
}
