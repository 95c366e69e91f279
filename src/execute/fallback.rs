//! Executors that have the reference interpreter do what they cannot, and say what is wrong.
//!
//! Law: results and errors are those of the interpreter, and a run that it had to do says so.

use core::fmt;

use super::contract::{Ending, Executor, Fault, Outcome, Prepared, Unsupported};
use crate::array::Program;
use crate::error::Result;
use crate::interpret::{self, Control, Value};

/// How a run of a program went.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunReport {
    /// The executor ran the program.
    Bare,
    /// The executor ran the program one statement after the other, which is slow, since something it took for granted did not
    /// hold for the arguments.
    Stepwise,
    /// The executor could not run it, and the interpreter did.
    Unsupported(Unsupported),
    /// The executor found this fault, and the interpreter said what is wrong.
    Fault(Fault),
}

impl RunReport {
    /// How a run went that ended so; the error, if that was by a limit or a wish.
    pub(super) fn of(ending: Ending) -> Result<Self> {
        Ok(match ending {
            Ending::Done { stepwise: false } => RunReport::Bare,
            Ending::Done { stepwise: true } => RunReport::Stepwise,
            Ending::Fault(fault) if fault.is_end() => return Err(fault.into_error()),
            Ending::Fault(fault) => RunReport::Fault(fault),
            Ending::Unsupported(unsupported) => RunReport::Unsupported(unsupported),
        })
    }

    /// Whether the interpreter had to run the program.
    #[must_use]
    pub fn fell_back(&self) -> bool {
        matches!(self, RunReport::Unsupported(_) | RunReport::Fault(_))
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunReport::Bare => f.write_str("run by the executor"),
            RunReport::Stepwise => f.write_str("run by the executor, one statement after the other"),
            RunReport::Unsupported(why) => write!(f, "run by the interpreter, because there is {why}"),
            RunReport::Fault(fault) => write!(f, "run by the interpreter to say what is wrong: {fault}"),
        }
    }
}

/// A program that an executor runs, or else the interpreter.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::{Fallback, Lanes, RunReport};
/// use catadiff::interpret::{Control, Value};
/// let sum = Program::trace(|xs: Arr<F64>, ys: Arr<F64>| (xs * ys).sum())?;
/// let sum = Fallback::new(&Lanes, &sum)?;
/// let (xs, ys) = (Value::new([1.0, 2.0])?, Value::new([3.0])?);
/// let (results, report) = sum.run_reported(&[xs.clone(), xs.clone()], Control::default());
/// assert_eq!((results?, report), (vec![5.0.into()], RunReport::Bare));
/// let (results, report) = sum.run_reported(&[xs, ys], Control::default());
/// assert!(results.is_err() && report.fell_back());
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Fallback<P> {
    pub(super) program: Program,
    pub(super) bare: core::result::Result<P, Unsupported>,
}

impl<P: Prepared> Fallback<P> {
    /// The program, for an executor.
    ///
    /// # Errors
    /// [`Error::IllTyped`](crate::Error::IllTyped) if the program does not [verify](Program::verify).
    pub fn new(executor: &impl Executor<Prepared = P>, program: &Program) -> Result<Self> {
        Ok(Fallback { bare: executor.prepare(program)?, program: program.clone() })
    }

    /// The results for these arguments, and how the run went.
    pub fn run_reported(&self, arguments: &[Value<f64>], control: Control<'_>) -> (Result<Vec<Value<f64>>>, RunReport) {
        self.run_under(arguments, control.clone(), control)
    }

    /// The same, under one control by the executor, and under another by the interpreter.
    pub(super) fn run_under(
        &self,
        arguments: &[Value<f64>],
        control: Control<'_>,
        interpreted: Control<'_>,
    ) -> (Result<Vec<Value<f64>>>, RunReport) {
        let mut found = None;
        let report = match &self.bare {
            Err(unsupported) => Ok(RunReport::Unsupported(unsupported.clone())),
            Ok(bare) => bare.run(arguments, control).and_then(|outcome| {
                let ending = match outcome {
                    Outcome::Done { results, stepwise } => {
                        found = Some(results);
                        Ending::Done { stepwise }
                    }
                    Outcome::Fault(fault) => Ending::Fault(fault),
                    Outcome::Unsupported(unsupported) => Ending::Unsupported(unsupported),
                };
                RunReport::of(ending)
            }),
        };
        match (report, found) {
            (Err(error), _) => (Err(error), RunReport::Bare),
            (Ok(report), Some(results)) => (Ok(results), report),
            (Ok(report), None) => (interpret::run(&self.program, arguments, &interpreted), report),
        }
    }
}
