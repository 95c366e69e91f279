//! Loops over lanes as functions, one lane after the other: they leave what blocks leave, bit for bit, on any number of threads, take no
//! more steps, and stop where blocks do.

use std::sync::Mutex;

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::{Executor, InstructionLanes, Lanes, NativeLanes, Outcome, Prepared};
use catadiff::futhark::elaborate::compile;
use catadiff::interpret::{Control, Limits, Value};
use catadiff_laws::executors;

fn on(executor: &dyn Executor, program: &Program) -> Box<dyn Prepared> {
    let prepared = executor.prepare(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    prepared.unwrap_or_else(|unsupported| panic!("{unsupported:?}\n{program}"))
}

/// What a run left, as text in which numbers differ where their bits do.
fn left(prepared: &dyn Prepared, arguments: &[Value<f64>]) -> String {
    match prepared.run(arguments, Control::default()) {
        Ok(Outcome::Done { results, .. }) => format!("{results:?}"),
        other => format!("{other:?}"),
    }
}

fn reals(n: usize) -> Value<f64> {
    let real = |k: usize| match k % 17 {
        0 => -0.0,
        1 => f64::NAN,
        k => (k * 7919 % 1013) as f64 / 506.5 - 1.0,
    };
    Value::new((0..n).map(real).collect::<Vec<f64>>()).expect("a vector is a value")
}

fn singles(n: usize) -> Value<f64> {
    Value::new((0..n).map(|k| (k * 7919 % 1013) as f32 / 506.5 - 1.0).collect::<Vec<f32>>()).expect("a value")
}

/// Numbers from 0 to `n`, without it.
fn places(n: usize) -> Value<f64> {
    Value::new((0..n).map(|k| (k * k + 7 * k) as i64 % n.max(1) as i64).collect::<Vec<i64>>()).expect("a value")
}

fn rows(n: usize, of: usize) -> Value<f64> {
    let rows: Vec<Vec<f64>> =
        (0..n).map(|i| (0..of).map(|j| ((i * 31 + j * 17) % 101) as f64 / 7.0).collect()).collect();
    Value::new(rows).expect("rows of one length are a value")
}

/// What a program is about, its text, and its arguments for `n` lanes.
type Case = (&'static str, &'static str, fn(usize) -> Vec<Value<f64>>);

const CASES: &[Case] = &[
    (
        "elements found one by one",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 = map2 (\\k x -> if x < 0 then xs[k] * x else f64.max x xs[k]) at xs",
        |n| vec![places(n), reals(n)],
    ),
    (
        "in single precision",
        "entry main [n] (at: [n]i64) (xs: [n]f32): [n]f32 =
           map2 (\\k x -> if x < 0 then xs[k] * x else f32.min x (xs[k] / 3) + f32.i64 k) at xs",
        |n| vec![places(n), singles(n)],
    ),
    (
        "integers of few bits, divided and moved",
        "entry main [n] (at: [n]i64): ([n]u8, [n]i16, [n]i32, [n]u64) =
           unzip4 (map (\\k -> let m = at[k] in (u8.i64 (m * 77) / (u8.i64 k | 1), i16.i64 (m * 3001) %% (i16.i64 m + 3 | 1),
             i32.i64 m << i32.i64 (k & 31) ^ i32.i64 k >> 3, u64.i64 (m - 5) >> u64.i64 (k & 63))) at)",
        |n| vec![places(n)],
    ),
    (
        "neighbours in a matrix",
        "entry main [n][m] (a: [n][m]f64): [n][m]f64 =
           tabulate_2d n m (\\i j -> if i == 0 || i == n - 1 || j == 0 || j == m - 1 then a[i, j]
             else a[i, j] + 0.1 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4 * a[i, j]))",
        |n| vec![rows(n, 19)],
    ),
    (
        "arrays of their own",
        "entry main [n][m] (a: [n][m]f64) (at: [n]i64): [n][m]f64 =
           map2 (\\row k -> let turned = rotate k row let both = map2 (\\x y -> x - y) row turned in map2 (*) both (reverse turned)) a at",
        |n| vec![rows(n, 13), places(n)],
    ),
    (
        "loops that end each when it likes",
        "entry main [n] (at: [n]i64) (xs: [n]f64): ([n]f64, [n]i64) =
           unzip (map2 (\\k x -> loop (y, j) = (x, k) while j > 0 && j < n do
             let z = xs[j] in (if z > y then z else y * 0.5, if j % 3 == 0 then j / 2 else j - 7)) at xs)",
        |n| vec![places(n), reals(n)],
    ),
    (
        "a loop in a loop",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 =
           map (\\k -> loop s = 0 for i < 1 + k % 5 do s + (loop t = 1 for j < i + 1 do t * 0.5 + xs[(k + j) % n])) at",
        |n| vec![places(n), reals(n)],
    ),
    (
        "the last that is written stays",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 = scatter (replicate n 0) (map (\\k -> if k % 3 == 0 then -1 else k / 2) at) xs",
        |n| vec![places(n), reals(n)],
    ),
    (
        "what is kept",
        "entry main [n] (xs: [n]f64): []f64 = filter (\\x -> x > 0.25) xs",
        |n| vec![reals(n)],
    ),
    (
        "rows of any length, which are short",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 =
           map (\\k -> f64.sum (map (\\j -> xs[(j * k) % n]) (iota (k % 7)))) at",
        |n| vec![places(n), reals(n)],
    ),
    (
        "two results in rows",
        "entry main [n][m] (a: [n][m]f64) (at: [n]i64): ([n][m]i64, [n][2]f64) =
           unzip (map2 (\\row k -> (map (\\x -> i64.f64 x + k) row, [row[k % m], f64.i64 k])) a at)",
        |n| vec![rows(n, 5), places(n)],
    ),
];

fn program(text: &str) -> Program {
    compile(text, "main").unwrap_or_else(|e| panic!("{e:?}\n{text}")).program
}

#[test]
fn functions_leave_what_blocks_leave() {
    for (name, text, arguments) in CASES {
        let program = program(text);
        assert!(NativeLanes.functions(&program) > 0, "{name}: nothing is compiled\n{program}");
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [0, 1, 2, 15, 16, 17, 64, 300, 1000, 5000] {
            let arguments = arguments(n);
            assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{name}, {n}\n{program}");
            // Of no lanes, blocks find out at the second attempt that nothing is divided by 0.
            if (1..=300).contains(&n) {
                executors::same(&NativeLanes, &program, &arguments)
                    .unwrap_or_else(|e| panic!("{name}: {e}\n{program}"));
            }
        }
    }
}

/// Whoever is faster, and however often that is found out again: it is the same.
#[test]
fn it_does_not_matter_who_is_faster() {
    for (name, text, arguments) in CASES {
        let program = program(text);
        let (either, blocks) = (on(&Lanes, &program), on(&InstructionLanes, &program));
        for n in [17, 700, 20_000] {
            let arguments = arguments(n);
            let expected = left(&*blocks, &arguments);
            for _ in 0..if n < 1000 { 600 } else { 5 } {
                assert_eq!(left(&*either, &arguments), expected, "{name}, {n}\n{program}");
            }
        }
    }
}

/// Derivatives are programs like others.
#[test]
fn derivatives_have_the_same_bits() -> Result<()> {
    for (name, text, arguments) in CASES {
        let Ok(program) = program(text).jvp() else { continue };
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [3, 40, 700] {
            let mut all = arguments(n);
            all.extend(arguments(n));
            assert_eq!(left(&*with, &all), left(&*without, &all), "{name}, {n}\n{program}");
        }
    }
    Ok(())
}

/// How many steps a run takes.
fn steps(prepared: &dyn Prepared, arguments: &[Value<f64>]) -> u64 {
    let seen = Mutex::new(0);
    let see = |steps| *seen.lock().expect("nothing panics") = steps;
    prepared.run(arguments, Control::default().with_progress(1, &see)).expect("it runs");
    seen.into_inner().expect("nothing panics")
}

#[test]
fn functions_take_no_more_steps() {
    for (name, text, arguments) in CASES {
        let program = program(text);
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [1, 17, 300, 5000] {
            let arguments = arguments(n);
            let (with, without) = (steps(&*with, &arguments), steps(&*without, &arguments));
            // Steps are seen when they are looked at, and there may be more in the end.
            assert!(with <= without, "{name}, {n}: {with} and {without}\n{program}");
            assert!(2 * with + 2048 >= without, "{name}, {n}: {with} and {without}\n{program}");
        }
    }
}

/// Lanes that never end are ended, within the function as well.
#[test]
fn functions_are_ended() -> Result<()> {
    let text = "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 =
      map (\\k -> (loop (y, j) = (1, k) while j >= 0 do (y + xs[j], (j * 5 + 1) % n)).0) at";
    let compiled = program(text).compile_on(&NativeLanes)?;
    let limits = Limits { steps: 100_000, ..Limits::default() };
    for n in [1, 20, 2000] {
        let error = compiled.run_within(&[places(n), reals(n)], &limits).unwrap_err();
        assert!(matches!(error, catadiff::Error::Budget { what: "steps", limit: 100_000, .. }), "{error}");
    }
    Ok(())
}

/// What is wrong in one lane ends the run, as it does in blocks.
#[test]
fn faults_are_those_of_blocks() {
    let texts = [
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 = map (\\k -> if k < 7 then xs[k - 3] else 1) at",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 = map (\\k -> xs[10 / k]) at",
        "entry main [n] (at: [n]i64) (xs: [n]f64): [n]f64 = map (\\k -> f64.sum (map (\\j -> xs[j * k]) (iota (k % 7)))) at",
    ];
    for text in texts {
        let program = program(text);
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [0, 1, 2, 5, 40, 3000] {
            let arguments = [places(n), reals(n)];
            assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{n}\n{program}");
            executors::same(&NativeLanes, &program, &arguments).unwrap_or_else(|e| panic!("{n}: {e}\n{program}"));
        }
    }
}
