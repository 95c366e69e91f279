//! What compiled programs compute and move: the loops over lanes, their operations and their bytes, of typical programs and of their
//! gradients, and that all of it is done on lanes.

use std::slice::from_ref;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, iota, loop_for};
use catadiff::execute::Flat;
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect()
}

fn reals(sizes: &[usize]) -> Flat {
    Flat::reals(sizes, numbers(sizes.iter().product())).unwrap()
}

fn places(n: usize, of: usize) -> Flat {
    Flat::integers(&[n], (0..n).map(|k| (k * 7919 % of) as i64).collect()).unwrap()
}

fn number(n: i64) -> Flat {
    Flat::integers(&[], vec![n]).unwrap()
}

/// Loops, scans and histograms among them; operations; and bytes.
type Work = [u64; 3];

fn work(program: &Program, arguments: &[Flat]) -> Work {
    let kernels = program.compile().unwrap().profile(arguments, &mut Vec::new()).unwrap();
    let sum = |of: fn(&catadiff::execute::Kernel) -> u64| kernels.iter().map(of).sum();
    [sum(|kernel| kernel.runs), sum(|kernel| kernel.flops), sum(|kernel| kernel.bytes)]
}

/// A program takes as many loops, operations and bytes as this, but for a tenth; so there are loops, and the interpreter did not have
/// to do it. What takes less is reported as well: this says what is counted, too.
#[track_caller]
fn takes(program: &Program, arguments: &[Flat], expected: Work) {
    let found = work(program, arguments);
    let is_close = found.iter().zip(&expected).all(|(found, expected)| 10 * found.abs_diff(*expected) <= *expected);
    assert!(found[0] > 0 && found[0] <= expected[0] && is_close, "{found:?}, not {expected:?}, takes\n{program}");
}

/// The gradient by the first argument.
fn gradient(program: &Program) -> Program {
    program.grad(0).unwrap()
}

#[test]
fn maps_and_sums_are_one_loop() -> Result<()> {
    let n = reals(&[1000]);
    let pair = [n.clone(), n.clone()];
    takes(
        &Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, |x, y| x * 2.0 + y).map(|z| z * z))?,
        &pair,
        [1, 3000, 24000],
    );
    let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| (x * y).sum())?;
    takes(&dot, &pair, [1, 2000, 16000]);
    let both = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let (a, b) = (x.map2(y, |x, y| x - y), x.map2(y, |x, y| x.sin() * y));
        (a.sum(), (a * b).max(), b)
    })?;
    takes(&both, &pair, [1, 21000, 24000]);
    let log_sum = Program::trace(|x: Arr<F64>| {
        let m = x.max();
        (x - m).map(|x| x.exp()).sum().ln() + m
    })?;
    takes(&log_sum, from_ref(&n), [2, 19000, 16000]);
    takes(&gradient(&log_sum), from_ref(&n), [3, 21000, 40000]);
    let parts = Program::trace(|x: Arr<F64>| {
        let ends = x.take(x.len() - 1).concat(x.reverse());
        ends.map(|x| x * x).sum() + x.slice(10, 30).map(|x| x.exp()).sum()
    })?;
    takes(&parts, from_ref(&n), [4, 4338, 48136]);
    takes(&gradient(&parts), &[n], [6, 4338, 88600]);
    Ok(())
}

#[test]
fn scans_and_histograms_go_through_memory_once() -> Result<()> {
    let n = reals(&[20_000]);
    takes(&Program::trace(|x: Arr<F64>| x.map(|x| x * 2.0).scan(0.0, |a, b| a + b))?, from_ref(&n), [2, 40000, 640000]);
    let recurrence = Program::trace(|x: Arr<F64>| {
        let steps = x.map(|x| (x * 0.5, x));
        steps.scan((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d)).map(|(_, y)| y).sum()
    })?;
    takes(&recurrence, from_ref(&n), [3, 100000, 1120000]);
    takes(&gradient(&recurrence), from_ref(&n), [5, 200000, 2560000]);
    let bins = places(20_000, 7);
    // Where a segment begins is nowhere in memory.
    let segments = Program::trace(|x: Arr<F64>, at: Arr<I64>| {
        let pairs = at.map2(x, |i, x| (i.eq(0), x));
        pairs.scan((false, 0.0), |(f, x), (g, y)| (f | g, if_(g, || y, || x + y))).map(|(_, y)| y)
    })?;
    takes(&segments, &[n.clone(), bins.clone()], [2, 38784, 1698816]);
    let sums = Program::trace(|x: Arr<F64>, at: Arr<I64>| {
        let bins = hist(7, 0.0, at, x.map(|x| x * x), |a, b| a + b);
        (bins * bins).sum()
    })?;
    takes(&sums, &[n.clone(), bins.clone()], [3, 40014, 640112]);
    takes(&gradient(&sums), &[n.clone(), bins.clone()], [4, 80007, 1280168]);
    let greatest = Program::trace(|x: Arr<F64>, at: Arr<I64>| {
        hist(7, f64::NEG_INFINITY, at, x.map(|x| x * 3.0), |a, b| a.max(b)).sum()
    })?;
    takes(&greatest, &[n.clone(), bins.clone()], [4, 40007, 960112]);
    takes(&gradient(&greatest), &[n.clone(), bins.clone()], [5, 60352, 2758480]);
    let gathered = Program::trace(|x: Arr<F64>, at: Arr<I64>| at.map(|i| x.index(i)).map(|x| x.sin()).sum())?;
    takes(&gathered, &[n.clone(), bins.clone()], [1, 340000, 320000]);
    takes(&gradient(&gathered), &[n.clone(), bins.clone()], [2, 340000, 800000]);
    takes(&Program::trace(|x: Arr<F64>, at: Arr<I64>| x.zeros_like().scatter(at, x))?, &[n, bins], [2, 0, 640000]);
    Ok(())
}

/// What is stored of a matrix whose rows are put back are the parts of them that are others.
#[test]
fn parts_that_are_put_back_are_all_that_is_stored() -> Result<()> {
    let program = Program::parse(
        "program (given: [][]f64, new: [][]f64) {
           let n = size[0](new)
           let width = size[1](given)
           let count = size[1](new)
           let left = sub(width, count)
           let numbers = iota(n)
           let result = loop (a: [][]f64 = given) for k < 10i64 {
             let places = map (numbers) |i: i64| { let place = add(i, k) return place }
             let rows = slice a[k : n : 1i64]
             let put = map (rows, new) |row: []f64, part: []f64| {
               let after = slice row[count : left : 1i64]
               let all = concat(part, after)
               return all }
             let changed = scatter(a, places, put)
             return changed }
           return result }",
    )?;
    takes(&program, &[reals(&[200, 100]), reals(&[20, 30])], [11, 0, 416000]);
    Ok(())
}

#[test]
fn matrices_are_moved_as_often_as_they_have_to_be() -> Result<()> {
    let (a, b, x) = (reals(&[40, 30]), reals(&[30, 50]), reals(&[30]));
    let product = Program::trace(|a: Matrix, b: Matrix| a.matmul(b).map(|row| row.sum()).sum())?;
    takes(&product, &[a.clone(), b.clone()], [1, 122040, 60800]);
    takes(&gradient(&product), &[a.clone(), b.clone()], [1, 0, 9600]);
    let layer = Program::trace(|w: Matrix, x: Arr<F64>| w.map(|row| (row * x).sum().tanh()).sum())?;
    takes(&layer, &[a.clone(), x.clone()], [1, 3080, 9600]);
    takes(&gradient(&layer), &[a.clone(), x.clone()], [1, 4320, 19200]);
    let columns = Program::trace(|a: Matrix| a.transpose().map(|column| column.map(|x| x * x).sum()))?;
    takes(&columns, from_ref(&a), [1, 2400, 19440]);
    let distances =
        Program::trace(|a: Matrix| a.map(|p| a.map(|q| p.map2(q, |x, y| (x - y) * (x - y)).sum()).sum()).sum())?;
    takes(&distances, from_ref(&a), [1, 145640, 403200]);
    takes(&gradient(&distances), from_ref(&a), [3, 241200, 3926400]);
    let normalized = Program::trace(|a: Matrix| {
        a.map(|row| {
            let e = row.map(|x| x.exp());
            let s = e.sum();
            e.map(|e| e / s)
        })
    })?;
    takes(&normalized, from_ref(&a), [1, 21600, 48000]);
    // Rows that lanes have for themselves go where they belong at last.
    let sums = Program::trace(|a: Matrix| a.map(|row| row.scan(0.0, |a, b| a + b)))?;
    takes(&sums, from_ref(&a), [1, 1200, 38400]);
    // Rows that an operator takes once are computed where it takes them.
    let products = Program::trace(|a: Matrix| {
        let start = a.index(0).zeros_like() + 1.0;
        a.map(|row| row.map(|x| x * 0.5 + 1.0)).reduce(start, |p, q| p.map2(q, |p, q| p * q + 0.0))
    })?;
    takes(&products, from_ref(&a), [3, 4800, 10800]);
    Ok(())
}

/// Few elements with more to do inside are taken one after the other, and many side by side.
#[test]
fn what_is_side_by_side_depends_on_how_many_there_are() -> Result<()> {
    let program = Program::trace(|a: Matrix| a.map(|row| row.map(|x| x.exp()).sum()).sum())?;
    let loops = |rows: usize, columns: usize| work(&program, &[reals(&[rows, columns])])[0];
    assert_eq!([loops(3, 400), loops(400, 3)], [3, 1]);
    Ok(())
}

#[test]
fn loops_and_branches_keep_what_they_change() -> Result<()> {
    let (x, steps) = (reals(&[64]), number(10));
    let smooth = Program::trace(|x: Arr<F64>, n: I64| {
        let last = loop_for(n, x, |_, x| {
            let inner = x.slice(1, x.len() - 1);
            let next = x.take(x.len() - 2).map2(inner, |a, b| a * 0.25 + b * 0.5);
            x.take(1).concat(next).concat(x.drop(x.len() - 1))
        });
        (last * last).sum()
    })?;
    takes(&smooth, &[x.clone(), steps.clone()], [22, 2608, 16576]);
    let inside = Program::trace(|x: Arr<F64>, n: I64| {
        x.map(|x| loop_for(n, x, |k, y| if_(y.lt(0.5), || y * 1.5 + k.to_f64(), || y.sin()))).sum()
    })?;
    takes(&inside, &[x.clone(), steps.clone()], [1, 11584, 512]);
    takes(&gradient(&inside), &[x.clone(), steps.clone()], [1, 23040, 16384]);
    let written = Program::trace(|x: Arr<F64>, n: I64| {
        loop_for(n, x, |k, x| x.with(k, x.index(k + 1) * 2.0)).map(|x| x * x).sum()
    })?;
    takes(&written, &[x.clone(), steps.clone()], [2, 128, 1536]);
    takes(&gradient(&written), &[x.clone(), steps], [2, 64, 2048]);
    let series = Program::trace(|x: Arr<F64>| x.map(|x| iota(8).map(|k| x * k.to_f64()).map(|y| y.cos()).sum()).sum())?;
    takes(&series, from_ref(&x), [1, 9600, 512]);
    takes(&gradient(&series), &[x], [1, 9792, 1024]);
    Ok(())
}
