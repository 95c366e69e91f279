//! Laws of simplification: what a program gives, what it costs, and that there is an end to it.
//!
//! Law: `p.simplified()` verifies, gives what `p` gives, performs no more operations on reals than `p`, and is as
//! simple as it gets: simplified again it is the same text. Of accumulators the order of additions is free, and there
//! may be one more for each step: what would be added out of bounds, which is no addition, may be summed before, from
//! zero on (tests/transform/simplify.rs).

use catadiff::array::Program;
use catadiff::carriers::{Counted, Counter};
use catadiff::interpret::{Value, measure, run};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, all_close, violation, widened};
use crate::violation::Verdict;

/// The largest distance, relative to the larger, of two reals that are sums of the same numbers in another order.
const REORDERED: f64 = 1e-9;

fn fails(law: &str, random: &ArrayProgram, left: impl ToString, right: impl ToString) -> Verdict {
    Err(violation(law, &random.program(), &random.arguments(), left, right))
}

/// Whether a program has accumulators, whose additions have no order.
fn accumulates(program: &Program) -> bool {
    program.types().iter().any(|of| of.accumulator)
}

/// The program, of doubles if it accumulates: numbers of fewer digits show the order of additions.
fn in_any_order(random: &ArrayProgram) -> Program {
    let program = random.program();
    if accumulates(&program) { widened(&program) } else { program }
}

/// What a run costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Additions of reals.
    pub additions: u64,
    /// Other operations on reals.
    pub others: u64,
    /// Statements and iterations of all kinds.
    pub steps: u64,
}

/// What a program gives for these arguments, and what that costs.
///
/// # Errors
/// Those of running it.
pub fn cost(program: &Program, arguments: &[Value<f64>]) -> catadiff::Result<(Vec<Value<f64>>, Cost)> {
    let counter = Counter::new();
    let counted: Vec<Value<Counted<'_, f64>>> =
        arguments.iter().map(|value| value.map(|x| counter.number(*x))).collect();
    let (results, usage) = measure(program, &counted, &LIMITS)?;
    let others = counter.multiplications() + counter.primitives();
    let cost = Cost { additions: counter.additions(), others, steps: usage.steps };
    Ok((results.iter().map(|value| value.map(|x| x.value)).collect(), cost))
}

/// The simplified program gives the same, for no more.
///
/// # Errors
/// The violation.
pub fn no_more_work(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (in_any_order(random), random.arguments());
    let simple = program.simplified();
    if let Err(error) = simple.verify() {
        return fails("p.simplified() verifies", random, error, "Ok(())");
    }
    let (Ok((wanted, before)), found) = (cost(&program, &arguments), cost(&simple, &arguments)) else {
        return fails("p runs", random, "Err(…)", "Ok(…)");
    };
    let Ok((given, after)) = found else {
        return fails("p.simplified() runs", random, format!("{found:?}\n{simple}"), "Ok(…)");
    };
    // Zeros may lose their sign.
    let shown = |values: &[Value<f64>]| values.iter().map(|v| v.to_string().replace("-0,", "0,")).collect::<Vec<_>>();
    let accumulates = accumulates(&program);
    let is_same = if accumulates { all_close(&given, &wanted, REORDERED) } else { shown(&given) == shown(&wanted) };
    if !is_same {
        return fails("p.simplified() = p", random, format!("{given:?}\n{simple}"), format!("{wanted:?}"));
    }
    // A statement that adds to an accumulator is a step, wherever it adds.
    let additions = before.additions + if accumulates { before.steps } else { 0 };
    if after.others > before.others || after.additions > additions {
        let law = "cost(p.simplified()) ≤ cost(p)";
        return fails(law, random, format!("{after:?}\n{simple}"), format!("{before:?}"));
    }
    Ok(())
}

/// What each pass makes of a program, and of its derivative, verifies and gives what the program gives.
///
/// # Errors
/// The violation.
pub fn of_each_pass(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (in_any_order(random), random.arguments());
    let wanted = run(&program, &arguments, &LIMITS);
    for (pass, after) in program.passes() {
        if let Err(error) = after.verify() {
            return fails(&format!("p after the pass `{pass}` verifies"), random, error, after);
        }
        let found = run(&after, &arguments, &LIMITS);
        if let (Ok(found), Ok(wanted)) = (&found, &wanted)
            && all_close(found, wanted, REORDERED)
        {
            continue;
        }
        return fails(
            &format!("p after the pass `{pass}` = p"),
            random,
            format!("{found:?}\n{after}"),
            format!("{wanted:?}"),
        );
    }
    let Ok(derivative) = program.vjp() else { return Ok(()) };
    let wrong =
        derivative.passes().into_iter().find_map(|(pass, after)| after.verify().err().map(|error| (pass, error)));
    wrong.map_or(Ok(()), |(pass, error)| {
        fails(&format!("vjp p after the pass `{pass}` verifies"), random, error, derivative)
    })
}

/// A simplified program is as simple as it gets; so are its derivatives.
///
/// # Errors
/// The violation.
pub fn settles(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let derivatives = [program.jvp(), program.vjp()].into_iter().filter_map(Result::ok);
    for simple in core::iter::once(program.simplified()).chain(derivatives) {
        let (once, twice) = (simple.to_string(), simple.simplified().to_string());
        if once != twice {
            return fails("p.simplified().simplified() = p.simplified()", random, twice, once);
        }
    }
    Ok(())
}
