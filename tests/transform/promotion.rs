//! Maps of rows that were joined: where they become maps of rows, what that keeps, and where they stay.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota};
use catadiff::interpret::{Limits, Value, measure};
use catadiff::{Elementary, Result};

/// How many elements are made into rows of how many, and what else of the rows is wanted.
#[derive(Clone, Copy)]
struct Case {
    elements: i64,
    row: i64,
    also: fn(Arr<I64>, Arr<F64>) -> F64,
}

const CASE: Case = Case { elements: 3000, row: 3, also: |_, _| F64::from(0.0) };

/// Numbers are made into rows of numbers, all of these into reals, and those of each row into one.
fn program(Case { elements, row, also }: Case) -> Result<Program> {
    let program = Program::trace(|x: Arr<F64>| {
        let numbers = iota(elements);
        let joined = numbers.map(|i| iota(row).map(|j| (i * 7 + j * 3) % x.len())).flatten();
        let each = joined.map(|k| x.index(k).sin() * k.to_f64());
        let sums = numbers.map2(each.unflatten(elements, row), |i, of_row| of_row.product() * i.to_f64());
        sums.sum() + also(joined, each)
    })?;
    Ok(program.simplified())
}

fn joins(program: &Program) -> bool {
    program.to_string().contains("reshape(")
}

fn at() -> Result<Value<f64>> {
    Value::reals(&[11], (0..11).map(|k| 0.4 + 0.1 * f64::from(k)))
}

#[test]
fn rows_are_never_joined() -> Result<()> {
    let small = program(Case { elements: 2000, ..CASE })?;
    let large = program(CASE)?;
    assert!(joins(&small) && !joins(&large), "{small}{large}");
    large.verify().expect("it is well formed");
    assert_eq!(large.simplified().to_string(), large.to_string());
    // Of the rows one is in memory at a time.
    let elements =
        |program: &Program| Ok::<_, catadiff::Error>(measure(program, &[at()?], &Limits::default())?.1.elements);
    assert!(elements(&large)? < elements(&small)?, "{} and {}", elements(&large)?, elements(&small)?);
    Ok(())
}

#[test]
fn values_and_derivatives_are_as_they_were() -> Result<()> {
    // One that is used again stays an array.
    let (promoted, joined) = (program(CASE)?, program(Case { also: |_, each| each.sum() * 0.0, ..CASE })?);
    assert!(!joins(&promoted) && joins(&joined));
    assert_eq!(promoted.run(&[at()?])?, joined.run(&[at()?])?);
    let gradients = [promoted.grad(0)?, joined.grad(0)?];
    assert!(!joins(&gradients[0]), "{}", gradients[0]);
    let [found, expected] = gradients.map(|gradient| {
        gradient.verify().expect("it is well formed");
        let compiled = gradient.compile()?.run(&[at()?])?;
        let reals = |values: &[Value<f64>]| values[0].to_reals().expect("reals");
        Ok::<_, catadiff::Error>([reals(&gradient.run(&[at()?])?), reals(&compiled)])
    });
    let [found, expected] = [found?, expected?];
    let all = found.iter().flatten().zip(expected[0].iter().cycle());
    for (found, expected) in all {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found}, not {expected}");
    }
    Ok(())
}

#[test]
fn rows_that_are_long_or_wanted_as_a_whole_stay() -> Result<()> {
    let stay = [
        Case { row: 20, ..CASE },
        Case { also: |joined, _| joined.sum().to_f64(), ..CASE },
        Case { also: |_, each| each.index(5), ..CASE },
    ];
    for case in stay {
        assert!(joins(&program(case)?), "{}", program(case)?);
    }
    Ok(())
}
