//! What loops carry from one iteration to the next, be it new, from outside, a part of something or one thing twice, and what is
//! computed before an array is changed: on lanes as in the interpreter.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, iota, loop_for};
use catadiff::interpret::Value;

use crate::loops::numbers;
use crate::same;

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

fn vector(n: usize, seed: usize) -> Value<f64> {
    Value::reals(&[n], numbers(n, seed)).expect("as many elements as the sizes say")
}

/// The program, whose parameters are a number of iterations and three arrays of one length.
fn same_for_all_lengths(program: &Program) {
    for times in 0..5_i64 {
        for n in [1, 3, 20] {
            same(program, &[times.into(), vector(n, 1), vector(n, 2), vector(n, 3)]);
        }
    }
}

#[test]
fn arrays_may_be_from_anywhere() -> Result<()> {
    type Pair = (Vector, Vector);
    let next: [fn(Pair, Vector) -> Pair; 7] = [
        // From outside, once and twice.
        |(x, y), z| (z, x + y),
        |_, z| (z, z),
        // One that is new, twice.
        |(x, y), _| {
            let new = x.map2(y, |a, b| a * 0.5 + b);
            (new, new)
        },
        // The other one.
        |(x, y), _| (y, x),
        |(x, y), _| (y, x.map2(y, |a, b| a * b + 1.0)),
        // Parts of one that is new, and one turned round.
        |(x, y), _| (x.concat(y).map(|v| v * 0.5 + 1.0).drop(x.len()), y),
        |(x, y), z| {
            let new = x.concat(y).map2(z.concat(z), |v, w| v * 0.5 - w);
            (new.take(x.len()).reverse(), new.drop(x.len()))
        },
    ];
    for next in next {
        let given = Program::trace(|n: I64, x: Vector, y: Vector, z: Vector| {
            let (x, y) = loop_for(n, (x, y), |_, state| next(state, z));
            (x, y, z)
        })?;
        same_for_all_lengths(&given);
        let made = Program::trace(|n: I64, x: Vector, y: Vector, z: Vector| {
            let z = z.map2(x, |z, x| z * x);
            let (x, y) = loop_for(n, (x, y), |_, state| next(state, z));
            (x, y, z + y)
        })?;
        same_for_all_lengths(&made);
    }
    Ok(())
}

#[test]
fn numbers_are_set_all_at_once() -> Result<()> {
    type Pair = (F64, F64);
    let next: [fn(Pair) -> Pair; 7] = [
        |(a, b)| {
            let c = a * b + 0.5;
            (c, c)
        },
        |(a, b)| (b, a),
        // What is the negative of what was there, and not of what is.
        |(a, b)| {
            let c = a * 0.5 + 1.0;
            (-b, c)
        },
        // What is found before a loop that looks at what was there.
        |(a, b)| {
            let c = a * 0.5 + 1.0;
            (c, loop_for(3, b, |_, d| d * 0.5 + a))
        },
        // What one of two branches finds, and what was there.
        |(a, b)| (if_(b.lt(0.75), || b * 2.0, || b - 1.0), a),
        |(_, b)| (b, if_(b.lt(0.75), || b * 2.0, || b - 1.0)),
        |(a, b)| {
            let (c, d) = if_(b.lt(0.75), || (b * 2.0, b), || if_(b.lt(1.5), || (b - 1.0, b), || (b * 0.25, b + 1.0)));
            (d, c + a)
        },
    ];
    for next in next {
        let alone = Program::trace(|n: I64, x: Vector, y: Vector, _: Vector| {
            let (a, b) = loop_for(n, (x.index(0), y.index(0)), |_, state| next(state));
            (a, b, a + b, b - a * 3.0)
        })?;
        same_for_all_lengths(&alone);
        let in_lanes = Program::trace(|n: I64, x: Vector, y: Vector, _: Vector| {
            x.map2(y, |x, y| {
                let (a, b) = loop_for(n, (x, y), |_, state| next(state));
                a * 3.0 + b
            })
        })?;
        same_for_all_lengths(&in_lanes);
    }
    Ok(())
}

/// Each lane carries a row, and the sum of what it was last.
#[test]
fn rows_that_are_looked_at_and_carried() -> Result<()> {
    let program = Program::trace(|n: I64, rows: Matrix| {
        rows.map(|row| {
            let (row, sum) = loop_for(n, (row, F64::from(0.0)), |_, (row, sum)| {
                let next = row.map(|v| v * 0.5 + sum);
                (next, sum * 0.25 + next.map(|v| v * v).sum())
            });
            row.map(|v| v + sum)
        })
    })?;
    for times in 0..4_i64 {
        for lanes in [1, 3, 20] {
            let rows = Value::reals(&[lanes, 5], numbers(5 * lanes, 3))?;
            same(&program, &[times.into(), rows]);
        }
    }
    Ok(())
}

#[test]
fn what_is_computed_before_a_change_is_of_what_was_there() -> Result<()> {
    let program = Program::trace(|n: I64, x: Vector, y: Vector, z: Vector| {
        let made = x.map(|v| v + 1.0);
        let before = made.map(|v| v * v);
        let others = y.concat(z);
        let after = made.with(0, n.to_f64());
        (before.map2(after, |a, b| a * 2.0 + b), others)
    })?;
    same_for_all_lengths(&program);
    same_for_all_lengths(&Program::parse(
        "program (n: i64, x: []f64, y: []f64, z: []f64) {
            let made = map (x) |v: f64| { let w = add(v, 1.0f64) return w }
            let before = map (made) |v: f64| { let w = mul(v, v) return w }
            let others = concat(y, z)
            let after = made with [0i64] = 5.0f64
            let both = map (before, after) |a: f64, b: f64| { let c = sub(a, b) return c }
            return both, others }",
    )?);
    Ok(())
}

/// An index that is counted is in bounds of what is as long, and of nothing else.
#[test]
fn counted_indices_may_be_out_of_bounds() -> Result<()> {
    let of_arrays: [fn(Vector, Vector) -> F64; 4] = [
        |x, y| iota(y.len()).map(|k| x.index(k) * y.index(k)).sum(),
        |x, y| loop_for(y.len(), F64::from(0.0), |k, sum| sum * 0.5 + x.index(k)),
        |x, y| iota(y.len() - 1).map(|k| x.index(k)).sum(),
        |x, _| iota(5).map(|k| x.index(k)).sum(),
    ];
    // Past the end of a row there is another one.
    let first = Program::trace(|a: Matrix, n: I64| iota(n).map(|k| a.index(0).index(k)).sum())?;
    for n in 0..8_i64 {
        same(&first, &[Value::reals(&[3, 5], numbers(15, 1))?, n.into()]);
    }
    for of in of_arrays {
        let program = Program::trace(|x: Vector, y: Vector| of(x, y))?;
        for x in 3..8 {
            for y in 4..7 {
                same(&program, &[vector(x, 1), vector(y, 2)]);
            }
        }
    }
    Ok(())
}

/// Whether the next matrices are made of elements at the same places or at others, all of the last are there until the last element is read.
#[test]
fn matrices_may_be_made_of_any_elements() -> Result<()> {
    type Pair = (Matrix, Matrix);
    fn each(a: Matrix, f: impl Fn(F64) -> F64 + Copy + 'static) -> Matrix {
        a.map(move |row| row.map(f))
    }
    fn both(a: Matrix, b: Matrix, f: impl Fn(F64, F64) -> F64 + Copy + 'static) -> Matrix {
        a.map2(b, move |a, b| a.map2(b, f))
    }
    let next: [fn(Pair, Vector, Vector) -> Pair; 9] = [
        |(a, b), _, _| (each(a, |x| x * 0.5 + 1.0), b),
        |(a, b), _, _| (each(a, |x| x * x - 1.0), each(b, |x| 1.0 - x * 0.5)),
        |(a, b), x, y| (a.map2(x, move |row, x| row.map2(y, move |a, y| a + x * y)), each(b, |x| -x)),
        // Of one the other is made as well, from what was there.
        |(a, b), _, _| (both(a, b, |x, y| x - y), both(b, a, |x, y| x * 0.5 + y)),
        |(a, b), _, _| (both(a, b, |x, y| x * 0.5 + y), each(b, |x| -x)),
        |(a, _), _, _| (each(a, |x| x * 0.5), each(a, |x| x + 1.0)),
        // The other one.
        |(a, b), _, _| (each(b, |x| x + 1.0), a),
        // Elements at other places, in rows and between rows.
        |(a, b), _, _| (a.map(|row| row.map2(row.reverse(), |x, y| x - y * 0.5)), b),
        |(a, b), _, _| (both(a, a.reverse(), |x, y| x * 0.5 + y), b),
    ];
    for next in next {
        let program = Program::trace(|n: I64, a: Matrix, b: Matrix, x: Vector, y: Vector| {
            loop_for(n, (a, b), |_, state| next(state, x, y))
        })?;
        for times in 0..4_i64 {
            for [rows, columns] in [[1, 1], [2, 3], [20, 7], [7, 40], [40, 33], [3, 700]] {
                let matrix = |seed| Value::reals(&[rows, columns], numbers(rows * columns, seed)).expect("as many");
                same(&program, &[times.into(), matrix(1), matrix(2), vector(rows, 3), vector(columns, 4)]);
            }
        }
    }
    Ok(())
}
