//! Loops around maps, which lanes go through by themselves, and what they leave in rows: on lanes as in the interpreter.

use catadiff::Elementary;
use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::interpret::Value;
use catadiff_laws::executors::Sides;

use crate::prepared;

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

/// Numbers between −1 and 1 that look random.
pub(crate) fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + seed) % 1009) as f64 / 504.5 - 1.0).collect()
}

pub(crate) fn array(sizes: &[usize], seed: usize) -> Value<f64> {
    let numbers = numbers(sizes.iter().product(), seed);
    Value::reals(sizes, numbers).expect("as many elements as the sizes say")
}

/// Two states that each element has, over a time in which they read and leave a row each.
fn recurrence() -> Result<Program> {
    Program::trace(|start: Vector, weights: Vector, inputs: Matrix| {
        let (states, rows) = loop_for(
            inputs.len(),
            ((start, weights), inputs.zeros_like()),
            |t, ((x, y), rows): ((Vector, Vector), Matrix)| {
                let next = x.map3(weights, inputs.index(t), |x, w, input| (x * w + input).tanh());
                let other = y.map2(next, |y, x| y * 0.5 - x * x);
                ((next, x + other), rows.with(t, next * other))
            },
        );
        (states.0, states.1, rows)
    })
}

#[test]
fn lanes_go_through_the_iterations() -> Result<()> {
    let program = recurrence()?;
    let vjp = program.vjp()?;
    let explained = program.compile()?.explain();
    let after = explained.split("lanes").skip(1).any(|lanes| lanes.contains("for ") && lanes.contains("row(tanh)"));
    assert!(after, "{explained}");
    let [program, vjp] = [&program, &vjp].map(prepared);
    for n in [0, 1, 7, 8, 14, 129, 255, 256, 300] {
        for times in [0, 1, 2, 5] {
            let arguments = [array(&[n], 1), array(&[n], 2), array(&[times, n], 3)];
            let same = |program: &Sides<'_>, arguments: &[Value<f64>]| {
                program.same(arguments).unwrap_or_else(|e| panic!("{n} lanes, {times} times: {e}"));
            };
            same(&program, &arguments);
            let adjoints = [array(&[n], 4), array(&[n], 5), array(&[times, n], 6)];
            same(&vjp, &[&arguments[..], &adjoints[..]].concat());
        }
    }
    Ok(())
}

/// Elements that others have written are read in the next iteration: lanes cannot go alone.
#[test]
fn lanes_that_look_at_each_other_go_together() -> Result<()> {
    let shifted = Program::trace(|start: Vector, n: I64| {
        loop_for(n, start, |_, x: Vector| {
            let before = x.drop(x.len() - 1).concat(x.take(x.len() - 1));
            x.map2(before, |x, y| x * 0.5 + y)
        })
    })?;
    let shifted = prepared(&shifted);
    for n in [1, 2, 14, 40, 300] {
        for times in [0_i64, 1, 4] {
            let same = shifted.same(&[array(&[n], 7), times.into()]);
            same.unwrap_or_else(|e| panic!("{n} lanes, {times} times: {e}"));
        }
    }
    Ok(())
}

/// A row that each iteration writes and none reads is the last that was written; the others are what they were.
#[test]
fn rows_that_are_written_alone_are_the_last() -> Result<()> {
    let last = Program::trace(|start: Matrix, inputs: Matrix| {
        loop_for(inputs.len(), start, |t, rows: Matrix| rows.with(0, inputs.index(t)))
    })?;
    let vjp = last.vjp()?;
    let [last, vjp] = [&last, &vjp].map(prepared);
    for n in [0, 1, 3, 8, 14, 129, 300] {
        for times in [0, 1, 5] {
            let arguments = [array(&[2, n], 1), array(&[times, n], 2)];
            last.same(&arguments).unwrap_or_else(|e| panic!("{n} lanes, {times} times: {e}"));
            let all = [&arguments[..], &[array(&[2, n], 3)]].concat();
            vjp.same(&all).unwrap_or_else(|e| panic!("{n} lanes, {times} times: {e}"));
        }
    }
    Ok(())
}

/// A loop that reads where there is nothing is an error, whether there are lanes or not.
#[test]
fn what_is_out_of_bounds_is_out_of_bounds_without_lanes() -> Result<()> {
    let late = Program::trace(|start: Vector, inputs: Matrix| {
        loop_for(inputs.len(), start, |t, x: Vector| x.map2(inputs.index(t + 1), |x, y| x + y))
    })?;
    for n in [0, 3] {
        let error = late.compile()?.run(&[array(&[n], 1), array(&[2, n], 2)]).expect_err("there is no third row");
        assert!(error.to_string().contains("index"), "{error}");
    }
    Ok(())
}

/// Sums of products of all lengths, and as many values in the row of each element.
#[test]
fn values_go_into_rows() -> Result<()> {
    let rows = Program::trace(|xs: Vector, ys: Vector| {
        xs.map2(ys, |x, y| {
            let mut sum = x * y;
            let mut all = vec![sum];
            for k in 1..=17 {
                let (a, b) = (x + f64::from(k), y * f64::from(k));
                sum = match k % 3 {
                    0 => sum - a * b,
                    1 => a * b + sum - a,
                    _ => sum + x.sin() * b + y,
                };
                all.push(if k == 5 {
                    F64::from(2.0)
                } else if k % 4 == 0 {
                    -sum
                } else {
                    sum
                });
            }
            literal(<[F64; 18]>::try_from(all).unwrap_or_else(|_| unreachable!("there are eighteen")))
        })
    })?;
    let vjp = rows.vjp()?;
    let [rows, vjp] = [&rows, &vjp].map(prepared);
    for n in [0, 1, 7, 8, 9, 127, 128, 129, 300] {
        let arguments = [array(&[n], 8), array(&[n], 9)];
        rows.same(&arguments).unwrap_or_else(|e| panic!("{n}: {e}"));
        let all = [&arguments[..], &[array(&[n, 18], 10)]].concat();
        vjp.same(&all).unwrap_or_else(|e| panic!("{n}: {e}"));
    }
    Ok(())
}
