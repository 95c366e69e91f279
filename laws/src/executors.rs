//! Laws of executors: each is the reference interpreter, faster.
//!
//! Law: for every program and all arguments an executor gives what the interpreter gives, up to the order of sums, and
//! where the interpreter gives an error, that error or the results that do not need what is wrong.

use catadiff::array::Program;
use catadiff::interpret::{Scalar, Value};

use crate::array_programs::ArrayProgram;
use crate::violation::{Verdict, Violation};

/// How far apart two reals may be that are sums of the same numbers in another order.
const CLOSE: f64 = 1e-9;

/// The executor is the interpreter, on a random program, its derivatives, and arguments of several sizes.
///
/// # Errors
/// The violation.
pub fn agrees(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    for (lengths, columns) in [([3, 4, 2, 5], 3), ([0, 1, 2, 3], 2), ([17, 16, 40, 33], 17), ([129, 130, 5, 64], 2)] {
        same(&program, &random.arguments_of(lengths, columns))?;
    }
    same(&program, &random.arguments())
}

/// A program and its executor, on some arguments.
///
/// # Errors
/// The violation.
pub fn same(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let compiled = program.compile().map_err(|error| violation(program, arguments, &error, "a compiled program"))?;
    match (compiled.run(arguments), program.run(arguments)) {
        (Ok(found), Ok(expected)) => {
            let close = found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| is_close(a, b));
            if close { Ok(()) } else { Err(violation(program, arguments, &shown(&found), &shown(&expected))) }
        }
        // What is not needed is not executed, so an error that it would have been may not be reported.
        (_, Err(_)) => Ok(()),
        (Err(error), Ok(expected)) => Err(violation(program, arguments, &error, &shown(&expected))),
    }
}

fn shown(values: &[Value<f64>]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn is_close(a: &Value<f64>, b: &Value<f64>) -> bool {
    let near =
        |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= CLOSE * (1.0 + a.abs() + b.abs());
    a.sizes() == b.sizes()
        && a.elements().iter().zip(b.elements()).all(|(a, b)| match (a, b) {
            (Scalar::Real(a), Scalar::Real(b)) => near(*a, *b),
            (a, b) => a == b,
        })
}

fn violation(
    program: &Program,
    arguments: &[Value<f64>],
    left: &impl ToString,
    right: &(impl ToString + ?Sized),
) -> Violation {
    let instances = vec![("p".to_owned(), format!("\n{program}on {}", shown(arguments)))];
    Violation {
        law: "compiled(p) = interpreted(p)".into(),
        instances,
        left: left.to_string(),
        right: right.to_string(),
    }
}
