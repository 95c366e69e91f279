//! Devices: what they refuse is an error.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota};
use catadiff::execute::RunReport;
use catadiff::execute::gpu::Gpu;
use catadiff::interpret::{Limits, Value};
use catadiff::{Error, Result};

use crate::gpu;

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
