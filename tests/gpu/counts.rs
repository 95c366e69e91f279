//! What runs ask of a device: as few kernels as there are things to wait for, and the host waits for none of them.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::execute::Flat;
use catadiff::execute::gpu::{Counts, counts};
use catadiff::{Elementary, Result};

use crate::gpu;

fn run(program: &Program, arguments: &[Flat]) -> Result<Option<Counts>> {
    gpu().map_or(Ok(None), |gpu| counts(&gpu, program, arguments))
}

fn reals(sizes: &[usize]) -> Flat {
    Flat::reals(sizes, (0..sizes.iter().product()).map(|k| (k % 17) as f64 / 17.0).collect()).unwrap()
}

fn k_means() -> Result<Program> {
    Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
}

#[test]
fn a_reduction_is_two_kernels_that_nobody_waits_for() -> Result<()> {
    let norm = Program::trace(|x: Arr<F64>| x.map(|x| x * x).sum().sqrt())?;
    let Some(counts) = run(&norm, &[reals(&[100_000])])? else { return Ok(()) };
    assert_eq!((counts.dispatches, counts.readbacks), (2, 0));
    Ok(())
}

#[test]
fn the_cost_of_k_means_is_two_kernels() -> Result<()> {
    let Some(counts) = run(&k_means()?, &[reals(&[4000, 8]), reals(&[10, 8])])? else { return Ok(()) };
    assert_eq!((counts.dispatches, counts.readbacks), (2, 0));
    Ok(())
}

#[test]
fn the_gradient_of_k_means_is_four_kernels_for_any_number_of_centres() -> Result<()> {
    let gradient = k_means()?.grad(1)?;
    for centres in [2, 10, 40] {
        let Some(counts) = run(&gradient, &[reals(&[4000, 8]), reals(&[centres, 8])])? else { return Ok(()) };
        assert!(counts.dispatches <= 4 && counts.readbacks == 0, "{centres} centres: {counts:?}");
    }
    Ok(())
}

#[test]
fn rows_that_a_loop_sets_are_one_kernel_each() -> Result<()> {
    let rows = Program::trace(|x: Arr<F64>, n: I64| {
        loop_for(n, x.map(|y| x.map(|x| x + y)), |t, rows: Arr<Arr<F64>>| rows.with(t, rows.index(t).map(|x| x * 2.0)))
    })?;
    let n = |n: i64| Flat::integers(&[], vec![n]);
    let Some(few) = run(&rows, &[reals(&[100]), n(3)?])? else { return Ok(()) };
    let many = run(&rows, &[reals(&[100]), n(53)?])?.expect("there is a device");
    assert!(many.dispatches - few.dispatches <= 2 * 50 && many.readbacks == 0, "{few:?}, {many:?}");
    Ok(())
}

#[test]
fn what_is_moved_is_counted_by_element() -> Result<()> {
    let doubled = Program::trace(|x: Arr<F64>| x.map(|x| x + x))?;
    // Each element is read and written.
    let Some(counts) = run(&doubled, &[reals(&[1000])])? else { return Ok(()) };
    assert_eq!((counts.bytes, counts.own_bytes), (16_000, 0));
    // Of an array that is longer than there are lanes, what these pick.
    let picked = Program::trace(|at: Arr<I64>, x: Arr<F64>| x.gather(at))?;
    let counts = run(&picked, &[Flat::integers(&[3], vec![5, 700, 5])?, reals(&[1000])])?.expect("there is a device");
    assert_eq!((counts.bytes, counts.own_bytes), (3 * 24, 0));
    // A row that a thread keeps and changes.
    let rows = Program::trace(|x: Arr<Arr<F64>>| x.map(|row| loop_for(9, row, |_, row| row.map(|x| x * x)).sum()))?;
    let counts = run(&rows, &[reals(&[1000, 50])])?.expect("there is a device");
    assert!(counts.own_bytes >= 2 * 8 * 50_000, "{counts:?}");
    Ok(())
}
