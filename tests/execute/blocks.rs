//! Loops over lanes at the ends of their blocks, and extrema that are no numbers.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, hist, iota};
use catadiff::interpret::{Scalar, Value};
use catadiff::{Elementary, Result};

use crate::same;

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1013) as f64 / 506.5 - 1.0).collect()
}

#[test]
fn blocks_of_every_width_end_where_they_should() -> Result<()> {
    let programs = [
        Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, |x, y| x * 2.0 + y))?,
        Program::trace(|x: Arr<F64>, y: Arr<F64>| (x.dot(y), x.max(), y.map(|y| y.exp()).sum()))?,
        Program::trace(|x: Arr<F64>, y: Arr<F64>| (x * y).take(x.len() - 1).concat(y))?,
        Program::trace(|x: Arr<F64>, y: Arr<F64>| {
            let [a, b, c] = [1.5, 2.5, 3.5].map(|k| x.map2(y, move |x, y| (x * k).sin() + y));
            (a.map2(b, |a, b| a * b), b.map2(c, |b, c| b - c), c.map2(a, |c, a| c.hypot(a)))
        })?,
        Program::trace(|x: Arr<F64>, y: Arr<F64>| hist(x.len(), 0.0, iota(y.len()).map(|k| k / 2), y, |a, b| a + b))?,
    ];
    for program in &programs {
        for n in [1, 7, 8, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1025] {
            let (x, y) = (Value::new(numbers(n))?, Value::new(numbers(n + 5)[5..].to_vec())?);
            same(program, &[x, y]);
        }
    }
    Ok(())
}

#[test]
fn what_is_stored_and_what_is_folded_is_one_loop() -> Result<()> {
    let loops = |program: &Program| -> Result<usize> {
        let explained = program.compile()?.explain();
        Ok(explained.lines().filter(|line| line.trim_start().starts_with("lanes ")).count())
    };
    let shares = Program::trace(|x: Arr<F64>| {
        let e = x.map(|x| x.exp());
        (e, e.sum(), e.map(|e| e * e).sum(), x.min(), e.max())
    })?;
    assert_eq!(loops(&shares)?, 1, "{}", shares.compile()?.explain());
    // The second loop needs what the first has folded.
    let softmax = Program::trace(|x: Arr<F64>| {
        let e = x.map(|x| x.exp());
        let s = e.sum();
        e.map(|e| e / s)
    })?;
    assert_eq!(loops(&softmax)?, 2, "{}", softmax.compile()?.explain());
    // Extremum and sum; the place of the extremum beside the sum; and what they make of each element.
    let log_sum = Program::trace(|x: Arr<F64>| {
        let m = x.max();
        (x - m).map(|x| x.exp()).sum().ln() + m
    })?
    .grad(0)?;
    assert_eq!(loops(&log_sum)?, 3, "{}", log_sum.compile()?.explain());
    // Operators of which each lane's value is left, beside those of which one is.
    let mixed = Program::trace(|x: Arr<F64>| {
        let k = iota(x.len());
        (x.sum(), k.sum(), x.map(|x| x + 1.0).max(), x.argmax(), k.max(), x.map(|x| x * x))
    })?;
    // What leaves one value and what leaves one of each lane are not fused.
    assert_eq!(loops(&mixed)?, 3, "{}", mixed.compile()?.explain());
    for (program, long) in [(&shares, 70_001), (&softmax, 2049), (&log_sum, 2049), (&mixed, 70_001)] {
        for n in [1, 5, 8, 127, 128, 129, 700, long] {
            same(program, &[Value::new(numbers(n))?]);
        }
    }
    same(&shares, &[Value::new(Vec::<f64>::new())?]);
    same(&softmax, &[Value::new(Vec::<f64>::new())?]);
    Ok(())
}

#[test]
fn an_extremum_among_what_is_no_number_is_found_where_it_is() -> Result<()> {
    let [largest, smallest] =
        [Program::trace(|x: Arr<F64>| x.max())?.grad(0)?, Program::trace(|x: Arr<F64>| x.min())?.grad(0)?];
    assert!(largest.compile()?.explain().contains("least-where-equal"), "{}", largest.compile()?.explain());
    let all = Program::trace(|x: Arr<F64>| {
        let bins = hist(3, f64::NEG_INFINITY, iota(x.len()) % 3, x, |a, b| a.max(b));
        (x.max(), x.min(), x.argmax(), x.argmin(), bins, x.scan(f64::INFINITY, |a, b| a.min(b)))
    })?;
    for n in [1, 5, 200, 700] {
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.25] {
            let mut x = numbers(n);
            x[n / 2] = special;
            x[n - 1] = special;
            for program in [&largest, &smallest, &all] {
                same(program, &[Value::new(x.clone())?]);
            }
            let expected = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let found = all.compile()?.run(&[Value::new(x.clone())?])?;
            assert!(matches!(found[0].elements(), [Scalar::F64(y)] if *y == expected), "{n} {special}: {}", found[0]);
        }
    }
    Ok(())
}

/// A sum of two products is no operation of its own where it is added to a sum: two products are added.
#[test]
fn terms_of_a_sum_are_added_one_by_one() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, |x, y| x * x + y * y).sum())?;
    let explained = program.compile()?.explain();
    let lanes = explained.split("lanes ").nth(1).unwrap_or_default().split("\nfor ").next().unwrap_or_default();
    assert_eq!(lanes.matches("x·y+z(").count(), 2, "{explained}");
    assert!(!lanes.contains("add(") && !lanes.contains("mul("), "{explained}");
    same(&program, &[Value::new(numbers(700))?, Value::new(numbers(700))?]);
    Ok(())
}
