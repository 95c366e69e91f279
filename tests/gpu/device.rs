//! Devices: what they refuse is an error.

use std::sync::atomic::{AtomicU64, Ordering};

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota, loop_for};
use catadiff::execute::gpu::{Counts, Gpu, counts, self_test, wgpu};
use catadiff::execute::{Executor, Fault, FaultKind, Flat, Interpreter, Lanes, Outcome, RunReport};
use catadiff::interpret::{Cancel, Control, Limits, Scalar, Value};
use catadiff::{Elementary, Error, Result};

use crate::{gpu, opened};

fn sum() -> Result<Program> {
    Program::trace(|n: I64| iota(n).map(|k| k.to_f64()).sum())
}

#[test]
fn copies_are_one_device() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    assert!(!gpu.name().is_empty());
    let other = gpu.clone();
    let found: Vec<f64> = [gpu, other].iter().map(|gpu| sum()?.compile_on(gpu)?.at(70_000)).collect::<Result<_>>()?;
    assert_eq!(found, [70_000.0 * 69_999.0 / 2.0; 2]);
    Ok(())
}

#[test]
fn an_array_beyond_the_limits_is_an_error_and_the_next_run_is_well() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let squares = Program::trace(|n: I64| iota(n).map(|k| k.to_f64() * k.to_f64()).reverse())?.compile_on(&gpu)?;
    let error = squares.at::<Vec<f64>>(1_i64 << 31).unwrap_err();
    let Error::Device { what } = error else { panic!("{error}") };
    assert!(what.contains("17179869184 bytes"), "{what}");
    assert_eq!(squares.at::<Vec<f64>>(3)?, [4.0, 1.0, 0.0]);
    Ok(())
}

/// Kernels that a run does not start are not asked about; those that it starts are, before it computes anything.
#[test]
fn arrays_beyond_those_that_are_bound_at_once_matter_where_they_are_used() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    let few = opened("of few arrays", |all| wgpu::Limits { max_storage_buffers_per_shader_stage: 8, ..all });
    let names: Vec<usize> = (0..12).collect();
    let list = |of: &dyn Fn(&usize) -> String| names.iter().map(of).collect::<Vec<_>>().join(", ");
    let sums: Vec<String> =
        (1..12).map(|k| format!("let s{k}: f32 = add({}{}, x{k})", if k == 1 { "x" } else { "s" }, k - 1)).collect();
    let (params, arrays) = (list(&|k| format!("a{k}: []f32")), list(&|k| format!("a{k}")));
    let all = format!("map ({arrays}) |{}| {{ {} return s11 }}", list(&|k| format!("x{k}: f32")), sums.join("\n"));
    let many = Program::parse(&format!("program ({params}) {{ let s: []f32 = {all} return s }}"))?;
    let refused = few.prepare(&many)?.unwrap_err();
    assert!(refused.reason.contains("more arrays") && refused.statement.is_some(), "{refused}");

    let perhaps = format!(
        "program (n: i64, {params}) {{
            let is: bool = lt(n, 0i64)
            let s: []f32 = if is {{ let s: []f32 = {all} return s }} else {{ return a0 }}
            return s
        }}"
    );
    let ready = Program::parse(&perhaps)?.compile_on(&few)?;
    let arguments = |n: i64| -> Result<Vec<Value<f64>>> {
        let ones = Value::array(&[3], vec![Scalar::F32(1.0); 3])?;
        Ok(core::iter::once(Value::from(n)).chain(core::iter::repeat_n(ones, 12)).collect())
    };
    let run = |n: i64| -> Result<_> { Ok(ready.run_reported(&arguments(n)?, &Limits::default())) };
    let (found, report) = run(1)?;
    assert_eq!((found?, report), (vec![Value::array(&[3], vec![Scalar::F32(1.0); 3])?], RunReport::Bare));
    let (found, report) = run(-1)?;
    assert_eq!(found?, [Value::array(&[3], vec![Scalar::F32(12.0); 3])?]);
    let RunReport::Unsupported(refused) = report else { panic!("{report:?}") };
    assert!(refused.reason.contains("more arrays") && refused.statement.is_some(), "{refused}");
    Ok(())
}

#[test]
fn runs_from_many_threads_are_runs() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?.compile_on(&gpu)?;
    std::thread::scope(|scope| {
        for k in 1..9 {
            let dot = &dot;
            scope.spawn(move || {
                let x = vec![f64::from(k); 1000 * k as usize];
                for _ in 0..30 {
                    assert_eq!(dot.at::<f64>((&x, &x)), Ok(f64::from(1000 * k * k * k)));
                }
            });
        }
    });
    Ok(())
}

#[test]
fn a_device_that_is_lost_is_an_error() -> Result<()> {
    if gpu().is_none() {
        return Ok(());
    }
    let gpu = Gpu::new()?;
    let ready = sum()?.compile_on(&gpu)?;
    assert_eq!(ready.at::<f64>(5)?, 10.0);
    gpu.destroy();
    assert!(matches!(ready.at::<f64>(5), Err(Error::Device { .. })));
    Ok(())
}

#[test]
fn a_kernel_of_too_many_arrays_is_unsupported_and_the_interpreter_runs_it() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let map = |k: usize| {
        format!("let ys{k}: []f64 = map (xs) |x{k}: f64| {{ let y{k}: f64 = add(x{k}, {k}.0f64) return y{k} }}\n")
    };
    let maps: String = (0..200).map(map).collect();
    let results: Vec<String> = (0..200).map(|k| format!("ys{k}")).collect();
    let program = Program::parse(&format!("program (xs: []f64) {{ {maps} return {} }}", results.join(", ")))?;
    let argument = [Value::new([1.0, 2.0])?];
    let (found, report) = program.compile_on(&gpu)?.run_reported(&argument, &Limits::default());
    assert_eq!(found?, program.run(&argument)?);
    match report {
        RunReport::Unsupported(unsupported) => assert!(unsupported.reason.contains("arrays"), "{unsupported}"),
        report => assert_eq!(report, RunReport::Bare),
    }
    Ok(())
}

/// Runs a program of one argument.
fn on(executor: &dyn Executor, program: &Program, argument: &Value<f64>) -> Result<Outcome> {
    match executor.prepare(program)? {
        Ok(prepared) => prepared.run(core::slice::from_ref(argument), Control::default()),
        Err(unsupported) => Ok(Outcome::Unsupported(unsupported)),
    }
}

#[test]
fn what_computes_wrongly_is_refused() -> Result<()> {
    self_test(|program, argument| on(&Lanes, program, argument), "lanes")?;
    self_test(|program, argument| on(&Interpreter, program, argument), "the interpreter")?;
    // As old drivers leave loops, as elementary functions are off in a few digits, and as a scan drops what another thread found.
    let loops: fn(&Value<f64>) -> Value<f64> = |x| match x {
        Value::Scalar(Scalar::I64(n)) => (*n).min(65_535).into(),
        other => other.clone(),
    };
    let reals: fn(&Value<f64>) -> Value<f64> = |x| x.map(|x| x * (1.0 + 1e-14));
    let scans: fn(&Value<f64>) -> Value<f64> = |x| match Flat::from(x).as_integers() {
        Some(all) if all.len() > 1 => {
            let dropped = all.iter().map(|n| if *n == 16_384 { 0 } else { *n }).collect();
            Flat::integers(&[all.len()], dropped).expect("as many").to_value()
        }
        _ => x.clone(),
    };
    for (mistake, part) in [(loops, "a loop"), (reals, "the exponential function"), (scans, "a scan")] {
        let mistaken = |program: &Program, argument: &Value<f64>| on(&Interpreter, program, &mistake(argument));
        let error = self_test(mistaken, "a driver").unwrap_err().to_string();
        assert!(error.contains("a driver computes wrongly: ") && error.contains(part), "{error}");
    }
    Ok(())
}

#[test]
fn an_index_that_no_array_has_is_outside_of_all() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let text = |index: &str| {
        format!(
            "program (xs: []f64) {{
            let ys: []f64 = map (xs) |x: f64| {{ let y: f64 = xs[{index}] let z: f64 = add(x, y) return z }}
            return ys
        }}"
        )
    };
    for index in ["3i64", "5000000000i64", "-1i64", "-9223372036854775808i64"] {
        let program = Program::parse(&text(index))?;
        let argument = [Value::new([1.0, 2.0, 3.0])?];
        let (found, report) = program.compile_on(&gpu)?.run_reported(&argument, &Limits::default());
        assert_eq!(found, program.run(&argument));
        assert!(matches!(report, RunReport::Fault(_)), "{index}: {report:?}");
    }
    Ok(())
}

#[test]
fn a_long_run_is_cancelled_where_the_device_is() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    // An array that each iteration reads all of before it is changed, a million times: hours.
    let long = Program::trace(|x: Arr<F64>, n: I64| loop_for(n, x, |_, x: Arr<F64>| x.map(|y| y - x.sum().sin())))?;
    let prepared = gpu.prepare(&long)?.expect("a GPU can run it");
    let arguments = [Value::new(vec![0.5; 3000])?, Value::from(1_000_000_i64)];
    let (cancel, steps) = (Cancel::new(), AtomicU64::new(0));
    let tell = |taken| {
        steps.fetch_max(taken, Ordering::Relaxed);
    };
    let outcome = std::thread::scope(|scope| {
        let control = Control::from(&Limits { steps: u64::MAX, ..Limits::default() });
        let control = control.cancelled_by(&cancel).with_progress(1, &tell);
        let run = scope.spawn(|| prepared.run(&arguments, control));
        while steps.load(Ordering::Relaxed) == 0 && !run.is_finished() {
            std::thread::yield_now();
        }
        cancel.cancel();
        run.join().expect("it ends")
    })?;
    assert!(matches!(&outcome, Outcome::Fault(Fault { kind: FaultKind::Cancelled, .. })), "{outcome:?}");
    // A kernel takes 3001 steps. The run had begun no more of them than fit what a device is given, and what waits for it.
    assert!(steps.into_inner() < 3001 * 5000);
    Ok(())
}

#[test]
fn what_is_submitted_at_once_is_of_bounded_work() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let steps = Program::trace(|x: Arr<F64>, n: I64| loop_for(n, x, |_, x: Arr<F64>| x.map(|y| y - x.sum().sin())))?;
    let run = |elements: usize, n: i64| -> Result<Counts> {
        let arguments = [Flat::reals(&[elements], vec![0.5; elements])?, Flat::integers(&[], vec![n])?];
        Ok(counts(&gpu, &steps, &arguments)?.expect("it comes to its end"))
    };
    let (light, heavy) = (run(10, 100)?, run(3000, 100)?);
    assert!(light.submissions <= 2 && heavy.submissions > 4, "{light:?}, {heavy:?}");
    Ok(())
}
