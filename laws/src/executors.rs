//! Laws of executors: each is the reference interpreter, faster.
//!
//! Law: for every program and all arguments an executor gives what the interpreter gives, up to the order of sums, and
//! where the interpreter gives an error, that error or the results that do not need what is wrong. A run within its limits is
//! a run without.

use core::sync::atomic::{AtomicU64, Ordering};

use catadiff::Error;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, I64};
use catadiff::interpret::{Cancel, Control, Limits, Value};

use crate::array_programs::ArrayProgram;
use crate::array_values::all_close;
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
            if all_close(&found, &expected, CLOSE) {
                Ok(())
            } else {
                Err(violation(program, arguments, &shown(&found), &shown(&expected)))
            }
        }
        // What is not needed is not executed, so an error that it would have been may not be reported.
        (_, Err(_)) => Ok(()),
        (Err(error), Ok(expected)) => Err(violation(program, arguments, &error, &shown(&expected))),
    }
}

/// A run within as many steps as it takes is a run without limits; within one less it is an error, and so is one that is
/// cancelled; and whatever became of a run, the next of the same compiled program is right. Answers how many steps it takes,
/// which does not depend on the number of threads.
///
/// # Errors
/// The violation.
pub fn keeps_to_limits(program: &Program, arguments: &[Value<f64>]) -> Result<u64, Violation> {
    let compiled = program.compile().map_err(|error| violation(program, arguments, &error, "a compiled program"))?;
    let Ok(expected) = compiled.run(arguments).map(|results| shown(&results)) else { return Ok(0) };
    let run = |control: Control<'_>| match compiled.run_within(arguments, control) {
        Ok(results) => shown(&results),
        Err(Error::Budget { what, limit, .. }) => format!("no more {what} than {limit}"),
        Err(Error::Cancelled { .. }) => "cancelled".to_owned(),
        Err(error) => error.to_string(),
    };
    let is = |found: String, expected: &str| {
        if found == expected { Ok(()) } else { Err(violation(program, arguments, &found, expected)) }
    };
    let steps = AtomicU64::new(0);
    let note = |taken| {
        steps.fetch_max(taken, Ordering::Relaxed);
    };
    is(run(Control::default().with_progress(1, &note)), &expected)?;
    let steps = steps.into_inner();
    let within = |steps| Control::from(&Limits { steps, ..Limits::default() });
    is(run(within(steps)), &expected)?;
    if let Some(fewer) = steps.checked_sub(1) {
        is(run(within(fewer)), &format!("no more steps than {fewer}"))?;
    }
    let cancel = Cancel::new();
    let stop = |_| cancel.cancel();
    let found = run(Control::default().cancelled_by(&cancel).with_progress(1, &stop));
    if found != "cancelled" {
        // It was done before it looked again.
        is(found, &expected)?;
    }
    cancel.cancel();
    is(run(Control::default().cancelled_by(&cancel)), "cancelled")?;
    is(run(within(steps)), &expected)?;
    Ok(steps)
}

/// A reduction starts from its first operand once, whatever it is: by an operator of which nothing is known but that it commutes,
/// and by one on pairs of which a part is known.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the programs are not well typed.
pub fn starts_count_once(start: i64, elements: &[i64]) -> Verdict {
    let program = Program::trace(|xs: Arr<I64>, start: I64| {
        let one = xs.reduce_commutative(start, |x, y| x + y + x * y);
        let (sum, product) = xs.zip(xs).reduce_commutative((start, start), |(a, b), (c, d)| (a + c, b * d));
        (one, sum, product)
    });
    let elements = Value::new(elements.to_vec()).expect("a list is an array");
    same(&program.expect("the program is well typed"), &[elements, start.into()])
}

fn shown(values: &[Value<f64>]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
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
