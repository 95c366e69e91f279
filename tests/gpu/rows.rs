//! Reductions of rows in the memory of workgroups, where these have whole rows.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for, replicate};
use catadiff::execute::gpu::{counts, kernels, narrow_kernels};
use catadiff::execute::{Flat, Machine};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};

use crate::gpu;

fn reals(sizes: &[usize]) -> Value<f64> {
    Value::reals(sizes, (0..sizes.iter().product::<usize>()).map(|k| (k % 5) as f64 - 1.0)).unwrap()
}

/// Runs a program on these arguments: how many kernels that takes, and how many bytes of arrays these move.
fn asked(program: &Program, arguments: &[Value<f64>]) -> Result<Option<(usize, u64)>> {
    let Some(gpu) = gpu() else { return Ok(None) };
    // These sums are exact.
    assert_eq!(program.compile_on(&gpu)?.run(arguments)?, program.run(arguments)?);
    let flat: Vec<Flat> = arguments.iter().map(Flat::from).collect();
    let counts = counts(&gpu, program, &flat)?.expect("it comes to its end");
    assert_eq!(counts.readbacks, 0);
    Ok(Some((counts.dispatches, counts.bytes)))
}

#[test]
fn rows_of_a_workgroup_are_one_kernel_and_in_no_array() -> Result<()> {
    let dots = Program::trace(|x: Arr<Arr<F64>>, y: Arr<F64>| x.map(|row| row.dot(y).abs() + 1.0))?;
    for (n, columns) in [(1000, 300), (520, 1000), (65, 1000)] {
        let Some((kernels, bytes)) = asked(&dots, &[reals(&[n, columns]), reals(&[columns])])? else { return Ok(()) };
        assert_eq!((kernels, bytes), (1, 8 * (n * columns + columns + n) as u64), "{n} rows of {columns}");
    }
    // Rows that are longer than a workgroup are put together by another kernel.
    let (n, columns) = (2, 1 << 14);
    let (kernels, bytes) = asked(&dots, &[reals(&[n, columns]), reals(&[columns])])?.expect("there is a device");
    assert!(kernels > 1 && bytes > 8 * (n * columns + columns + n) as u64);
    Ok(())
}

/// Two numbers of each part, of two kinds.
#[test]
fn rows_of_pairs() -> Result<()> {
    let nearest =
        Program::trace(|x: Arr<Arr<F64>>, y: Arr<F64>| x.map(|row| row.map2(y, |x, y| (x - y).abs()).argmin()))?
            .simplified();
    for (n, columns) in [(1000, 300), (600, 400)] {
        let Some((kernels, bytes)) = asked(&nearest, &[reals(&[n, columns]), reals(&[columns])])? else {
            return Ok(());
        };
        assert_eq!((kernels, bytes), (1, 8 * (n * columns + columns + n) as u64), "{n} rows of {columns}");
    }
    Ok(())
}

/// What lanes have for themselves leaves room for fewer workgroups than there are rows for, so that each takes rows more than once.
#[test]
fn workgroups_take_rows_after_rows() -> Result<()> {
    let sums = Program::trace(|x: Arr<Arr<F64>>| {
        let inside = |x: F64| {
            let steps = loop_for(300, replicate(300, F64::from(0.0)), |k, steps| steps.with(k, k.to_f64() * x));
            loop_for(300, F64::from(0.0), |k, sum: F64| sum + steps.index(299 - k))
        };
        x.map(|row| row.map(inside).sum())
    })?;
    let Some(gpu) = gpu() else { return Ok(()) };
    let arguments = [Flat::from(&reals(&[1000, 64]))];
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    sums.compile_on(&gpu)?.run_into(&arguments, &mut found)?;
    sums.compile()?.run_into(&arguments, &mut expected)?;
    assert!(found == expected);
    let asked = counts(&gpu, &sums, &arguments)?.expect("it comes to its end");
    assert!(asked.dispatches == 1 && asked.threads < 64_000, "{asked:?}");
    Ok(())
}

/// That threads wait for each other may be seen in texts alone: a device may happen to run them in order.
#[test]
fn threads_wait_before_and_after_what_they_share() -> Result<()> {
    let dots = Program::trace(|x: Arr<Arr<F64>>, y: Arr<F64>| x.map(|row| row.dot(y)))?;
    let machine = Machine { threads: 1 << 16, work: 512 };
    let rows = dots.distributed(&[reals(&[1000, 300]), reals(&[300])], machine).expect("few rows fill nothing");
    let sums = Program::parse(
        "program (bins: []f32, is: []i64, xs: []f32) {
            let found: []f32 = hist (bins) at is (xs) from (0.0f32) |a: f32, b: f32| { let c: f32 = add(a, b) return c }
            return found
        }",
    )?;
    for (name, texts) in [("near", kernels(&rows)), ("near", narrow_kernels(&rows)), ("copy", narrow_kernels(&sums))] {
        let texts = texts.expect("a GPU can run it");
        let shared: Vec<&String> =
            texts.iter().filter(|text| text.contains(&format!("var<workgroup> {name}"))).collect();
        assert!(!shared.is_empty(), "{name}");
        assert!(shared.iter().all(|text| text.matches("workgroupBarrier();").count() == 2), "{name}");
    }
    Ok(())
}
