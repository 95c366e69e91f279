//! What an executor is: it takes programs that it can run, runs them, and says what became of a run.
//!
//! Law: where the reference interpreter has results a run is [`Done`](Outcome::Done) with these, and where the
//! interpreter finds a fault it is that [`Fault`], of that kind and in that statement, or done without what is wrong;
//! nothing else runs the program instead. `catadiff_laws::executors::suite` holds every executor to this
//! (laws: executors::suite).

use core::fmt;

use super::{Flat, Kernel, Lent};
use crate::array::Program;
use crate::error::{Error, Result, Span};
#[cfg(any(feature = "gpu", feature = "mpi", feature = "native"))]
use crate::interpret::typed;
use crate::interpret::{Control, Value};

/// What runs programs, by itself: it never has another do it.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, I64}};
/// use catadiff::execute::{Executor, FaultKind, Interpreter, Lanes, Outcome, Prepared};
/// use catadiff::interpret::{Control, Value};
/// fn third(executor: &dyn Executor) -> catadiff::Result<Outcome> {
///     let pick = Program::trace(|xs: Arr<F64>, i: I64| xs.index(i) * 2.0)?;
///     let ready = executor.prepare(&pick)?.expect("every executor can index");
///     ready.run(&[Value::new([1.0, 2.0])?, 3_i64.into()], Control::default())
/// }
/// let Outcome::Fault(fault) = third(&Lanes)? else { panic!("there is no fourth element") };
/// assert_eq!(fault.kind, FaultKind::OutOfBounds { index: 3, length: 2 });
/// assert_eq!(Outcome::Fault(fault), third(&Interpreter)?);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub trait Executor: Sync {
    /// What it is called, in one word.
    fn name(&self) -> &'static str;

    /// What it runs programs on, in a few words.
    fn description(&self) -> &'static str;

    /// Whether this machine has what programs are run on.
    ///
    /// # Errors
    /// What it has not.
    fn available(&self) -> Result<()> {
        Ok(())
    }

    /// The program, ready to run from any thread; or why this executor cannot run it, whatever the arguments are.
    ///
    /// # Errors
    /// If the machine refuses what the executor needs to prepare any program. A program itself is never one: it verifies.
    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>>;
}

/// A program that an executor can run. Only [`run`](Prepared::run) has to be there: an executor that can do without values,
/// count what its loops do, or show its code says more.
pub trait Prepared: core::any::Any + fmt::Debug + Send + Sync {
    /// Runs the program. After any outcome the next run is as if there had been none.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Argument`] if the arguments are not those that the program takes. What the program gets
    /// wrong is no error here, but a [`Fault`].
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome>;

    /// The same, with the results left in memory that is used again. The arguments are of the types of the parameters.
    ///
    /// # Errors
    /// As for [`run`](Prepared::run).
    fn run_into(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        let arguments: Vec<Value<f64>> = arguments.iter().map(|argument| argument.to_value()).collect();
        Ok(match self.run(&arguments, control)? {
            Outcome::Done { results: found, stepwise } => {
                *results = found.iter().map(Flat::from).collect();
                Ending::Done { stepwise }
            }
            Outcome::Fault(fault) => Ending::Fault(fault),
            Outcome::Unsupported(unsupported) => Ending::Unsupported(unsupported),
        })
    }

    /// The same, and what each loop over lanes has done; none if the executor does not count it.
    ///
    /// # Errors
    /// As for [`run`](Prepared::run).
    fn profile(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        control: Control<'_>,
    ) -> Result<(Ending, Vec<Kernel>)> {
        Ok((self.run_into(arguments, results, control)?, Vec::new()))
    }

    /// How the program became what runs: the program and its code after each pass, with the name of the pass. None if there is
    /// no code.
    fn passes(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// What a run on flat arguments comes to, for values.
#[cfg(any(feature = "gpu", feature = "mpi", feature = "native"))]
pub(super) fn on_flats(
    program: &Program,
    arguments: &[Value<f64>],
    run: impl FnOnce(&[Lent<'_>], &mut Vec<Flat>) -> Result<Ending>,
) -> Result<Outcome> {
    typed(program, arguments)?;
    let arguments: Vec<Flat> = arguments.iter().map(Flat::from).collect();
    let lent: Vec<Lent<'_>> = arguments.iter().map(Flat::lent).collect();
    let mut results = Vec::new();
    let ending = run(&lent, &mut results)?;
    Ok(ending.with(results.iter().map(Flat::to_value).collect()))
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It has results.
    Done {
        /// One for each result of the program.
        results: Vec<Value<f64>>,
        /// Whether these are of a second attempt, which carries out one statement after the other and is slow: the first took
        /// something for granted that these arguments do not keep to, such as that a loop has an iteration.
        stepwise: bool,
    },
    /// A statement went wrong, or the run was ended.
    Fault(Fault),
    /// The executor cannot run the program for these arguments.
    Unsupported(Unsupported),
}

/// What became of a run whose results, if it has any, lie elsewhere: as an [`Outcome`].
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It has results.
    Done {
        /// As [there](Outcome::Done).
        stepwise: bool,
    },
    /// A statement went wrong, or the run was ended.
    Fault(Fault),
    /// The executor cannot run the program for these arguments.
    Unsupported(Unsupported),
}

impl Ending {
    pub(super) fn with(self, results: Vec<Value<f64>>) -> Outcome {
        match self {
            Ending::Done { stepwise } => Outcome::Done { results, stepwise },
            Ending::Fault(fault) => Outcome::Fault(fault),
            Ending::Unsupported(unsupported) => Outcome::Unsupported(unsupported),
        }
    }
}

/// What went wrong in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The statement of the program, as text. Of a run that was ended it is one in which the executor was then.
    pub statement: String,
    /// Where the statement comes from.
    pub span: Span,
    /// What is wrong, with the operands that make it so.
    pub kind: FaultKind,
}

/// What can go wrong in a statement.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two sizes do not agree.
    Sizes {
        /// Which sizes.
        what: &'static str,
        /// The one.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A size is negative.
    NegativeSize {
        /// The size.
        size: i64,
    },
    /// An index is not in the array.
    OutOfBounds {
        /// The index.
        index: i64,
        /// The size of the dimension.
        length: usize,
    },
    /// An operation on integers has no value, such as a division by zero.
    NoValue {
        /// The operation and its operands.
        operation: String,
    },
    /// A loop goes on beyond the bound it was given.
    LoopBound {
        /// The bound.
        bound: i64,
    },
    /// The run took more than it was allowed.
    Budget {
        /// Of what: steps, or elements.
        what: &'static str,
        /// How many were allowed.
        limit: u64,
    },
    /// The run was [cancelled](crate::interpret::Cancel).
    Cancelled,
    /// A function of Rust has failed, or cannot be applied.
    Foreign {
        /// The name of the function.
        function: String,
        /// What is wrong.
        reason: String,
    },
}

/// Why an executor cannot run a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsupported {
    /// The statement that it cannot run, as text, if it is known which.
    pub statement: Option<String>,
    /// What it cannot run.
    pub reason: &'static str,
}

impl Fault {
    /// Whether the run was ended from outside, by a limit or a wish, so that the program may be right.
    #[must_use]
    pub fn is_end(&self) -> bool {
        matches!(self.kind, FaultKind::Budget { .. } | FaultKind::Cancelled)
    }

    /// The fault as the error that says it.
    #[must_use]
    pub fn into_error(self) -> Error {
        let Fault { statement, span, kind } = self;
        match kind {
            FaultKind::Sizes { what, first, second } => Error::Sizes { statement, span, what, first, second },
            FaultKind::NegativeSize { size } => Error::NegativeSize { statement, span, size },
            FaultKind::OutOfBounds { index, length } => Error::OutOfBounds { statement, span, index, length },
            FaultKind::NoValue { operation } => Error::NoValue { statement, span, operation },
            FaultKind::LoopBound { bound } => Error::LoopBound { statement, span, bound },
            FaultKind::Budget { what, limit } => Error::Budget { statement, span, what, limit },
            FaultKind::Cancelled => Error::Cancelled { statement, span },
            FaultKind::Foreign { function, reason } => Error::Foreign { statement, span, function, reason },
        }
    }

    /// The fault that an error says, unless it is of a program or of arguments that cannot be run at all.
    pub(in crate::execute) fn of(error: Error) -> Result<Self> {
        let (statement, span, kind) = match error {
            Error::Sizes { statement, span, what, first, second } => {
                (statement, span, FaultKind::Sizes { what, first, second })
            }
            Error::NegativeSize { statement, span, size } => (statement, span, FaultKind::NegativeSize { size }),
            Error::OutOfBounds { statement, span, index, length } => {
                (statement, span, FaultKind::OutOfBounds { index, length })
            }
            Error::NoValue { statement, span, operation } => (statement, span, FaultKind::NoValue { operation }),
            Error::LoopBound { statement, span, bound } => (statement, span, FaultKind::LoopBound { bound }),
            Error::Budget { statement, span, what, limit } => (statement, span, FaultKind::Budget { what, limit }),
            Error::Cancelled { statement, span } => (statement, span, FaultKind::Cancelled),
            Error::Foreign { statement, span, function, reason } => {
                (statement, span, FaultKind::Foreign { function, reason })
            }
            other => return Err(other),
        };
        Ok(Fault { statement, span, kind })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_error().fmt(f)
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)?;
        match &self.statement {
            Some(statement) => write!(f, "\n  in: {statement}"),
            None => Ok(()),
        }
    }
}
