//! Derivatives of array programs at given points: arguments that are easily written, and two ways to ask.

use catadiff::array::Program;
use catadiff::interpret::Value;
use catadiff_laws::{Verdict, array_derivatives};

pub(crate) type Arguments = Vec<Value<f64>>;

pub(crate) fn reals(x: &[f64]) -> Value<f64> {
    Value::reals(&[x.len()], x.to_vec()).unwrap()
}

pub(crate) fn matrix(rows: usize, columns: usize, x: &[f64]) -> Value<f64> {
    Value::reals(&[rows, columns], x.to_vec()).unwrap()
}

pub(crate) fn indices(x: &[i64]) -> Value<f64> {
    Value::new(x).unwrap()
}

/// Both modes of a program, and their derivatives in both modes, against the interpreter on dual numbers.
pub(crate) fn check(source: &str, points: Vec<Arguments>) -> Verdict {
    let program = Program::parse(source).unwrap();
    program.vjp().unwrap();
    array_derivatives::at(&program, points)
}

/// The adjoints of a program, for these arguments and these adjoints of its results.
pub(crate) fn pulled(source: &str, arguments: Arguments, adjoints: Arguments) -> String {
    let n = adjoints.len();
    let vjp = Program::parse(source).unwrap().vjp().unwrap();
    shown(&vjp.run(&[arguments, adjoints].concat()).unwrap()[n..])
}

pub(crate) fn shown(values: &[Value<f64>]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
