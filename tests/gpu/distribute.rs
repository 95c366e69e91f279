//! Programs that are distributed: as wide as a machine asks, where there is work for it, and no wider.
//!
//! That they give what they gave, tests/laws/executors.rs says of all programs that the laws draw.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::execute::gpu::counts;
use catadiff::execute::{Flat, Machine};
use catadiff::interpret::Value;

use crate::gpu;

const MACHINE: Machine = Machine { threads: 1 << 16, work: 512 };

fn reals(sizes: &[usize]) -> Value<f64> {
    Value::reals(sizes, (0..sizes.iter().product::<usize>()).map(|k| (k % 5) as f64)).unwrap()
}

/// What is distributed gives what was given: these sums are exact.
fn distributed(program: &Program, arguments: &[Value<f64>]) -> Result<Option<Program>> {
    let Some(wide) = program.distributed(arguments, MACHINE) else { return Ok(None) };
    wide.verify()?;
    assert_eq!(wide.run(arguments)?, program.run(arguments)?);
    Ok(Some(wide))
}

fn threads(program: &Program, arguments: &[Value<f64>]) -> Result<Option<u64>> {
    let arguments: Vec<Flat> = arguments.iter().map(Flat::from).collect();
    let Some(gpu) = gpu() else { return Ok(None) };
    Ok(counts(&gpu, program, &arguments)?.map(|counts| counts.threads))
}

#[test]
fn what_fills_a_machine_stays() -> Result<()> {
    let rows = Program::trace(|x: Arr<Arr<F64>>| x.map(|row| row.map(|x| x * x).sum()))?;
    assert!(distributed(&rows, &[reals(&[1 << 16, 3])])?.is_none());
    // There is too little to do in each.
    assert!(distributed(&rows, &[reals(&[40, 20])])?.is_none());
    Ok(())
}

#[test]
fn sums_of_few_long_rows_are_sums_of_parts() -> Result<()> {
    let rows = Program::trace(|x: Arr<Arr<F64>>, y: Arr<F64>| x.map(|row| row.dot(y)))?;
    for (n, columns) in [(2, 4096), (3, 1000), (7, 8191), (40, 1025)] {
        let arguments = [reals(&[n, columns]), reals(&[columns])];
        assert!(distributed(&rows, &arguments)?.is_some());
        if let Some(threads) = threads(&rows, &arguments)? {
            let parts = (n * columns / 64).min(1 << 16) as u64;
            assert!(threads >= parts / 2, "{n} rows of {columns}: {threads} threads");
        }
    }
    Ok(())
}

#[test]
fn maps_in_maps_are_as_wide_as_both() -> Result<()> {
    let products = Program::trace(|x: Arr<Arr<F64>>, y: Arr<Arr<F64>>| {
        x.map(|x| {
            let far = y.map(|y| (x - y).map(|d| d * d).sum());
            far.map(|d| d + far.max()).sum()
        })
    })?;
    let arguments = [reals(&[30, 16]), reals(&[50, 16])];
    let wide = distributed(&products, &arguments)?.expect("30 threads fill nothing");
    assert!(wide.function().body.stms.len() > products.simplified().function().body.stms.len());
    if let Some(threads) = threads(&products, &arguments)? {
        assert!(threads >= 30 * 50, "{threads} threads");
    }
    Ok(())
}

#[test]
fn what_elements_add_to_an_array_is_a_sum_for_each_place() -> Result<()> {
    let gradient = Program::trace(|a: Arr<Arr<Arr<F64>>>, b: Arr<Arr<F64>>, x: Arr<Arr<F64>>| {
        x.map(|x| a.map2(b, |a, b| (a.matvec(x) - b).map(|y| y * y).sum()).map(|d| d * d).sum()).sum()
    })?
    .grad([0, 1])?;
    let arguments = [reals(&[6, 8, 10]), reals(&[6, 8]), reals(&[50, 10])];
    assert!(gradient.to_string().contains("accumulator("), "{gradient}");
    let wide = distributed(&gradient, &arguments)?.expect("it adds arrays");
    assert!(!wide.to_string().contains("accumulator("), "{wide}");
    Ok(())
}

/// By an operator that does not commute, of rows that are computed, and of a function of two maps.
#[test]
fn scans_of_few_long_rows_are_as_wide_as_all_rows() -> Result<()> {
    let scans = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| {
        let rows = a.map2(b, |a, b| {
            let both = a.map(|x| x - 1.0).map2(b, |x, y| (x, y));
            let (x, _) = both.scan((F64::from(1.0), F64::from(0.0)), |(x, y), (z, w)| (x * z, y * z + w)).unzip();
            x
        });
        let sums = a.map(|a| b.map(|b| (a + b).scan(F64::from(0.0), |x, y| x + y)));
        (rows, sums)
    })?;
    for (n, length) in [(3, 512), (2, 4097), (7, 600)] {
        let arguments = [0, 1].map(|_| Value::reals(&[n, length], (0..n * length).map(|k| (k % 3) as f64)).unwrap());
        let wide = distributed(&scans, &arguments)?.expect("few rows fill nothing");
        let outermost = |stm: &catadiff::array::Stm| matches!(stm.op, catadiff::array::Op::Scan(_));
        assert_eq!(wide.function().body.stms.iter().filter(|stm| outermost(stm)).count(), 2, "{wide}");
        if let Some(threads) = threads(&scans, &arguments)? {
            assert!(threads >= (n * n * length) as u64, "{n} rows of {length}: {threads} threads");
        }
        if let Some(gpu) = gpu() {
            let found = scans.compile_on(&gpu)?.run(&arguments)?;
            assert!(found == scans.run(&arguments)?, "{n} rows of {length}");
        }
    }
    let few = [reals(&[3, 100]), reals(&[3, 100])];
    let scans_rows = |program: &Program| program.to_string().contains("reshape(");
    assert!(!distributed(&scans, &few)?.is_some_and(|wide| scans_rows(&wide)));
    Ok(())
}
