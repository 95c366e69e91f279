//! One program under two executors: as one of them has prepared it, and as the reference interpreter runs it.
//!
//! Law: a run gives what the interpreter gives, up to the order of sums, of which those of single precision move results as far
//! as random rounding does, or finds the fault that it finds; what no result needs need not be found
//! (tests/laws/executors.rs).

use core::mem::discriminant;

use catadiff::array::Program;
use catadiff::execute::{Executor, Fault, Interpreter, Outcome, Prepared, Unsupported};
use catadiff::interpret::{Control, Limits, Value};

use crate::array_values::{LIMITS, all_close, is_rounded, list, violation};
use crate::shaken::Run;
use crate::violation::{Verdict, Violation};

/// The largest distance of two reals that are sums of the same numbers in another order.
pub(crate) const TOLERANCE: f64 = 1e-9;
/// The largest distance where rounding otherwise is not to blame.
const SETTLED: f64 = TOLERANCE / 100.0;

/// What is checked of each run.
pub(crate) const LAW: &str = "executed(p) = interpreted(p)";

/// How a run ended that keeps the law.
pub(crate) enum Ended {
    Done,
    Stepwise,
    Fault,
    Unneeded,
    Unsupported(Unsupported),
    Unsettled,
    Limited,
}

/// How much of a fault has to be that of the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// Its kind, and the statement.
    Place,
    /// The operands as well: but one element makes it wrong.
    Operands,
}

/// How a run is compared with that of the interpreter.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) arguments: &'a [Value<f64>],
    pub(crate) exactness: Exactness,
    /// Limits that may end it, where digits that are not right may also differ.
    pub(crate) within: Option<Limits>,
}

impl<'a> Ask<'a> {
    pub(crate) fn on(arguments: &'a [Value<f64>]) -> Self {
        Ask { arguments, exactness: Exactness::Place, within: None }
    }

    fn control(&self) -> Control<'_> {
        self.within.as_ref().map_or_else(Control::default, Control::from)
    }
}

/// A program that an executor has prepared, to be compared with what the interpreter makes of it.
#[derive(Debug)]
pub struct Sides<'p> {
    program: &'p Program,
    prepared: Result<Box<dyn Prepared>, Unsupported>,
}

impl<'p> Sides<'p> {
    /// The program, prepared.
    ///
    /// # Errors
    /// The violation, if the program cannot be prepared. One that the executor does not support can be.
    pub fn of(executor: &dyn Executor, program: &'p Program) -> Result<Self, Violation> {
        let refused = |error: catadiff::Error| violation::<f64>(LAW, program, &[], error, "a run");
        Ok(Sides { program, prepared: executor.prepare(program).map_err(refused)? })
    }

    /// Both are the same on these arguments: the executor can run the program, at the first attempt.
    ///
    /// # Errors
    /// The violation.
    pub fn same(&self, arguments: &[Value<f64>]) -> Verdict {
        let wrong = |found: String, wanted: &str| Err(violation(LAW, self.program, arguments, found, wanted));
        match self.judge(Ask::on(arguments))? {
            Ended::Stepwise => wrong("results at the second attempt".into(), "at the first"),
            Ended::Unsupported(why) => wrong(format!("unsupported: {why}"), "a run"),
            Ended::Done | Ended::Fault | Ended::Unneeded | Ended::Unsettled | Ended::Limited => Ok(()),
        }
    }

    /// What the executor makes of arguments.
    pub(crate) fn outcome(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome, Violation> {
        match &self.prepared {
            Ok(prepared) => {
                let refused = |error: catadiff::Error| violation(LAW, self.program, arguments, error, "a run");
                prepared.run(arguments, control).map_err(refused)
            }
            Err(unsupported) => Ok(Outcome::Unsupported(unsupported.clone())),
        }
    }

    /// Whether few digits of the interpreter's results are right, so that they are as far from those of any other rounding.
    fn is_unsettled(&self, ask: Ask<'_>, expected: &[Value<f64>]) -> bool {
        let run = |limits| Run { program: self.program, arguments: ask.arguments, limits };
        let shaken = ask.within.and_then(|limits| run(limits).rounded(1));
        shaken.is_some_and(|shaken| !all_close(&shaken, expected, SETTLED))
    }

    /// Whether results are what sums of half or single precision can be that are taken in another order.
    fn is_another_rounding(&self, ask: Ask<'_>, found: &[Value<f64>], expected: &[Value<f64>]) -> bool {
        let run = Run { program: self.program, arguments: ask.arguments, limits: ask.within.unwrap_or(LIMITS) };
        is_rounded(self.program) && run.is_another_rounding(found, expected, TOLERANCE)
    }

    /// How the run ended, if it keeps the law.
    pub(crate) fn judge(&self, ask: Ask<'_>) -> Result<Ended, Violation> {
        let interpreted = |program: &Program| Sides::of(&Interpreter, program)?.outcome(ask.arguments, ask.control());
        let (found, expected) = (self.outcome(ask.arguments, ask.control())?, interpreted(self.program)?);
        let wrong = |law: &str| Err(violation(law, self.program, ask.arguments, shown(&found), shown(&expected)));
        let is_end = |outcome: &Outcome| matches!(outcome, Outcome::Fault(fault) if fault.is_end());
        if ask.within.is_some() && (is_end(&found) || is_end(&expected)) {
            return Ok(Ended::Limited);
        }
        match (&found, &expected) {
            (Outcome::Unsupported(why), _) => Ok(Ended::Unsupported(why.clone())),
            (Outcome::Done { results, stepwise }, Outcome::Done { results: expected, .. }) => {
                let is_close =
                    all_close(results, expected, TOLERANCE) || self.is_another_rounding(ask, results, expected);
                match (is_close, stepwise) {
                    (false, _) if self.is_unsettled(ask, expected) => Ok(Ended::Unsettled),
                    (false, _) => wrong(LAW),
                    (true, false) => Ok(Ended::Done),
                    (true, true) => Ok(Ended::Stepwise),
                }
            }
            (Outcome::Fault(_), Outcome::Done { .. }) => wrong("a fault of the executor is one of the interpreter"),
            (Outcome::Fault(found), Outcome::Fault(expected)) if is_same(found, expected, ask.exactness) => {
                Ok(Ended::Fault)
            }
            (Outcome::Fault(_), Outcome::Fault(_)) => {
                wrong("a fault is of the kind, and in the place, that the interpreter finds")
            }
            (Outcome::Done { results, .. }, Outcome::Fault(_)) => {
                // What is not needed is not executed: what the simplifier leaves out, which executes no more than is needed.
                match interpreted(&self.program.simplified())? {
                    Outcome::Done { results: simple, .. }
                        if !all_close(results, &simple, TOLERANCE)
                            && !self.is_another_rounding(ask, results, &simple) =>
                    {
                        wrong(LAW)
                    }
                    Outcome::Done { .. } => Ok(Ended::Fault),
                    Outcome::Fault(_) | Outcome::Unsupported(_) => Ok(Ended::Unneeded),
                }
            }
            (_, Outcome::Unsupported(_)) => unreachable!("the interpreter runs every program"),
        }
    }
}

/// Whether a fault is that of the interpreter.
pub(crate) fn is_same(found: &Fault, expected: &Fault, exactness: Exactness) -> bool {
    match exactness {
        Exactness::Operands => found == expected,
        Exactness::Place => {
            found.statement == expected.statement && discriminant(&found.kind) == discriminant(&expected.kind)
        }
    }
}

/// An outcome as it is shown, and compared where all of it matters.
pub(crate) fn shown(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done { results, stepwise: false } => list(results),
        Outcome::Done { results, stepwise: true } => format!("{}, at the second attempt", list(results)),
        Outcome::Fault(fault) => format!("a fault: {fault}"),
        Outcome::Unsupported(why) => format!("unsupported: {why}"),
    }
}
