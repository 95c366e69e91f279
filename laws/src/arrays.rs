//! Laws of array programs: their text, their meaning, and the errors of what does not fit.
//!
//! Law: what is built verifies; print and parse are inverse; a program whose sizes fit runs, and one whose sizes do not
//! is an error and never a panic; a meaning in one carrier is the image of the meaning in another
//! (tests/array/text.rs).

use catadiff::Error;
use catadiff::array::Program;
use catadiff::carriers::Dual;
use catadiff::interpret::{Limits, Value, run};
use catadiff::term::{Arena, Term};

use crate::approx::{Bound, Same};
use crate::array_programs::ArrayProgram;
use crate::array_values::{on, violation};
use crate::violation::Verdict;

/// As much as any random program needs, and far more.
const LIMITS: Limits = Limits { steps: 10_000_000, elements: 10_000_000 };

impl Same for ArrayProgram {
    fn same(&self, other: &Self, _: Bound) -> bool {
        self == other
    }
    fn show(&self) -> String {
        on(&self.program(), &self.arguments())
    }
}

fn holds(law: &str, of: &ArrayProgram, holds: bool, left: impl ToString, right: impl ToString) -> Verdict {
    if holds {
        return Ok(());
    }
    Err(violation(law, &of.program(), &of.arguments(), left, right))
}

/// Text says everything: parsing what a program prints gives the program, with canonical numbers; and the sizes that are
/// printed with it, or with its derivative, are found to hold.
///
/// # Errors
/// The violation.
pub fn text(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let (parsed, canonical) = (Program::parse(&program.to_string()), program.renumbered());
    let shown = parsed.as_ref().map_or_else(ToString::to_string, ToString::to_string);
    holds("parse(print(p)) = p", random, parsed.as_ref() == Ok(&canonical), shown, &canonical)?;
    let again = Program::parse(&canonical.to_string());
    holds("parse(print(p)) = p, exactly", random, again == Ok(canonical.clone()), format!("{again:?}"), &canonical)?;
    with_sizes(random, &canonical)?;
    program.vjp().map_or(Ok(()), |derivative| with_sizes(random, &derivative.renumbered()))
}

fn with_sizes(random: &ArrayProgram, canonical: &Program) -> Verdict {
    let printed = canonical.with_sizes().to_string();
    let again = Program::parse(&printed);
    let shown = again.as_ref().map_or_else(ToString::to_string, ToString::to_string);
    holds("parse(print with sizes(p)) = p", random, again.as_ref() == Ok(canonical), shown, &printed)
}

/// Programs whose sizes fit run without an error, and mean the same after renumbering.
///
/// # Errors
/// The violation.
pub fn runs(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let results = run(&program, &random.arguments(), &LIMITS);
    holds("p runs", random, results.is_ok(), format!("{results:?}"), "Ok(…)")?;
    let again = run(&program.renumbered(), &random.arguments(), &LIMITS);
    let same = format!("{results:?}") == format!("{again:?}"); // NaN is as good as any other result.
    holds("renumbering keeps the meaning", random, same, format!("{again:?}"), format!("{results:?}"))
}

/// Arguments that do not fit, and limits that are too small, are errors and not panics.
///
/// # Errors
/// The violation.
pub fn misfits(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    for lengths in [[0, 1, 2, 3], [3, 3, 0, 2], [2, 0, 1, 7], [4, 5, 4, 1]] {
        for columns in [0, 2] {
            // Whether it fits is a matter of chance; that there is an answer is the law.
            drop(run(&program, &random.arguments_of(lengths, columns), &LIMITS));
        }
    }
    for steps in [0, 1, 10] {
        let limited = run(&program, &random.arguments(), &Limits { steps, elements: 20 });
        let enough = program.function().body.stms.len() as u64 <= steps;
        holds("a run takes no more steps than allowed", random, enough || limited.is_err(), "Ok(…)", "Err(…)")?;
    }
    Ok(())
}

/// Forgetting tangents is a homomorphism: the values of a run on dual numbers are those of the run on their values.
///
/// # Errors
/// The violation.
pub fn values_of_duals(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let duals: Vec<Value<Dual<f64>>> =
        random.arguments().iter().map(|v| v.map(|x| Dual { value: *x, tangent: 1.0 })).collect();
    let plain = run(&program, &random.arguments(), &LIMITS);
    let of_duals = run(&program, &duals, &LIMITS)
        .map(|results| results.iter().map(|v| v.map(|x| x.value)).collect::<Vec<Value<f64>>>());
    let (left, right) = (format!("{of_duals:?}"), format!("{plain:?}"));
    holds("the values of p on duals = p on values", random, left == right, &left, &right)
}

/// Evaluation is a homomorphism: a program becomes terms, which evaluate to what the program computes; unless it decides
/// on reals, which terms refuse.
///
/// # Errors
/// The violation.
pub fn terms(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (random.program(), random.arguments());
    let arena = Arena::<usize>::new();
    let mut point = Vec::new();
    let mut variable = |x: &f64| {
        point.push(*x);
        arena.variable(point.len() - 1)
    };
    let variables: Vec<Value<Term<'_, usize>>> = arguments.iter().map(|v| v.map(&mut variable)).collect();
    let melted = match run(&program, &variables, &LIMITS) {
        Err(Error::Undecided { .. }) => return Ok(()),
        melted => melted.map(|results| {
            let value = |term: &Term<'_, usize>| term.eval(|n| point[*n]);
            results.iter().map(|v| v.map(value)).collect::<Vec<Value<f64>>>()
        }),
    };
    let plain = run(&program, &arguments, &LIMITS);
    // Adding 0 to -0 is all that the arena's rewriting may show.
    let shown = |results: &Result<Vec<Value<f64>>, Error>| format!("{results:?}").replace("-0.0", "0.0");
    let (left, right) = (shown(&melted), shown(&plain));
    holds("eval(p on terms) = p on values", random, left == right, &left, &right)
}
