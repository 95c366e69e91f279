//! Loops that change the sizes of the arrays that they carry, and their derivatives: executors do them as the interpreter does, at the
//! first attempt.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, iota, loop_for, loop_while, replicate};
use catadiff::execute::Executor;
use catadiff::interpret::Value;
use catadiff_laws::executors::{self, at_hand};

use crate::loops::numbers;

type Vector = Arr<F64>;

/// All executors, with the compiler of C.
fn all() -> Vec<&'static dyn Executor> {
    let mut all = at_hand();
    #[cfg(all(feature = "unstable", feature = "jit"))]
    all.push(&catadiff::execute::NativeLanes);
    #[cfg(feature = "native")]
    all.push(&catadiff::execute::Native);
    all
}

#[track_caller]
pub(crate) fn same(program: &Program, arguments: &[Value<f64>]) {
    for executor in all() {
        executors::same(executor, program, arguments).unwrap_or_else(|e| panic!("{}: {e}\n{program}", executor.name()));
    }
}

fn vector(n: usize) -> Value<f64> {
    Value::reals(&[n], numbers(n, 7)).expect("as many elements as the sizes say")
}

const LENGTHS: [usize; 4] = [1, 2, 19, 40];

/// A function of an array and a number of iterations, and its derivatives.
#[track_caller]
fn same_for_all(function: impl Fn(Vector, I64) -> F64) -> Result<()> {
    let program = Program::trace(|xs: Vector, n: I64| function(xs, n))?;
    let (vjp, jvp) = (program.vjp_wrt(0)?, program.jvp_wrt(0)?);
    for n in 0..5_i64 {
        for length in LENGTHS {
            same(&program, &[vector(length), n.into()]);
            same(&vjp, &[vector(length), n.into(), 1.5.into()]);
            same(&jvp, &[vector(length), n.into(), vector(length)]);
        }
    }
    Ok(())
}

/// The elements for which a condition holds.
fn positive(xs: Vector) -> Vector {
    let kept = xs.map(|x| x.gt(0.0).to_i64());
    let places = kept.scan(0, |a, b| a + b).map2(kept, |place, is_kept| place * is_kept - 1);
    replicate(kept.reduce(0, |a, b| a + b), F64::from(0.0)).scatter(places, xs)
}

#[test]
fn an_array_grows() -> Result<()> {
    same_for_all(|xs, n| {
        loop_for(n, xs, |i, ys| ys.map(|y| y * 1.5).concat(replicate(i, ys.first()))).map(|y| y * y).sum()
    })
}

#[test]
fn an_array_is_halved_until_few_elements_are_left() -> Result<()> {
    same_for_all(|xs, n| {
        let ys = loop_while(
            xs,
            |ys| ys.len().gt(n + 1),
            |ys| {
                let half = (ys.len() + 1) / 2;
                ys.take(half).map2(ys.drop(ys.len() - half), |a, b| a * b + b)
            },
        );
        ys.sum()
    })
}

#[test]
fn the_elements_that_are_kept_depend_on_their_values() -> Result<()> {
    same_for_all(|xs, n| loop_for(n, xs, |_, ys| positive(ys.map(|y| y * 1.25 - 0.3))).map(|y| y * y).sum())
}

#[test]
fn a_prefix_of_what_is_carried_stays_where_it_is() -> Result<()> {
    same_for_all(|xs, n| {
        let (ys, zs) = loop_for(n, (xs, xs.concat(xs)), |i, (ys, zs)| {
            (ys.take((ys.len() - i).max(1)), zs.drop(if_(i.gt(2), || I64::from(2), || I64::from(1))))
        });
        ys.sum() + zs.map(|z| z * z).sum()
    })
}

#[test]
fn arrays_of_different_sizes_change_places() -> Result<()> {
    same_for_all(|xs, n| {
        let (ys, zs, _) = loop_for(n, (xs, xs.take(1), xs), |i, (ys, zs, xs)| {
            (zs.concat(replicate(i, F64::from(0.5))), ys.map2(xs.take(ys.len().min(xs.len())), |y, x| y * x), xs)
        });
        ys.sum() * zs.sum()
    })
}

#[test]
fn rows_and_columns_are_added() -> Result<()> {
    same_for_all(|xs, n| {
        let rows = xs.map(|x| replicate(2, x));
        let wide = loop_for(n, rows, |i, rows| {
            let wider = rows.map(|row| row.concat(replicate(1, row.first() * i.to_f64())));
            wider.concat(replicate(1, wider.first()))
        });
        wide.map(|row| row.map(|x| x * x).sum()).sum()
    })
}

#[test]
fn loops_are_in_loops_and_in_maps() -> Result<()> {
    same_for_all(|xs, n| {
        let outer = loop_for(n, xs.take(1), |i, ys| {
            let inner = loop_for(i, ys.take(1), |j, zs| zs.concat(replicate(1, zs.last() * (j + 1).to_f64())));
            ys.concat(inner)
        });
        let each = xs.map(|x| loop_for(n, replicate(1, x), |_, ys| ys.concat(replicate(1, ys.last() * x))).sum());
        let counted = iota(n).map(|k| loop_for(k, xs.take(1), |_, ys| ys.concat(ys)).sum());
        outer.sum() + each.sum() + counted.sum()
    })
}

#[test]
fn what_is_left_is_as_long_as_it_is_said_to_be() -> Result<()> {
    let program = Program::trace(|xs: Vector, n: I64| {
        loop_for(n, (xs, xs, xs.map(|x| replicate(3, x))), |i, (ys, zs, rows)| {
            let rows = if_(i.gt(0), || rows.take(rows.len() / 2), || rows.map(|row| row.take(2)));
            (ys.take((ys.len() - 1).max(0)), if_(i.gt(1), || zs.drop(zs.len().min(1)), || zs), rows)
        })
    })?;
    for n in 0..5_i64 {
        for length in LENGTHS {
            same(&program, &[vector(length), n.into()]);
        }
    }
    Ok(())
}
