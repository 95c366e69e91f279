//! Integers of 32 bits: a device that has no others runs what these are enough for, and says so of all else.

use std::sync::OnceLock;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, I64, iota, loop_for};
use catadiff::execute::gpu::{Gpu, check, counts, narrow_kernels};
use catadiff::execute::{Executor, Flat, RunReport};
use catadiff::interpret::{Limits, Scalar, Value};
use catadiff::{Elementary, Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, for_all};

use crate::{gpu, opened};

/// The GPU of this machine, opened without integers of 64 bits and without double precision.
fn narrow_gpu() -> Option<Gpu> {
    static OPENED: OnceLock<Gpu> = OnceLock::new();
    gpu()?;
    Some(OPENED.get_or_init(|| opened("without integers of 64 bits", |all| all)).clone())
}

const SIZES: [usize; 5] = [0, 1, 17, 257, 1000];

/// Some numbers of single precision, of these sizes.
fn singles(sizes: &[usize], seed: usize) -> Value<f64> {
    let count: usize = sizes.iter().product();
    let element = |k: usize| Scalar::F32(((k * 7919 + seed * 104_729) % 1000) as f64 / 1000.0);
    Value::array(sizes, (0..count).map(element).collect()).expect("as many as the sizes say")
}

fn integers(all: impl IntoIterator<Item = i64>) -> Result<Value<f64>> {
    Value::new(all.into_iter().collect::<Vec<i64>>())
}

/// Runs a program on a device, which is to do it by itself, and compares its results with those of the reference.
fn agrees(gpu: &Gpu, program: &Program, arguments: &[Value<f64>]) -> Result<()> {
    let (found, report) = program.compile_on(gpu)?.run_reported(arguments, &Limits::default());
    assert_eq!(report, RunReport::Bare, "{program}");
    for (found, expected) in found?.iter().zip(program.run(arguments)?) {
        let (found, expected) = (Flat::from(found), Flat::from(&expected));
        assert_eq!((found.sizes(), found.as_integers()), (expected.sizes(), expected.as_integers()), "{program}");
        if let (Some(x), Some(y)) = (found.as_singles(), expected.as_singles()) {
            let largest = y.iter().fold(0.0, |most: f32, y| most.max(y.abs()));
            // A sum of a thousand parts of 1 is off by about 1e-6.
            let bound = 1e-5 * largest + 2e-6;
            let close = |(x, y): &(&f32, &f32)| x == y || (x.is_nan() && y.is_nan()) || (*x - *y).abs() <= bound;
            let wrong = x.iter().zip(y).find(|pair| !close(pair));
            assert!(wrong.is_none(), "{wrong:?}, beyond {bound}, in {program}");
        }
    }
    Ok(())
}

fn k_means() -> Result<Program> {
    Program::trace(|points: Arr<Arr<F32>>, centres: Arr<Arr<F32>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
}

#[test]
fn k_means_with_its_derivatives() -> Result<()> {
    let Some(gpu) = narrow_gpu() else { return Ok(()) };
    let (cost, gradient) = (k_means()?, k_means()?.grad(1)?);
    let newton = gradient.jvp_wrt(1)?;
    let direction = Program::trace(|points: Arr<Arr<F32>>, centres: Arr<Arr<F32>>| {
        let ones = centres.zeros_like() + 1.0;
        let (gradient, diagonal): (Arr<Arr<F32>>, Arr<Arr<F32>>) = newton.call((points, centres, ones));
        gradient / diagonal
    })?;
    for n in SIZES {
        for k in [1, 5] {
            let arguments = [singles(&[n, 2], 1), singles(&[k, 2], 2)];
            for program in [&cost, &gradient, &direction.simplified()] {
                agrees(&gpu, program, &arguments)?;
            }
        }
    }
    Ok(())
}

#[test]
fn sums_scans_histograms_and_gathers() -> Result<()> {
    let Some(gpu) = narrow_gpu() else { return Ok(()) };
    let lse = Program::trace(|x: Arr<F32>| {
        let most = x.max();
        x.map(|x| (x - most).exp()).sum().ln() + most
    })?;
    let histogram = "program (xs: []i64, ws: []f32) {
        let sums: []f32 = scan (ws) from (0.0f32) |a: f32, b: f32| { let c: f32 = add(a, b) return c }
        let counts: []i64 = scan (xs) from (0i64) |a: i64, b: i64| { let c: i64 = add(a, b) return c }
        let none: []i64 = replicate(7i64, 0i64)
        let zero: []f32 = replicate(7i64, 0.0f32)
        let many: []i64 = hist (none) at xs (xs) from (0i64) |a: i64, b: i64| { let c: i64 = add(a, b) return c }
        let all: []f32 = hist (zero) at xs (ws) from (0.0f32) |a: f32, b: f32| { let c: f32 = add(a, b) return c }
        let gathered: []f32 = map (xs) |x: i64| { let y: f32 = all[x] return y }
        return sums, counts, many, all, gathered
    }";
    let histogram = Program::parse(histogram)?;
    let extremes = Program::trace(|x: Arr<F32>, k: Arr<I64>| (x.argmin(), x.argmax(), k.min(), k.max(), k.sum()))?;
    for n in SIZES {
        agrees(&gpu, &lse, &[singles(&[n], 3)])?;
        agrees(&gpu, &lse.grad(0)?, &[singles(&[n], 3)])?;
        agrees(&gpu, &histogram, &[integers((0..n as i64).map(|k| k * 5 % 7))?, singles(&[n], 4)])?;
        agrees(&gpu, &extremes, &[singles(&[n], 5), integers((0..n as i64).map(|k| k * 31 % 1009 - 500))?])?;
    }
    Ok(())
}

#[test]
fn what_needs_more_than_32_bits_is_said() -> Result<()> {
    let Some(gpu) = narrow_gpu() else { return Ok(()) };
    let next = Program::trace(|x: Arr<I64>| x.map(|x| x + 1))?;
    let ready = next.compile_on(&gpu)?;
    let run = |n: i64| {
        let (found, report) = ready.run_reported(&[integers([0, n])?], &Limits::default());
        Ok((found?.remove(0), report))
    };
    assert_eq!(run(i64::from(i32::MAX) - 2)?, (integers([1, i64::from(i32::MAX) - 1])?, RunReport::Bare));
    for n in [i64::from(i32::MAX) - 1, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 40, i64::MAX, i64::MIN] {
        let (found, report) = run(n)?;
        assert_eq!(found, integers([1, n.wrapping_add(1)])?);
        let RunReport::Unsupported(unsupported) = report else { panic!("{n}: {report:?}") };
        assert!(unsupported.reason.contains("SHADER_INT64"), "{unsupported}");
        let resident = gpu.put(&Flat::integers(&[1], vec![n])?)?;
        let error = ready.run_on(&[&resident], &mut Vec::new()).unwrap_err();
        assert!(matches!(&error, Error::Device { what } if what.contains("SHADER_INT64")), "{error}");
        // It is there as it was.
        assert_eq!(gpu.get(&resident)?.as_integers(), Some(&[n][..]));
    }
    // What runs leave is known in the runs after.
    let mut state = vec![gpu.put(&Flat::integers(&[1], vec![i64::from(i32::MAX) - 10])?)?];
    ready.repeat(8, &mut state, &[])?;
    assert_eq!(gpu.get(&state[0])?.as_integers(), Some(&[i64::from(i32::MAX) - 2][..]));
    assert!(matches!(ready.repeat(3, &mut state, &[]), Err(Error::Device { .. })));
    let doubles = Program::parse("program (x: f64) { let y: f64 = exp(x) return y }")?;
    let unsupported = gpu.prepare(&doubles)?.unwrap_err();
    assert!(unsupported.reason.contains("SHADER_F64"), "{unsupported}");
    Ok(())
}

#[test]
fn where_there_are_64_bits_they_are_taken_where_they_may_be_needed() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let points = [Flat::from(&singles(&[100, 2], 1)), Flat::from(&singles(&[5, 2], 2))];
    let found = counts(&gpu, &k_means()?.grad(1)?, &points)?.expect("it is run");
    assert_eq!(found.narrow, found.dispatches);
    let products = Program::trace(|n: I64, by: I64| iota(n).map(|k| k * by))?;
    for (by, narrow) in [(1 << 20, 1), (1 << 24, 0)] {
        let arguments = [256, by].map(|n| Flat::integers(&[], vec![n]).expect("one"));
        assert_eq!(counts(&gpu, &products, &arguments)?.expect("it is run").narrow, narrow, "{by}");
    }
    let programs = [
        Program::trace(|n: I64, by: I64| iota(n).map(|k| k * by))?,
        Program::trace(|n: I64, by: I64| (iota(n).map(|k| k * by).sum(), iota(n).map(|k| by - k).min()))?,
        Program::trace(|n: I64, by: I64| iota(n).map(|k| loop_for(k, by, |_, x| x * 3 + 1)))?,
    ];
    for by in [3, 1 << 20, 1 << 31, -(1 << 31), 1 << 45, i64::MAX, i64::MIN] {
        for program in &programs {
            for n in [0_i64, 1, 70, 5000].into_iter().take(if by == 3 { 4 } else { 3 }) {
                agrees(&gpu, program, &[n.into(), by.into()])?;
            }
        }
    }
    Ok(())
}

#[test]
fn narrow_kernels_of_random_programs_are_wgsl() -> Verdict {
    for_all(|random: ArrayProgram| {
        let program = random.program();
        for kernel in narrow_kernels(&program).unwrap_or_default() {
            check(&kernel).unwrap_or_else(|error| panic!("{error}\n{kernel}\nof {program}"));
        }
        Ok(())
    })
}
