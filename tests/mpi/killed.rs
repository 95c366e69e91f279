//! Nothing is lost: ranks are killed at any time, the job ends and says so, and what is taken up ends with the same bits.
//!
//! As often as `CATADIFF_KILLS` says, by default 3 times.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, thread};

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::execute::mpi::{Every, Keep, Mpi, World};
use catadiff::execute::{Flat, Lanes};
use catadiff::{Elementary, Error};

use super::mpirun;

/// The folder of a job; a rank that has it does the job.
pub(super) const FOLDER: &str = "CATADIFF_JOB";
const ITERATIONS: i64 = 300;
const RANKS: usize = 3;

/// What a rank of the job does: a loop whose state it keeps, and whose result the first rank writes.
pub(super) fn job(world: &World, folder: &Path) {
    fs::write(folder.join(format!("{}.pid", world.rank())), std::process::id().to_string()).unwrap();
    let program = Program::trace(|xs: Arr<F64>, x: F64| {
        loop_for(ITERATIONS, (xs, x), |_, (xs, x): (Arr<F64>, F64)| {
            let mean = xs.map(|y| (y * x).sin()).sum() / xs.len().to_f64();
            (xs.map(move |y| (y + mean).cos() + y * 0.1), x + mean * 0.25)
        })
    })
    .unwrap();
    let keep = Keep { resume: true, ..Keep::new(folder.join("states"), Every::Iterations(7)) };
    let on_ranks = program.compile_on(&Mpi::over(&Lanes).keeping(keep)).unwrap();
    let xs = Flat::reals(&[60_000], (0..60_000).map(|k| f64::from(k) * 1e-4).collect()).unwrap();
    let mut results = Vec::new();
    on_ranks.run_into(&[xs, Flat::reals(&[], vec![1.0]).unwrap()], &mut results).unwrap();
    if world.rank() == 0 {
        let bits: Vec<String> =
            results.iter().flat_map(|r| r.as_reals().unwrap()).map(|x| x.to_bits().to_string()).collect();
        fs::write(folder.join("result"), bits.join("\n")).unwrap();
    }
}

fn start(folder: &Path) -> std::process::Child {
    for rank in 0..RANKS {
        let _ = fs::remove_file(folder.join(format!("{rank}.pid")));
    }
    let mut run = mpirun(RANKS);
    run.arg(std::env::current_exe().unwrap()).env(super::INSIDE, "1").env(FOLDER, folder);
    run.stderr(fs::File::create(folder.join("errors")).unwrap());
    run.spawn().unwrap()
}

/// The result of a job that nobody disturbs.
fn undisturbed(folder: &Path) -> String {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    assert!(start(folder).wait().unwrap().success());
    fs::read_to_string(folder.join("result")).unwrap()
}

pub(super) fn nothing_is_lost() {
    let kills: usize = std::env::var("CATADIFF_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let folder = std::env::temp_dir().join(format!("catadiff-killed-{}", std::process::id()));
    let began = Instant::now();
    let expected = undisturbed(&folder);
    let whole = began.elapsed();
    for name in ["states", "result"] {
        let path = folder.join(name);
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let (mut killed, mut furthest) = (0, 0);
    while killed < kills {
        let mut running = start(&folder);
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // At any time from the first statement on.
        let victim = folder.join(format!("{}.pid", (random >> 33) as usize % RANKS));
        while !victim.exists() && running.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(whole.mul_f64(((random >> 40) % 1000) as f64 / 1000.0 * 0.6));
        let pid = fs::read_to_string(&victim).unwrap();
        let was_there = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success();
        let status = running.wait().unwrap();
        if was_there && !status.success() {
            killed += 1;
            let errors = fs::read_to_string(folder.join("errors")).unwrap();
            assert!(errors.contains("signal 9"), "the job says what has happened: {errors}");
        }
        let kept = fs::read_dir(folder.join("states")).map_or(0, Iterator::count);
        furthest = furthest.max(kept);
        if status.success() {
            // It was done before it was killed.
            assert_eq!(fs::read_to_string(folder.join("result")).unwrap(), expected);
            fs::remove_dir_all(folder.join("states")).unwrap();
            let _ = fs::remove_file(folder.join("result"));
        }
    }
    assert!(start(&folder).wait().unwrap().success());
    assert_eq!(fs::read_to_string(folder.join("result")).unwrap(), expected);
    assert!(furthest >= RANKS, "states were kept");
    fs::remove_dir_all(folder).unwrap();
}

/// A state that is cut short, or of something else, is an error on every rank; of two, the one that is whole is taken.
pub(super) fn bad_states(world: &World) {
    let folder = std::env::temp_dir().join(format!("catadiff-states-{}", world.ranks()));
    let run = |n: i64, resume: bool| {
        let program = Program::trace(|xs: Arr<F64>| {
            loop_for(n, xs, |_, xs: Arr<F64>| {
                let sum = xs.sum();
                xs.map(move |x| (x + sum).sin())
            })
        })
        .unwrap();
        let keep = Keep { resume, ..Keep::new(&folder, Every::Iterations(2)) };
        let on_ranks = program.compile_on(&Mpi::over(&Lanes).keeping(keep)).unwrap();
        let mut results = Vec::new();
        let xs = Flat::reals(&[11], (0..11).map(f64::from).collect()).unwrap();
        on_ranks.run_into(&[xs], &mut results).map(|()| results)
    };
    let expected = run(10, false).unwrap();
    assert_eq!(run(10, true).unwrap(), expected);
    // Another program.
    let error = run(12, true).unwrap_err();
    assert!(matches!(error, Error::File { .. }), "{error}");
    let mine = |turn: usize| folder.join(format!("loop0.rank{}.{turn}.state", world.rank()));
    let whole: Vec<Vec<u8>> = [0, 1].map(|turn| fs::read(mine(turn)).unwrap()).into();
    for at in [0, 9, 40, whole[0].len() / 2, whole[0].len() - 1] {
        fs::write(mine(0), &whole[0][..at]).unwrap();
        assert_eq!(run(10, true).unwrap(), expected, "the other is taken, where one is cut at {at}");
        fs::write(mine(0), &whole[0]).unwrap();
        fs::write(mine(1), &whole[1]).unwrap();
    }
    // Both cut, on the last rank alone.
    if world.rank() + 1 == world.ranks() {
        fs::write(mine(0), &whole[0][..30]).unwrap();
        fs::write(mine(1), &whole[1][..30]).unwrap();
    }
    let error = run(10, true).unwrap_err();
    assert!(matches!(error, Error::File { .. } | Error::Device { .. }), "{error}");
    assert_eq!(run(10, false).unwrap(), expected);
}
