//! What does not depend on the arguments of a program is computed when it is compiled.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, iota};
use catadiff::interpret::Value;
use catadiff::{Error, Result};

use crate::same;

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1013) as f64 / 506.5 - 1.0).collect()
}

#[test]
fn what_does_not_depend_on_arguments_is_computed_once() -> Result<()> {
    let table = |x: Arr<F64>| {
        let squares = iota(10).map(|k| k * k);
        let places = squares.map(|s| iota(4).map(|j| (s + j) % 5));
        places.map(|row| x.gather(row).sum())
    };
    let program = Program::trace(table)?;
    let gradient = Program::trace(|x: Arr<F64>| table(x).map(|s| s * s).sum())?.grad(0)?;
    for program in [&program, &gradient] {
        let explained = program.compile()?.explain();
        assert!(explained.contains("constant b"), "{explained}");
        same(program, &[Value::new(numbers(5))?]);
        same(program, &[Value::new(numbers(9))?]);
        // Too few elements to gather from.
        let compiled = program.compile()?;
        let short = [Value::new(numbers(3))?];
        let (found, expected) = (compiled.run(&short).unwrap_err(), program.run(&short).unwrap_err());
        assert_eq!(found.to_string(), expected.to_string());
    }
    // A result may be such an array itself, and each run gives it.
    let alone = Program::trace(|n: I64| (iota(3).map(|k| k.to_f64() * 0.5), n + 1))?.compile()?;
    for n in [1_i64, 2] {
        assert_eq!(alone.run(&[n.into()])?, [Value::new(vec![0.0, 0.5, 1.0])?, (n + 1).into()]);
    }
    Ok(())
}

#[test]
fn what_cannot_be_computed_once_is_left_to_each_run() -> Result<()> {
    // It would be an error, and is one in every run.
    let wrong = Program::trace(|x: F64| iota(3).map(|k| iota(2).index(k).to_f64()).map(|y| y * x))?.compile()?;
    for _ in 0..2 {
        let error = wrong.run(&[1.0.into()]).unwrap_err();
        assert!(!matches!(error, Error::Budget { .. }), "{error}");
    }
    // It is too large to be kept.
    let large = Program::trace(|x: F64| iota(1 << 23).map(|k| k * 3).map(|k| k.to_f64() * x).sum())?;
    let compiled = large.compile()?;
    assert!(!compiled.explain().contains("constant"), "{}", compiled.explain());
    let count = f64::from(1 << 23);
    assert_eq!(compiled.run(&[2.0.into()])?, [(3.0 * count * (count - 1.0)).into()]);
    Ok(())
}
