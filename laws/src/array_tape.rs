//! Reverse mode of array programs against the tape of the scalar layer: two implementations that share no rule of arrays.
//!
//! Law: `p.vjp()` pulls back what the tape pulls back that is recorded while `p` is interpreted: arrays, loops and
//! branches are unrolled, and reverse mode on a straight-line program remains (tests/array/exact.rs).

use catadiff::array::Program;
use catadiff::derivative::Base;
use catadiff::interpret::{Value, run};
use catadiff::{Error, Result, vjp};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, close, directions, finite, mixes, reals, violation, widened};
use crate::violation::Verdict;

/// What the tape pulls back, for adjoints of the real results, to all reals among the arguments.
pub(crate) fn by_tape<S: Base>(program: &Program, arguments: &[Value<S>], adjoints: &[S]) -> Result<Vec<S>> {
    if adjoints.is_empty() {
        return Ok(reals(arguments).iter().map(|_| S::zero()).collect());
    }
    let (_, pullback) = vjp(
        |x| {
            let mut variables = x.iter();
            let mut next = |_: &S| *variables.next().expect("a variable for each real");
            let arguments: Vec<_> = arguments.iter().map(|v| v.map(&mut next)).collect();
            reals(&run(program, &arguments, &LIMITS).expect("what runs on numbers runs on the tape"))
        },
        &reals(arguments),
    )?;
    pullback.call(adjoints)
}

/// Reverse mode by the transformation and by the tape. Reals of single precision are taken for doubles.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run on these arguments.
pub fn at(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let program = &widened(program);
    let fails = |law: &str, left: String, right: String| Err(violation(law, program, arguments, left, right));
    let results = run(program, arguments, &LIMITS).expect("the program runs");
    if !finite(&results) {
        return Ok(());
    }
    let pulled = match program.vjp_wrt(..) {
        Ok(pulled) => pulled,
        Err(Error::NotDifferentiable { .. } | Error::Empty { .. }) => return Ok(()),
        Err(error) => return fails("there is a derivative", error.to_string(), "Ok(…)".into()),
    };
    let adjoints = directions(&results, 5);
    let left = match run(&pulled, &[arguments, &adjoints[..]].concat(), &LIMITS) {
        Ok(found) => reals(&found[results.len()..]),
        Err(error) => return fails("a derivative runs", format!("{error}\n{pulled}"), "Ok(…)".into()),
    };
    let law = "vjp p = p on the tape";
    let right = match by_tape(program, arguments, &reals(&adjoints)) {
        Ok(right) => right,
        Err(error) => return fails(law, format!("{left:?}"), error.to_string()),
    };
    if close(&left, &right) { Ok(()) } else { fails(law, format!("{left:?}"), format!("{right:?}")) }
}

/// The same of a random program, unless it takes reals to integers: the transformation carries their tangents on.
///
/// # Errors
/// The violation.
pub fn reverse(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    if mixes(&program) { Ok(()) } else { at(&program, &random.arguments()) }
}
