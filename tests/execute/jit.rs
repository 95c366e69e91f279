//! Scalar code as code of the processor: it computes what instructions compute, bit for bit, takes their steps, and stops where they do.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use catadiff::array::trace::{F64, I64, iota, loop_for, loop_while};
use catadiff::array::{IntegerRow, Prim, Program};
use catadiff::execute::{Executor, InstructionLanes, NativeLanes, Outcome, Prepared};
use catadiff::interpret::{Cancel, Control, Limits, Value};
use catadiff::primitives::Primitive;
use catadiff::{Elementary, Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, executors, for_all};

fn on(executor: &dyn Executor, program: &Program) -> Box<dyn Prepared> {
    let prepared = executor.prepare(program).unwrap_or_else(|e| panic!("{e}\n{program}"));
    prepared.unwrap_or_else(|unsupported| panic!("{unsupported:?}\n{program}"))
}

/// What a run left, of which two are the same if all bits are; what is no number has no other.
fn left(prepared: &dyn Prepared, arguments: &[Value<f64>]) -> String {
    match prepared.run(arguments, Control::default()) {
        Ok(Outcome::Done { results, stepwise }) => {
            let shown: Vec<String> = results.iter().map(|value| format!("{value:?}")).collect();
            format!("{stepwise} {}", shown.join(" "))
        }
        other => format!("{other:?}"),
    }
}

/// The same bits with functions and without, and what the interpreter finds.
#[track_caller]
fn alike(program: &Program, all: &[Vec<Value<f64>>]) {
    assert!(NativeLanes.functions(program) > 0, "nothing is compiled:\n{program}");
    let (with, without) = (on(&NativeLanes, program), on(&InstructionLanes, program));
    for arguments in all {
        let (with, without) = (left(&*with, arguments), left(&*without, arguments));
        assert_eq!(with, without, "{program}\nat {arguments:?}");
        executors::same(&NativeLanes, program, arguments).unwrap_or_else(|e| panic!("{e}\n{program}"));
    }
}

fn parsed(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const REALS: [f64; 12] = [0.0, -0.0, 0.25, -0.75, 1.0, 1.5, 2.5, -3.0, 7.25, 1e-3, f64::INFINITY, f64::NAN];

#[test]
fn functions_of_reals() {
    for row in Primitive::ALL {
        let parameter = row.parameter().map_or(String::new(), |n| format!("[{n}]"));
        let operands = ["y", "v", "w"][..row.arity()].join(", ");
        // All of double precision, all of single, and what is rounded to one or the other.
        for (kind, other) in [("f64", "f64"), ("f32", "f32"), ("f32", "f64"), ("f16", "f64")] {
            let program = parsed(&format!(
                "program (x: {kind}, v: {kind}, w: {kind}, other: {other}, n: i64) {{
                   let r: {kind}, s: {other} = loop (y: {kind} = x, s: {other} = other) for k < n {{
                     let t: {kind} = {name}{parameter}({operands})
                     let o: {other} = {other}(t)
                     let p: {other} = mul(o, other)
                     let q: {other} = add(s, p)
                     return t, q
                   }}
                   return r, s
                 }}",
                name = row.name(),
            ));
            assert!(NativeLanes.functions(&program) > 0, "nothing is compiled:\n{program}");
            let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
            let real = |kind: &str, x: f64| match kind {
                "f64" => Value::from(x),
                "f32" => (x as f32).into(),
                _ => catadiff::primitives::f16::from_f64(x).into(),
            };
            for (k, x) in REALS.into_iter().enumerate() {
                let (v, w) = (REALS[(5 * k + 3) % REALS.len()], REALS[(7 * k + 4) % REALS.len()]);
                let arguments =
                    [real(kind, x), real(kind, v), real(kind, w), real(other, 0.75), Value::from((k % 3) as i64 + 1)];
                assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{program}\nat {arguments:?}");
            }
        }
    }
}

/// An integer of each kind, by its low bits.
fn integer(kind: Prim, n: i64) -> Value<f64> {
    match kind {
        Prim::I8 => (n as i8).into(),
        Prim::I16 => (n as i16).into(),
        Prim::I32 => (n as i32).into(),
        Prim::I64 => n.into(),
        Prim::U8 => (n as u8).into(),
        Prim::U16 => (n as u16).into(),
        Prim::U32 => (n as u32).into(),
        Prim::U64 => (n as u64).into(),
        other => panic!("{other:?} is no kind of integers"),
    }
}

const KINDS: [Prim; 8] = [Prim::I8, Prim::I16, Prim::I32, Prim::I64, Prim::U8, Prim::U16, Prim::U32, Prim::U64];
const INTEGERS: [i64; 10] = [0, 1, -1, 3, 100, -77, 1 << 31, i64::MAX, i64::MIN, 0x5555_aaaa_1234_8765];

#[test]
fn functions_of_integers() {
    for kind in KINDS {
        let name = kind.name();
        for row in IntegerRow::ALL.iter().map(|row| (row.name(), row.arity())).chain([("add", 2), ("mul", 2)]) {
            let operands = ["y", "v"][..row.1].join(", ");
            let program = parsed(&format!(
                "program (x: {name}, v: {name}, n: i64) {{
                   let r: {name}, c: i64 = loop (y: {name} = x, c: i64 = 0i64) for k < n {{
                     let t: {name} = {row}({operands})
                     let less = lt(t, y)
                     let least = le(v, t)
                     let both = mul(less, least)
                     let either = add(less, least)
                     let neither = not(either)
                     let d: i64 = i64(both)
                     let e: i64 = i64(neither)
                     let f = add(c, d)
                     let g = sub(f, e)
                     return t, g
                   }}
                   return r, c
                 }}",
                row = row.0,
            ));
            let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
            for x in INTEGERS {
                for v in INTEGERS {
                    let arguments = [integer(kind, x), integer(kind, v), Value::from(2_i64)];
                    assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{program}\nat {arguments:?}");
                }
            }
        }
    }
}

#[test]
fn conversions() {
    let kinds = KINDS.into_iter().chain([Prim::Bool, Prim::F16, Prim::F32, Prim::F64]);
    for kind in kinds {
        let name = kind.name();
        // From reals, and from integers with and without a sign, to this kind and on.
        let program = parsed(&format!(
            "program (x: f64, s: f32, i: i64, u: u64, n: i64) {{
               let a: {name}, b: {name}, c: {name}, d: {name}, z: f64, m: i64 =
                 loop (a: {name} = {name}.zero, b: {name} = {name}.zero, c: {name} = {name}.zero, d: {name} = {name}.zero,
                       z: f64 = 0.0f64, m: i64 = 0i64) for k < n {{
                 let y = add(x, z)
                 let a: {name} = {name}(y)
                 let b: {name} = {name}(s)
                 let j = add(i, m)
                 let c: {name} = {name}(j)
                 let d: {name} = {name}(u)
                 let z: f64 = f64(a)
                 let m: i64 = i64(d)
                 return a, b, c, d, z, m
               }}
               return a, b, c, d, z, m
             }}"
        ).replace(&format!("{name}.zero"), &zero(kind)));
        let reals = REALS.into_iter().chain([1e300, -1e300, 3e9, -129.5, 65520.0, 1e19]);
        let all: Vec<Vec<Value<f64>>> = reals
            .enumerate()
            .map(|(k, x)| {
                let n = INTEGERS[k % INTEGERS.len()];
                vec![x.into(), (x as f32).into(), n.into(), (n as u64).into(), 2_i64.into()]
            })
            .collect();
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        assert!(NativeLanes.functions(&program) > 0, "nothing is compiled:\n{program}");
        for arguments in all {
            assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{program}\nat {arguments:?}");
        }
    }
}

fn zero(kind: Prim) -> String {
    match kind {
        Prim::Bool => "false".into(),
        kind if kind.is_real() => format!("0.0{}", kind.name()),
        kind => format!("0{}", kind.name()),
    }
}

fn steps(steps: u64) -> Limits {
    Limits { steps, ..Limits::default() }
}

/// Programs whose loops are all in functions: for, while, one in another, and branches in them.
fn loops() -> Result<Vec<Program>> {
    Ok(vec![
        Program::trace(|n: I64| loop_for(n, F64::from(0.5), |_, x| x * (1.0 - x) * 2.0))?,
        Program::trace(|n: I64| {
            loop_while((F64::from(1.0), I64::from(0)), |(_, k)| k.lt(n), |(x, k)| (x * 1.5 - 2.0, k + 1)).0
        })?,
        Program::trace(|n: I64| {
            loop_for(n, F64::from(1.0), move |k, x| {
                let inner = loop_for(k % 7, x, |l, x| x + l.to_f64() * 0.25);
                loop_while(inner, |y| y.gt(10.0), |y| y * 0.5)
            })
        })?,
        // A function is called again and again, from a loop around a loop over lanes.
        Program::trace(|n: I64| {
            loop_for(n, F64::from(1.0), |k, x| {
                let y = loop_for(k % 5, x, |_, y| y * 0.75 + 0.5);
                y + iota(k % 3 + 20).map(|i| (i.to_f64() + y).sin()).sum()
            })
        })?,
    ])
}

#[test]
fn loops_take_the_steps_of_instructions() -> Result<()> {
    for program in loops()? {
        let all: Vec<Vec<Value<f64>>> = [0, 1, 2, 3, 10, 1000, 3000].map(|n: i64| vec![n.into()]).into();
        alike(&program, &all);
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [10_i64, 1000, 3000, 1 << 40] {
            // What is left of steps at the end, and where a run is ended, as the progress tells it.
            let told = |prepared: &dyn Prepared| {
                let told = Mutex::new(Vec::new());
                let tell = |steps| told.lock().expect("nothing panics").push(steps);
                let control = Control::from(&steps(9000)).with_progress(100, &tell);
                let ended = format!("{:?}", prepared.run(&[n.into()], control));
                (ended, told.into_inner().expect("nothing panics"))
            };
            assert_eq!(told(&*with), told(&*without), "{program}\nat {n}");
        }
    }
    Ok(())
}

#[test]
fn loops_are_ended_and_cancelled() -> Result<()> {
    for program in loops()? {
        let compiled = program.compile_on(&NativeLanes)?;
        let endless = [Value::from(1_i64 << 50)];
        let error = compiled.run_within(&endless, &steps(100_000)).unwrap_err();
        assert!(matches!(error, Error::Budget { what: "steps", limit: 100_000, .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains("\n  in: let") && (said.contains("loop") || said.contains("reduce")), "{said}");
        let cancel = Cancel::new();
        let stop = |_| cancel.cancel();
        let control = Control::default().cancelled_by(&cancel).with_progress(50_000, &stop);
        let error = compiled.run_within(&endless, control).unwrap_err();
        assert!(matches!(error, Error::Cancelled { .. }), "{error}");
        executors::same(&NativeLanes, &program, &[9_i64.into()]).unwrap_or_else(|e| panic!("{e}\n{program}"));
    }
    Ok(())
}

/// What the user's function throws passes through the function that called it, and the program runs on the next time.
#[test]
fn panics_of_users_pass_through() -> Result<()> {
    let program = Program::trace(|n: I64| loop_for(n, F64::from(0.5), |_, x| x * (1.0 - x) * 2.0))?;
    let compiled = program.compile_on(&NativeLanes)?;
    let tell = |_| panic!("enough");
    let control = || Control::default().with_progress(5000, &tell);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let ended = catch_unwind(AssertUnwindSafe(|| compiled.run_within(&[(1_i64 << 50).into()], control())));
    std::panic::set_hook(hook);
    assert_eq!(ended.unwrap_err().downcast_ref::<&str>(), Some(&"enough"));
    assert_eq!(compiled.run(&[1000_i64.into()])?, [0.5.into()]);
    Ok(())
}

/// Checks in functions end the run, and say what instructions say.
#[test]
fn faults_in_loops() {
    let programs = [
        // An index that is out of bounds some time, with a branch around it.
        "program (xs: []f64, n: i64, by: i64) {
           let s: f64 = loop (s: f64 = 0.0f64) for k < n {
             let late = lt(3i64, k)
             let t: f64 = if late {
               let place = mul(k, by)
               let x: f64 = xs[place]
               return x
             } else {
               return 1.0f64
             }
             let u = add(s, t)
             return u
           }
           return s
         }",
        // A division by nothing.
        "program (xs: []f64, n: i64, by: i64) {
           let s: i64 = loop (s: i64 = 1i64) for k < n {
             let rest = sub(by, k)
             let t = quot(s, rest)
             let u = add(t, 7i64)
             return u
           }
           let x = f64(s)
           return x
         }",
        // A size that is negative some time.
        "program (xs: []f64, n: i64, by: i64) {
           let s: f64 = loop (s: f64 = 1.0f64) for k < n {
             let much = sub(by, k)
             let all: []f64 = replicate(much, s)
             let count: i64 = size[0](all)
             let t = f64(count)
             let u = add(t, s)
             return u
           }
           return s
         }",
    ];
    for text in programs {
        let program = parsed(text);
        let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
        for n in [0_i64, 3, 5, 6, 9] {
            for by in [-1_i64, 0, 1, 2, 100] {
                let arguments = [Value::new(vec![0.5; 9]).expect("a vector is a value"), n.into(), by.into()];
                assert_eq!(left(&*with, &arguments), left(&*without, &arguments), "{program}\nat {arguments:?}");
                executors::same(&NativeLanes, &program, &arguments).unwrap_or_else(|e| panic!("{e}\n{program}"));
            }
        }
    }
}

/// Arrays that loops carry, give their sizes and exchange; what is read and written of them is elements.
#[test]
fn memory_in_loops() {
    let programs = [
        // An array that is new in each iteration, and takes the place of the one before.
        "program (xs: []f64, ys: []f64, n: i64) {
           let as: []f64 = [1.0f64, 2.0f64, 3.0f64, 4.0f64, 5.0f64]
           let a: []f64 = loop (b: []f64 = as) for k < n {
             let place = mod(k, 5i64)
             let x: f64 = b[place]
             let y: f64 = xs[place]
             let z = add(x, y)
             let w = mul(x, 0.5f64)
             let c: []f64 = [z, x, w, y, 1.0f64]
             return c
           }
           return a
         }",
        // Updates of integers and of truth values in place.
        "program (xs: []f64, ys: []f64, n: i64) {
           let counts: []i8 = replicate(5i64, 100i8)
           let seen: []bool = replicate(5i64, false)
           let c: []i8, s: []bool, total: f64 = loop (c: []i8 = counts, s: []bool = seen, total: f64 = 0.0f64) for k < n {
             let place = mod(k, 5i64)
             let x: i8 = c[place]
             let y = add(x, 9i8)
             let d: []i8 = c with [place] = y
             let was: bool = s[place]
             let not_yet = not(was)
             let t: []bool = s with [place] = not_yet
             let third = mod(k, 3i64)
             let z: f64 = xs[third]
             let sum: f64 = if was {
               let w = add(total, z)
               return w
             } else {
               return total
             }
             return d, t, sum
           }
           return c, s, total
         }",
    ];
    for text in programs {
        let program = parsed(text);
        let arrays = |a: &[f64], b: &[f64], n: i64| {
            vec![Value::new(a.to_vec()).expect("a value"), Value::new(b.to_vec()).expect("a value"), n.into()]
        };
        let all: Vec<Vec<Value<f64>>> = [0, 1, 2, 3, 7, 50, 2000]
            .map(|n| arrays(&[1.0, -2.0, 3.0, 0.5, 9.0], &[4.0, 5.0, -0.25, 1.0, 2.0], n))
            .into();
        alike(&program, &all);
    }
}

/// Loops that make arrays, within limits on elements.
#[test]
fn memory_is_limited_in_loops() -> Result<()> {
    let program = parsed(
        "program (n: i64) {
           let s: f64 = loop (s: f64 = 1.0f64) for k < n {
             let a: []f64 = replicate(k, s)
             let m: i64 = size[0](a)
             let last = sub(m, 1i64)
             let some = lt(0i64, m)
             let x: f64 = if some {
               let y: f64 = a[last]
               return y
             } else {
               return 2.0f64
             }
             let t = add(x, 0.5f64)
             return t
           }
           return s
         }",
    );
    let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
    for elements in [0, 1, 50, 1000] {
        for n in [0_i64, 1, 2, 40, 60, 300] {
            let ended = |prepared: &dyn Prepared| {
                let limits = Limits { elements, ..Limits::default() };
                format!("{:?}", prepared.run(&[n.into()], Control::from(&limits)))
            };
            assert_eq!(ended(&*with), ended(&*without), "at {n} within {elements}");
        }
    }
    Ok(())
}

/// Random programs: those with functions leave what those without leave, bit for bit.
#[test]
fn random_programs_have_the_same_bits() -> Verdict {
    let compiled = AtomicU64::new(0);
    let verdict = for_all(|p: ArrayProgram| {
        let program = p.program();
        let functions = NativeLanes.functions(&program);
        if functions > 0 {
            compiled.fetch_add(1, Ordering::Relaxed);
            let (with, without) = (on(&NativeLanes, &program), on(&InstructionLanes, &program));
            assert_eq!(left(&*with, &p.arguments()), left(&*without, &p.arguments()), "{program}");
        }
        Ok(())
    });
    assert!(compiled.into_inner() > 10, "few random programs have loops over scalars");
    verdict
}

/// How many bytes of functions there are in memory that no file is behind.
#[cfg(target_os = "linux")]
fn bytes_of_functions() -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a process has maps");
    let size = |line: &str| {
        let mut words = line.split_whitespace();
        let (range, rights, inode) = (words.next()?, words.next()?, words.nth(2)?);
        let (from, to) = range.split_once('-')?;
        let bound = |text| u64::from_str_radix(text, 16).ok();
        (rights.contains('x') && inode == "0").then_some(bound(to)? - bound(from)?)
    };
    maps.lines().filter_map(size).sum()
}

/// Functions are gone with their program.
#[test]
#[cfg(target_os = "linux")]
fn memory_of_functions_is_given_back() -> Result<()> {
    let program = Program::trace(|n: I64| loop_for(n, F64::from(0.5), |_, x| x * (1.0 - x) * 2.0))?;
    let at_once = 200;
    for _ in 0..5 {
        let many: Vec<_> = (0..at_once).map(|_| program.compile_on(&NativeLanes)).collect::<Result<_>>()?;
        assert!(bytes_of_functions() >= at_once * 4096, "{}", bytes_of_functions());
        for compiled in &many {
            assert_eq!(compiled.run(&[100_i64.into()])?, [0.5.into()]);
        }
        drop(many);
        // Other tests have some at the same time.
        assert!(bytes_of_functions() < at_once * 4096 / 2, "{}", bytes_of_functions());
    }
    Ok(())
}
