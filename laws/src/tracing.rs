//! Laws of tracing: a trace computes what the program does, and is its own trace.
//!
//! Law: equations 8 and 9 of "Maintaining parallelism in reverse-mode automatic differentiation on functional parallel
//! array languages", for both choices of what is kept; no control flow is left outside of functions, and with scalars
//! alone no array operation; a replay elsewhere agrees with the program or is refused; all ways to reverse mode agree
//! (tests/array/tracing.rs).

use catadiff::Error;
use catadiff::array::{Atom, Op, Program};
use catadiff::interpret::{Value, run};
use catadiff::tracing::{Keep, Trace, probe, trace};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, close, directions, finite, list, mixes, reals, violation, widened};
use crate::drawings;
use crate::violation::{Verdict, Violation};

/// Both choices of what is kept.
const KEEPS: [Keep; 2] = [Keep::Scalars, Keep::Arrays];

fn fails(law: &str, program: &Program, at: &[Value<f64>], left: impl ToString, right: impl ToString) -> Verdict {
    Err(violation(law, program, at, left, right))
}

fn traced(program: &Program, at: &[Value<f64>], keep: Keep) -> Result<Trace, Violation> {
    let law = "a program that runs has a trace, which verifies";
    let trace = trace(program, at, keep, &LIMITS)
        .or_else(|error| fails(law, program, at, error, "Ok(…)").map(|()| unreachable!("it fails")))?;
    trace.program().verify().or_else(|error| fails(law, program, at, error, trace.program()))?;
    Ok(trace)
}

/// Equation 8: the trace, run on the arguments it was taken at, gives what the program gives.
///
/// # Errors
/// The violation.
pub fn computes_the_same(program: &Program, at: &[Value<f64>]) -> Verdict {
    let results = match run(program, at, &LIMITS) {
        Ok(results) => results,
        Err(error) => {
            let other = KEEPS.into_iter().find_map(|keep| trace(program, at, keep, &LIMITS).ok());
            let law = "a program that does not run has no trace";
            return other.map_or(Ok(()), |trace| fails(law, program, at, trace.program(), error));
        }
    };
    for keep in KEEPS {
        let trace = traced(program, at, keep)?;
        for ran in [trace.run(at), run(trace.program(), at, &LIMITS)] {
            let left = ran.as_ref().map_or_else(ToString::to_string, |results| list(results));
            if left != list(&results) {
                return fails(
                    "eval(trace(p, i), i) = eval(p, i)",
                    program,
                    at,
                    format!("{left}\n{}", trace.program()),
                    list(&results),
                );
            }
        }
    }
    Ok(())
}

/// Equation 9: the trace of the trace is the trace, variable by variable, and has nothing left to decide but sizes.
///
/// # Errors
/// The violation.
pub fn is_its_own_trace(program: &Program, at: &[Value<f64>]) -> Verdict {
    if run(program, at, &LIMITS).is_err() {
        return Ok(());
    }
    for keep in KEEPS {
        let once = traced(program, at, keep)?;
        let twice = traced(once.program(), at, keep)?;
        if once.program() != twice.program() {
            return fails("trace(trace(p, i), i) = trace(p, i)", program, at, twice.program(), once.program());
        }
        let decided: Vec<String> = twice
            .decisions()
            .into_iter()
            .filter(|d| !d.starts_with("the sizes of") && !d.starts_with("size["))
            .collect();
        if !decided.is_empty() {
            return fails("a trace decides nothing but sizes", program, at, decided.join(", "), once.program());
        }
    }
    Ok(())
}

/// A trace is a straight line: with arrays kept no `if` and no `loop` are outside of functions; with scalars alone there
/// are scalar operations, and what splits arguments and puts results together.
///
/// # Errors
/// The violation.
pub fn is_straight(program: &Program, at: &[Value<f64>]) -> Verdict {
    if run(program, at, &LIMITS).is_err() {
        return Ok(());
    }
    for keep in KEEPS {
        let trace = traced(program, at, keep)?;
        let bent = trace.program().function().body.stms.iter().find(|stm| match (&stm.op, keep) {
            (Op::If(..) | Op::Loop(_), _) => true,
            (Op::Scalar(..) | Op::Index(..) | Op::Elements(_) | Op::Reshape(..) | Op::Custom(_), Keep::Scalars) => {
                false
            }
            // Of an array without elements.
            (Op::Replicate(..), Keep::Scalars) => false,
            (_, Keep::Scalars) => true,
            (_, _) => false,
        });
        if let Some(stm) = bent {
            return fails("a trace is a straight line", program, at, format!("{:?}", stm.op), trace.program());
        }
    }
    Ok(())
}

/// At other arguments a trace gives what the program gives there, or is refused; it is an error where the program is.
///
/// # Errors
/// The violation.
pub fn replays_or_refuses(program: &Program, at: &[Value<f64>], elsewhere: &[Value<f64>]) -> Verdict {
    if run(program, at, &LIMITS).is_err() {
        return Ok(());
    }
    for keep in KEEPS {
        let trace = traced(program, at, keep)?;
        match (trace.run(elsewhere), run(program, elsewhere, &LIMITS)) {
            (Err(Error::BranchChanged { .. }), _) | (Err(_), Err(_)) => {}
            (Ok(replayed), Ok(results)) if list(&replayed) == list(&results) => {}
            (replayed, results) => {
                let law = "a replay agrees with the program or is refused";
                let left = format!("{replayed:?} at {}\n{}", list(elsewhere), trace.program());
                return fails(law, program, at, left, format!("{results:?}"));
            }
        }
    }
    Ok(())
}

/// All ways to reverse mode agree: `vjp` of the program, `vjp` of its traces, and the reverse pass over each trace. Reals
/// of single precision are taken for doubles.
///
/// # Errors
/// The violation.
pub fn reverse_modes_agree(program: &Program, at: &[Value<f64>]) -> Verdict {
    let program = &widened(program);
    let Ok(results) = run(program, at, &LIMITS) else { return Ok(()) };
    if !finite(&results) || mixes(program) {
        return Ok(());
    }
    let adjoints = directions(&results, 11);
    let both = [at, &adjoints].concat();
    let pulled = |program: &Program| match program.vjp() {
        Ok(vjp) => run(&vjp, &both, &LIMITS).map(|all| Some(all[results.len()..].to_vec())),
        Err(Error::NotDifferentiable { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let Ok(Some(expected)) = pulled(program) else { return Ok(()) };
    let expected = reals(&expected);

    for keep in KEEPS {
        let trace = traced(program, at, keep)?;
        let others = [
            (
                "the reverse pass over the trace of p = vjp p",
                trace.reverse(at, &adjoints).map(|(_, found)| Some(found)),
            ),
            ("vjp (trace of p) = vjp p", pulled(trace.program())),
        ];
        for (law, found) in others {
            match found {
                Ok(None) => {}
                Ok(Some(found)) if close(&reals(&found), &expected) => {}
                found => return fails(law, program, at, format!("{keep:?}: {found:?}"), format!("{expected:?}")),
            }
        }
    }
    Ok(())
}

/// A run that is probed has the results of the run; its parameters are seen as the arguments, with the adjoints of the reverse pass, if reals
/// of single precision are taken for doubles; and what is a result is seen with its value.
///
/// # Errors
/// The violation.
pub fn probed(program: &Program, at: &[Value<f64>]) -> Verdict {
    let Ok(results) = run(program, at, &LIMITS) else { return Ok(()) };
    let adjoints = directions(&results, 11);
    let seen = match probe(program, at, Some(&adjoints), &LIMITS) {
        Ok(seen) => seen,
        Err(Error::NotDifferentiable { .. }) => return Ok(()),
        Err(error) => return fails("a program that runs can be probed", program, at, error, "Ok(…)"),
    };
    if list(seen.results()) != list(&results) {
        return fails("probing changes no result", program, at, list(seen.results()), list(&results));
    }
    if let Ok(drawing) = seen.picture().drawing() {
        drawings::boxes(&drawing)?;
        drawings::markup(&drawing.to_svg())?;
    }
    for (param, argument) in program.function().params.iter().zip(at) {
        let [sight] = seen.bindings(*param) else {
            return fails("a parameter is bound once", program, at, seen.times(*param), 1);
        };
        if sight.values != argument.elements()[..sight.values.len()] || sight.sizes != argument.sizes() {
            return fails("a parameter is the argument", program, at, format!("{sight:?}"), format!("{argument:?}"));
        }
    }
    adjoints_are_probed(&widened(program), at, &adjoints)?;
    for (atom, result) in program.function().body.results.iter().zip(&results) {
        let Atom::Var(var) = atom else { continue };
        let sights = seen.bindings(*var);
        let values = sights.first().map(|sight| &sight.values[..]).unwrap_or_default();
        if sights.len() != 1 || format!("{values:?}") != format!("{:?}", &result.elements()[..values.len()]) {
            return fails("a result is seen", program, at, format!("{sights:?}"), format!("{result:?}"));
        }
    }
    Ok(())
}

/// The adjoints of the parameters that are seen are those of the reverse pass.
fn adjoints_are_probed(program: &Program, at: &[Value<f64>], adjoints: &[Value<f64>]) -> Verdict {
    let Ok((results, expected)) = traced(program, at, Keep::Scalars)?.reverse(at, adjoints) else {
        return fails("what can be probed has a reverse pass", program, at, "", "");
    };
    let seen = match probe(program, at, Some(adjoints), &LIMITS) {
        Ok(seen) => seen,
        Err(error) => return fails("what has a reverse pass can be probed", program, at, error, "Ok(…)"),
    };
    if !finite(&results) || mixes(program) {
        return Ok(());
    }
    for (param, adjoint) in program.function().params.iter().zip(&expected) {
        let wanted: Vec<f64> = adjoint.to_reals().unwrap_or(vec![0.0; adjoint.elements().len()]);
        let sight = &seen.bindings(*param)[0];
        let found = sight.adjoints.as_deref().unwrap_or_default();
        if !close(found, &wanted[..sight.values.len()]) {
            let law = "the adjoint of a parameter is that of the reverse pass";
            return fails(law, program, at, format!("{found:?}"), format!("{wanted:?}"));
        }
    }
    Ok(())
}

/// All of these, of a random program.
///
/// # Errors
/// The violation.
pub fn of_random(random: &ArrayProgram) -> Verdict {
    let (program, at) = (random.program(), random.arguments());
    computes_the_same(&program, &at)?;
    is_its_own_trace(&program, &at)?;
    is_straight(&program, &at)?;
    reverse_modes_agree(&program, &at)?;
    probed(&program, &at)?;
    random.elsewhere().iter().try_for_each(|elsewhere| replays_or_refuses(&program, &at, elsewhere))
}
