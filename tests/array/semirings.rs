//! Array programs over semirings: what they mean there, and what has no meaning there.

use catadiff::algebra::plain::{Boolean, Counting, Modular};
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::interpret::{Limits, Scalar, Value, run_over};
use catadiff::{Elementary, Error, Result, Semiring};

/// The number of ways, in as many steps, from the first place to each.
fn ways() -> Result<Program> {
    Program::trace(|step: Arr<Arr<F64>>, n: I64| {
        let start = step.index(0).map(|_| 0.0).with(0, 1.0);
        loop_for(n, start, |_, now| step.transpose().map(|into| (now * into).sum()))
    })
}

fn over<S: Semiring>(program: &Program, matrix: [[S; 3]; 3], n: i64) -> Result<Vec<S>> {
    let reals = matrix.into_iter().flatten();
    let results = run_over(program, &[Value::reals(&[3, 3], reals)?, n.into()], &Limits::default())?;
    Ok(results[0].to_reals().expect("the results are numbers"))
}

#[test]
fn the_same_program_counts_decides_and_reduces() -> Result<()> {
    let program = ways()?;
    let roads = [[1, 1, 0], [0, 1, 1], [1, 0, 1]];
    assert_eq!(over(&program, roads.map(|row| row.map(Counting)), 4)?, [5, 5, 6].map(Counting));
    assert_eq!(over(&program, roads.map(|row| row.map(|n| Boolean(n > 0))), 1)?, [true, true, false].map(Boolean));
    assert_eq!(over(&program, roads.map(|row| row.map(Modular::<5>::new)), 4)?, [0, 0, 1].map(Modular::new));
    Ok(())
}

#[test]
fn what_a_semiring_does_not_have_is_an_error() -> Result<()> {
    let one = || vec![Value::Scalar(Scalar::F64(Counting(1)))];
    let run = |program: Program| run_over(&program, &one(), &Limits::default());
    let root = run(Program::trace(|x: F64| x.sqrt())?).unwrap_err();
    assert!(matches!(&root, Error::NoValue { operation, .. } if operation.starts_with("sqrt")), "{root}");
    let two = run(Program::trace(|x: F64| x * 2.0)?).unwrap_err();
    assert!(matches!(&two, Error::NoValue { operation, .. } if operation.starts_with("2.0")), "{two}");
    assert!(matches!(run(Program::trace(|_: F64| F64::from(3.0))?), Err(Error::NoValue { .. })));
    assert!(matches!(run(Program::trace(|x: F64| x.lt(1.0))?), Err(Error::Undecided { .. })));
    assert!(matches!(run(Program::trace(|x: F64| x.to_i64())?), Err(Error::NoValue { .. })));
    Ok(())
}
