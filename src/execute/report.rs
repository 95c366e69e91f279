//! How a run of a compiled program went: by its executor alone, or with the help of the reference interpreter.
//!
//! Law: a run that the interpreter had to do says so, and why (tests/laws/executors.rs, tests/execute/limits.rs).

use core::fmt;

use super::contract::{Ending, Fault, Unsupported};
use crate::error::Result;

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
