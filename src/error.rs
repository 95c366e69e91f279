//! The errors a user can cause, each with what was wrong, where, and what would be right.
//!
//! Law: no input of a user makes a call panic; a call that cannot return a result returns one of these
//! (laws: bad_input, tests/language/fuzz.rs).

mod excerpt;
mod span;

use core::fmt;
use core::panic::Location;

pub(crate) use excerpt::excerpt;
pub use span::{Place, Span};

/// What went wrong in a call of this library. Every variant is the caller's to mend; the library's own mistakes
/// panic with the name of the broken invariant instead.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::Error;
/// let error = grad(|x| x[0] * x[1], &[2.0, f64::NAN]).unwrap_err();
/// assert!(matches!(error, Error::NotFinite { index: 1, .. }));
/// assert_eq!(error.to_string(), "the point holds NaN at index 1: every number must be finite");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to differentiate with respect to, or no output to differentiate.
    Empty {
        /// What was empty, such as `the point`.
        what: &'static str,
    },
    /// Two lengths that must agree do not.
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A number of the input is NaN or infinite.
    NotFinite {
        /// Which input holds it.
        what: &'static str,
        /// Its position there.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// A recording was replayed at a point where one of its decisions comes out otherwise, so the recorded
    /// operations are not those the function would perform there.
    BranchChanged {
        /// The number of the decision, in the order they were made.
        at: usize,
        /// The decision as recorded, such as `x0 > 0: true`.
        decision: String,
    },
    /// A size does not fit the machine's or the format's integers.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The largest size possible.
        limit: usize,
    },
    /// A name that has no value where it stands: a variable of a formula without one, or a user's rule outside the
    /// arena that knows it.
    UnknownName {
        /// The name.
        name: String,
        /// The names that would have been right.
        known: Vec<String>,
    },
    /// Text that is not a formula, or not a program.
    Syntax {
        /// What is wrong and what was expected.
        message: String,
        /// The text.
        source: String,
        /// Byte offset of the mistake in the text.
        offset: usize,
    },
    /// A derivative that does not agree with the one it was checked against.
    Disagree {
        /// Which derivative, such as `reverse-mode gradient`.
        what: String,
        /// Position of the worst entry.
        index: usize,
        /// The value found there.
        found: f64,
        /// The value expected there.
        expected: f64,
    },
    /// An operation of an array program that has no derivative rule.
    NotDifferentiable {
        /// The operation.
        operation: String,
        /// Why it has none, and what would be right.
        reason: &'static str,
    },
    /// A linear system that has no unique solution.
    Singular {
        /// The column whose pivot is zero.
        column: usize,
    },
    /// An array program that is not well typed.
    IllTyped {
        /// The offending statement, as text, without the bodies inside it.
        statement: String,
        /// Where it comes from.
        span: Span,
        /// What is wrong, and what would be right.
        reason: String,
    },
    /// An argument of an array program that is not of the parameter's type.
    Argument {
        /// The parameter.
        name: String,
        /// Its type.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A value that was asked for as something that it is not.
    Mismatch {
        /// Which value.
        what: String,
        /// What it was asked for as.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A parameter of an array program by which it cannot be differentiated.
    Parameter {
        /// What was named, or its position.
        name: String,
        /// Why not, and what would be right.
        reason: String,
    },
    /// Two sizes that must agree do not, while an array program runs.
    Sizes {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// Which sizes.
        what: &'static str,
        /// The one.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A size that is negative, while an array program runs.
    NegativeSize {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// The size.
        size: i64,
    },
    /// An index that is not in the array, while an array program runs.
    OutOfBounds {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// The index.
        index: i64,
        /// The size of the dimension.
        length: usize,
    },
    /// An operation on integers that has no value there, such as a division by zero.
    NoValue {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// The operation and its operands.
        operation: String,
    },
    /// A number that an array program decides on has no value in this carrier that would decide it.
    Undecided {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
    },
    /// A loop that goes on beyond the bound it was given.
    LoopBound {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// The bound.
        bound: i64,
    },
    /// An array program that needs more than it was allowed.
    Budget {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// Of what: steps, or elements.
        what: &'static str,
        /// How many were allowed.
        limit: u64,
    },
    /// A function of Rust in a program has failed, or cannot be applied.
    Foreign {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
        /// The name of the function.
        function: String,
        /// What is wrong.
        reason: String,
    },
    /// A run that was [cancelled](crate::interpret::Cancel).
    Cancelled {
        /// The statement, as text.
        statement: String,
        /// Where the statement comes from.
        span: Span,
    },
    /// A device that cannot be had, cannot do what a program needs, or has failed.
    Device {
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A file cannot be read or written, or is not what it should be.
    File {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something is wrong on one of the ranks that run a program together.
    Rank {
        /// Which.
        rank: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The states of loops do not fit the elements that they are allowed, with any scheme of checkpoints.
    Checkpoints {
        /// How many elements were allowed.
        allowed: u64,
        /// The fewest with which there is a scheme.
        least: u64,
    },
    /// A traced closure did what no program can mean.
    Trace {
        /// What it did, in order; a mistake that follows from another is not reported.
        mistakes: Vec<Mistake>,
    },
}

/// What a traced closure can do wrong, and the place of the innermost call whose closure did it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Mistake {
    /// A handle was used that is not of the trace in progress.
    Foreign {
        /// The call whose closure used it.
        at: &'static Location<'static>,
    },
    /// A handle was used after the closure that it belongs to had ended, and not as its result.
    Escaped {
        /// The call whose closure used it.
        at: &'static Location<'static>,
    },
    /// An operation on values that it does not take.
    IllTyped {
        /// What is wrong with it.
        reason: String,
        /// The call whose closure performed it.
        at: &'static Location<'static>,
    },
}

/// The result of a verb.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// `Ok` if a length is as it must be.
    pub(crate) fn lengths(what: &'static str, expected: usize, found: usize) -> Result<()> {
        if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
    }

    /// Where the statement of a program comes from that the error is in; unknown if it is in none, or if that is not
    /// known.
    ///
    /// ```
    /// use catadiff::Place;
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let element = Program::trace(|x: Arr<F64>| x.index(2))?;
    /// let error = element.at::<f64>(&[1.0, 2.0]).unwrap_err();
    /// let Some(Place::Call(at)) = error.span().place() else { panic!("it was traced") };
    /// assert!(error.to_string().contains(&format!("\n  at {at}\n  in: let v")));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Error::IllTyped { span, .. } | Error::Sizes { span, .. } | Error::NegativeSize { span, .. } => *span,
            Error::OutOfBounds { span, .. } | Error::NoValue { span, .. } | Error::Undecided { span, .. } => *span,
            Error::LoopBound { span, .. } | Error::Budget { span, .. } | Error::Cancelled { span, .. } => *span,
            Error::Foreign { span, .. } => *span,
            _ => Span::UNKNOWN,
        }
    }
}

/// What the array layer says of places.
#[cfg(feature = "array")]
impl Error {
    /// The error, at this place if none is known.
    pub(crate) fn or_at(mut self, place: Span) -> Self {
        if let Some(span) = self.span_mut() {
            *span = span.or(place);
        }
        self
    }

    /// The error without its place, for who shows that in another way.
    #[must_use]
    pub fn unplaced(mut self) -> Self {
        if let Some(span) = self.span_mut() {
            *span = Span::UNKNOWN;
        }
        self
    }

    fn span_mut(&mut self) -> Option<&mut Span> {
        match self {
            Error::IllTyped { span, .. } | Error::Sizes { span, .. } | Error::NegativeSize { span, .. } => Some(span),
            Error::OutOfBounds { span, .. } | Error::NoValue { span, .. } | Error::Undecided { span, .. } => Some(span),
            Error::LoopBound { span, .. } | Error::Budget { span, .. } | Error::Cancelled { span, .. } => Some(span),
            Error::Foreign { span, .. } => Some(span),
            _ => None,
        }
    }
}

/// Where a statement comes from, if that is known, and the statement, a line for each.
struct Stated<'e>(Span, &'e str);

impl fmt::Display for Stated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stated(span, statement) = self;
        if span.place().is_some() {
            write!(f, "\n  {span}")?;
        }
        write!(f, "\n  in: {statement}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty { what } => write!(f, "{what} is empty: give at least one number"),
            Error::Length { what, expected, found } => {
                write!(f, "{what} has the length {found} where {expected} is needed")
            }
            Error::NotFinite { what, index, value } => {
                write!(f, "{what} holds {value} at index {index}: every number must be finite")
            }
            Error::BranchChanged { at, decision } => write!(
                f,
                "decision {at} (recorded as `{decision}`) comes out otherwise at this point: record the program again here"
            ),
            Error::TooLarge { what, limit } => write!(f, "{what} is too large: the limit is {limit}"),
            Error::UnknownName { name, known } if known.is_empty() => {
                write!(f, "the name `{name}` has no value, and no names are known here")
            }
            Error::UnknownName { name, known } => {
                let shown = &known[..known.len().min(MOST_NAMES)];
                write!(f, "the name `{name}` has no value: the names known here are {}", shown.join(", "))?;
                if known.len() > MOST_NAMES { write!(f, " and {} more", known.len() - MOST_NAMES) } else { Ok(()) }
            }
            Error::Syntax { message, source, offset } => {
                writeln!(f, "{message}")?;
                excerpt(f, source, *offset..*offset)
            }
            Error::Disagree { what, index, found, expected } => {
                write!(f, "the {what} is {found} at index {index} where {expected} is expected")
            }
            Error::NotDifferentiable { operation, reason } => {
                write!(f, "{operation} cannot be differentiated: {reason}")
            }
            Error::Singular { column } => {
                write!(f, "the matrix is singular: column {column} has no pivot, so the system has no unique solution")
            }
            Error::IllTyped { statement, span, reason } => write!(f, "{reason}{}", Stated(*span, statement)),
            Error::Argument { name, expected, found } => {
                write!(f, "the argument `{name}` is {found} where {expected} is needed")
            }
            Error::Mismatch { what, expected, found } => write!(f, "{what} is {found} where {expected} is asked for"),
            Error::Parameter { name, reason } => {
                write!(f, "cannot differentiate with respect to `{name}`: {reason}")
            }
            Error::Sizes { statement, span, what, first, second } => {
                write!(f, "{what} must agree, and are {first} and {second}{}", Stated(*span, statement))
            }
            Error::NegativeSize { statement, span, size } => {
                write!(f, "a size is {size}, and must not be negative{}", Stated(*span, statement))
            }
            Error::OutOfBounds { statement, span, index, length } => {
                write!(f, "the index {index} is out of bounds, since the length is {length}: ")?;
                match length.checked_sub(1) {
                    Some(last) => write!(f, "the first is 0 and the last is {last}")?,
                    None => f.write_str("there is none")?,
                }
                Stated(*span, statement).fmt(f)
            }
            Error::NoValue { statement, span, operation } => write!(
                f,
                "{operation} has no value: integers have no quotient by 0 and no power with a negative exponent{}",
                Stated(*span, statement)
            ),
            Error::Undecided { statement, span } => write!(
                f,
                "this decision depends on a number without a definite value in this carrier: record the run at a \
                 point, or use a carrier with values{}",
                Stated(*span, statement)
            ),
            Error::LoopBound { statement, span, bound } => {
                write!(
                    f,
                    "the loop goes on after {bound} iterations, the bound it was given{}",
                    Stated(*span, statement)
                )
            }
            Error::Budget { statement, span, what, limit } => {
                write!(
                    f,
                    "more than the allowed {limit} {what} would be needed: give larger `Limits` if so many are meant{}",
                    Stated(*span, statement)
                )
            }
            Error::Foreign { statement, span, function, reason } => {
                write!(f, "the function `{function}` of Rust: {reason}{}", Stated(*span, statement))
            }
            Error::Cancelled { statement, span } => write!(f, "the run was cancelled{}", Stated(*span, statement)),
            Error::Device { what } => f.write_str(what),
            Error::File { file, reason } => write!(f, "the file {file}: {reason}"),
            Error::Rank { rank, reason } => write!(f, "on rank {rank}: {reason}"),
            Error::Checkpoints { allowed, least } => write!(
                f,
                "the {allowed} elements that checkpoints are allowed are too few: at least {least} would be needed"
            ),
            Error::Trace { mistakes } => {
                f.write_str("cannot trace this closure: ")?;
                mistakes.iter().enumerate().try_for_each(|(i, mistake)| {
                    f.write_str(if i == 0 { "" } else { "; " })?;
                    mistake.fmt(f)
                })
            }
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Foreign { at } => {
                write!(f, "the closure at {at} uses a handle of another trace, or of none: make it a parameter")
            }
            Mistake::Escaped { at } => write!(
                f,
                "the closure at {at} uses a handle of an inner closure that has ended: let the inner one return it"
            ),
            Mistake::IllTyped { reason, at } => write!(f, "in the closure at {at}, {reason}"),
        }
    }
}

/// The most names that a message lists.
const MOST_NAMES: usize = 20;
impl std::error::Error for Error {}
