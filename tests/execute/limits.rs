//! Runs that are limited, cancelled and watched: on lanes, with any number of threads, and where the interpreter has to run.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, loop_for, loop_while};
use catadiff::execute::{Compiled, Flat, Lanes, RunReport};
use catadiff::interpret::{Cancel, Control, Limits, Value, run};
use catadiff::{Elementary, Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, Violation, executors, for_all};

fn steps(steps: u64) -> Limits {
    Limits { steps, ..Limits::default() }
}

/// With as many threads, if there are to be threads.
fn with<T: Send>(threads: usize, inside: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "rayon")]
    return rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had").install(inside);
    #[cfg(not(feature = "rayon"))]
    return (threads, inside()).1;
}

#[test]
fn random_programs_keep_to_limits() -> Verdict {
    for_all(|p: ArrayProgram| executors::keeps_to_limits(&Lanes, &p.program(), &p.arguments()).map(drop))
}

#[test]
fn steps_do_not_depend_on_the_number_of_threads() -> Result<()> {
    let reals: Vec<f64> = (0..20_000).map(|k| f64::from(k % 1009) / 504.5 - 1.0).collect();
    let programs = [
        Program::trace(|xs: Arr<F64>| xs.map(|x| (x.exp() * x.sin()).tanh()).sum())?,
        Program::trace(|xs: Arr<F64>| xs.map(|x| loop_while(x, |y| y.lt(40.0), |y| y + y * y + 1.0)))?,
        Program::trace(|xs: Arr<F64>| loop_for(I64::from(20), xs, |_, xs| xs.map(|x| x * x - 0.5)))?,
        Program::trace(|xs: Arr<F64>| xs.reduce_commutative(0.0, |x, y| x + y + x * y * 1e-9))?,
    ];
    for program in programs {
        let arguments = [Value::new(reals.clone())?];
        let taken = |threads| with(threads, || executors::keeps_to_limits(&Lanes, &program, &arguments));
        let [one, two, seven] = [1, 2, 7].map(|threads| taken(threads).unwrap_or_else(|it: Violation| panic!("{it}")));
        assert!(one >= 40, "there are 40 blocks of 512 lanes at least, and {one} steps");
        assert_eq!([two, seven], [one, one], "{program}");
    }
    Ok(())
}

/// Programs that go on for ages from 2⁶⁰, what they say of where they are, and a short run with its result.
fn endless() -> Result<Vec<(Compiled, &'static str, i64, f64)>> {
    let program = |program: Program| program.compile();
    Ok(vec![
        (program(Program::trace(|n: I64| iota(n).map(|k| k.to_f64()).sum())?)?, "reduce", 5, 10.0),
        (program(Program::trace(|n: I64| loop_for(n, F64::from(0.5), |_, x| x * (1.0 - x) * 2.0))?)?, "loop", 3, 0.5),
        (
            program(Program::trace(|n: I64| {
                loop_while((F64::from(1.0), I64::from(0)), |(_, k)| k.lt(n), |(x, k)| (x * 1.5, k + 1)).0
            })?)?,
            "loop",
            2,
            2.25,
        ),
        (
            // Lanes of which some go on.
            program(Program::trace(|n: I64| {
                iota(I64::from(1000)).map(|i| loop_while(i, |k| k.lt(n), |k| k + 1000).to_f64()).max()
            })?)?,
            "loop",
            5000,
            5999.0,
        ),
        (
            // A loop in lanes, that each lane runs as often.
            program(Program::trace(|n: I64| {
                iota(I64::from(300)).map(|i| loop_for(n, i.to_f64(), |_, x| (x + 1.0).sqrt())).sum()
            })?)?,
            "loop",
            0,
            44850.0,
        ),
    ])
}

#[test]
fn what_has_no_end_is_ended_by_steps() -> Result<()> {
    for (program, inside, short, expected) in endless()? {
        for threads in [1, 2, 7] {
            let (results, report) = with(threads, || program.run_reported(&[(1_i64 << 60).into()], &steps(10_000)));
            assert_eq!(report, RunReport::Bare);
            let error = results.unwrap_err();
            assert!(matches!(error, Error::Budget { what: "steps", limit: 10_000, .. }), "{error}");
            let place = error.to_string().lines().last().unwrap_or_default().to_owned();
            assert!(place.starts_with("  in: let") && place.contains(inside), "{error}");
            assert_eq!(with(threads, || program.run(&[short.into()]))?, [expected.into()]);
        }
    }
    Ok(())
}

#[test]
fn what_has_no_end_is_cancelled() -> Result<()> {
    for (program, inside, short, expected) in endless()? {
        for threads in [1, 2, 7] {
            let cancel = Cancel::new();
            let stop = cancel.clone();
            let later = thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                stop.cancel();
            });
            let control = Control::default().cancelled_by(&cancel);
            let (results, report) = with(threads, || program.run_reported(&[(1_i64 << 60).into()], control));
            assert_eq!(report, RunReport::Bare);
            let error = results.unwrap_err();
            later.join().expect("the other thread only waits");
            assert!(matches!(error, Error::Cancelled { .. }), "{error}");
            assert!(error.to_string().starts_with("the run was cancelled\n  at "), "{error}");
            assert!(error.to_string().contains("\n  in: let"), "{error}");
            assert!(error.to_string().contains(inside), "{error}");
            assert_eq!(with(threads, || program.run(&[short.into()]))?, [expected.into()]);
        }
    }
    Ok(())
}

#[test]
fn long_sums_of_products_are_cut() -> Result<()> {
    // The rows of lanes, each summed up in one instruction.
    let norms = Program::trace(|rows: Arr<Arr<F64>>| rows.map(|row| row.map(|x| x * x).sum()))?.compile()?;
    let (n, m) = (16, 200_000);
    let rows = Value::reals(&[n, m], (0..n * m).map(|k| (k % 7) as f64))?;
    let expected = norms.run(std::slice::from_ref(&rows))?;
    assert_eq!(norms.run_within(std::slice::from_ref(&rows), &steps(10_000_000))?, expected);
    let transposed = Program::trace(|rows: Arr<Arr<F64>>| rows.transpose().map(|row| row.map(|x| x * x).sum()))?;
    executors::keeps_to_limits(&Lanes, &transposed, &[Value::reals(&[m, n], (0..n * m).map(|k| (k % 7) as f64))?])
        .unwrap_or_else(|violation| panic!("{violation}"));
    Ok(())
}

#[test]
fn memory_is_limited() -> Result<()> {
    let squares = Program::trace(|n: I64| {
        let all = iota(n).map(|k| k.to_f64());
        (all, all.sum())
    })?
    .compile()?;
    let elements = |elements| Limits { elements, ..Limits::default() };
    let found = squares.run_within(&[1000_i64.into()], &elements(2000))?;
    assert_eq!(found[1], 499_500.0.into());
    let error = squares.run_within(&[1000_i64.into()], &elements(999)).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "elements", limit: 999, .. }), "{error}");
    // What was held before is not held any more.
    assert_eq!(squares.run_within(&[1000_i64.into()], &elements(2000))?, found);
    // Arguments are held too.
    let sum = Program::trace(|xs: Arr<F64>| xs.sum())?.compile()?;
    let xs = [Value::new(vec![1.0; 100])?];
    assert_eq!(sum.run_within(&xs, &elements(1000))?, [100.0.into()]);
    let error = sum.run_within(&xs, &elements(99)).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "elements", limit: 99, .. }), "{error}");
    Ok(())
}

#[test]
fn results_in_memory_that_is_used_again() -> Result<()> {
    let scaled = Program::trace(|xs: Arr<F64>, n: I64| {
        let by = loop_for(n, F64::from(1.0), |_, x| x * 2.0);
        xs.map(|x| x * by)
    })?
    .compile()?;
    let arguments =
        |n| -> Result<[Flat; 2]> { Ok([Flat::reals(&[2], vec![1.0, 3.0])?, Flat::integers(&[], vec![n])?]) };
    let mut results = Vec::new();
    scaled.run_into_within(&arguments(3)?, &mut results, &steps(100))?;
    assert_eq!(results[0].as_reals(), Some(&[8.0, 24.0][..]));
    let error = scaled.run_into_within(&arguments(1 << 40)?, &mut results, &steps(100)).unwrap_err();
    assert!(matches!(error, Error::Budget { what: "steps", limit: 100, .. }), "{error}");
    scaled.run_into_within(&arguments(2)?, &mut results, &steps(100))?;
    assert_eq!(results, [Flat::reals(&[2], vec![4.0, 12.0])?]);
    Ok(())
}

#[test]
fn the_interpreter_keeps_to_the_same() -> Result<()> {
    let text = "
        program (x: f64, ns: []i64) {
          let y = loop (z = x) while { let more = le(0.0f64, z) return more } {
            let same = abs(z)
            return same
          }
          let rows: [][][][][]i64 = map (ns) |n: i64| {
            let a = iota(n)
            let b: [][][][]i64 = map (a) |n: i64| {
              let a = iota(n)
              let b: [][][]i64 = map (a) |n: i64| {
                let a = iota(n)
                let b: [][]i64 = map (a) |n: i64| {
                  let a = iota(n)
                  return a
                }
                return b
              }
              return b
            }
            return b
          }
          return y, rows
        }";
    let deep = Program::parse(text)?;
    let compiled = deep.compile()?;
    let at = |x: f64| -> Result<[Value<f64>; 2]> { Ok([x.into(), Value::new([1_i64])?]) };
    assert!(compiled.explain().contains("interpreted"), "{}", compiled.explain());
    for error in [run(&deep, &at(1.0)?, &steps(1000)), compiled.run_within(&at(1.0)?, &steps(1000))] {
        assert!(matches!(error, Err(Error::Budget { what: "steps", limit: 1000, .. })), "{error:?}");
    }
    let cancel = Cancel::new();
    let stop = |_| cancel.cancel();
    let control = Control::default().cancelled_by(&cancel).with_progress(500, &stop);
    for error in [run(&deep, &at(1.0)?, &control), compiled.run_within(&at(1.0)?, &control)] {
        assert!(matches!(error, Err(Error::Cancelled { .. })), "{error:?}");
    }
    assert_eq!(compiled.run(&at(-1.0)?)?[0], (-1.0).into());
    Ok(())
}

#[test]
fn progress_is_told_at_most_so_often() -> Result<()> {
    let program = Program::trace(|n: I64| loop_for(n, F64::from(1.0), |_, x| x.sqrt()))?.compile()?;
    let told = Mutex::new(Vec::new());
    let tell = |steps| told.lock().expect("nothing panics").push(steps);
    program.run_within(&[10_000_i64.into()], Control::default().with_progress(1000, &tell))?;
    let told = told.into_inner().expect("nothing panics");
    assert!((9..=10).contains(&told.len()), "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0] / 1000 < pair[1] / 1000), "{told:?}");
    Ok(())
}
