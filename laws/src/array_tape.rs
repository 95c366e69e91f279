//! Reverse mode of array programs against the tape of the scalar layer: two implementations that share no rule of arrays.
//!
//! Law: `p.vjp()` pulls back what the tape pulls back that is recorded while `p` is interpreted: arrays, loops and
//! branches melt away, and what is left is reverse mode on a straight line.

use catadiff::array::Program;
use catadiff::derivative::Base;
use catadiff::interpret::{Limits, Scalar, Value, run};
use catadiff::{Error, Result, vjp};

use crate::array_derivatives::mixes;
use crate::array_programs::ArrayProgram;
use crate::violation::{Verdict, Violation};

const LIMITS: Limits = Limits { steps: 50_000_000, elements: 50_000_000 };

/// How far the two may be apart, relative to the larger of 1 and their size: they add in different orders.
const CLOSE: f64 = 1e-8;

/// All reals in these values, in order.
pub(crate) fn all_reals<C: Copy>(values: &[Value<C>]) -> Vec<C> {
    let real = |x: &Scalar<C>| if let Scalar::Real(x) = x { Some(*x) } else { None };
    values.iter().flat_map(|v| v.elements().iter().filter_map(real)).collect()
}

/// What the tape pulls back, for adjoints of the real results, to all reals among the arguments.
pub(crate) fn by_tape<S: Base>(program: &Program, arguments: &[Value<S>], adjoints: &[S]) -> Result<Vec<S>> {
    if adjoints.is_empty() {
        return Ok(all_reals(arguments).iter().map(|_| S::zero()).collect());
    }
    let (_, pullback) = vjp(
        |x| {
            let mut variables = x.iter();
            let mut next = |_: &S| *variables.next().expect("a variable for each real");
            let arguments: Vec<_> = arguments.iter().map(|v| v.map(&mut next)).collect();
            all_reals(&run(program, &arguments, &LIMITS).expect("what runs on numbers runs on the tape"))
        },
        &all_reals(arguments),
    )?;
    pullback.call(adjoints)
}

/// Reverse mode by the transformation and by the tape.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run on these arguments.
pub fn at(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let fails = |law: &str, left: String, right: String| {
        let on: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let shown = format!("\n{program}on {}", on.join(", "));
        Err(Violation { law: law.into(), instances: vec![("p".into(), shown)], left, right })
    };
    let results = run(program, arguments, &LIMITS).expect("the program runs");
    // Where a result is infinite or NaN, so may be anything of its derivative.
    if all_reals(&results).iter().any(|x| !x.is_finite()) {
        return Ok(());
    }
    let pulled = match program.vjp_wrt(..) {
        Ok(pulled) => pulled,
        Err(Error::NotDifferentiable { .. } | Error::Empty { .. }) => return Ok(()),
        Err(error) => return fails("there is a derivative", error.to_string(), "Ok(…)".into()),
    };
    let mut weight = 0.5;
    let mut adjoint = |x: &Scalar<f64>| match x {
        Scalar::Bool(_) => Scalar::Bool(false),
        Scalar::I32(_) => Scalar::I32(0),
        Scalar::I64(_) => Scalar::I64(0),
        Scalar::Real(_) => {
            // Between −1 and 1, and never the same.
            weight = 1.0 - 2.0 * (weight * 97.0_f64 + 0.137).fract();
            Scalar::Real(weight)
        }
    };
    let mut seed = |v: &Value<f64>| {
        let elements = v.elements().iter().map(&mut adjoint).collect();
        Value::array(v.sizes(), elements).expect("as many elements as before")
    };
    let adjoints: Vec<Value<f64>> = results.iter().map(&mut seed).collect();
    let left = match run(&pulled, &[arguments, &adjoints[..]].concat(), &LIMITS) {
        Ok(found) => all_reals(&found[results.len()..]),
        Err(error) => return fails("a derivative runs", format!("{error}\n{pulled}"), "Ok(…)".into()),
    };
    let law = "vjp p = p on the tape";
    let right = match by_tape(program, arguments, &all_reals(&adjoints)) {
        Ok(right) => right,
        Err(error) => return fails(law, format!("{left:?}"), error.to_string()),
    };
    // What is infinite by one way may be NaN by another; what is finite is finite.
    let near =
        |(x, y): (&f64, &f64)| x == y || !y.is_finite() || (x - y).abs() <= CLOSE * x.abs().max(y.abs()).max(1.0);
    let same = left.len() == right.len() && left.iter().zip(&right).all(near);
    if same { Ok(()) } else { fails(law, format!("{left:?}"), format!("{right:?}")) }
}

/// The same of a random program, unless it takes reals to integers: the transformation carries their tangents on.
///
/// # Errors
/// The violation.
pub fn reverse(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    if mixes(&program) { Ok(()) } else { at(&program, &random.arguments()) }
}
