//! Where the statements of a program come from: the place in the source that made each of them.
//!
//! Law: programs that differ in their spans alone are equal, and a statement that a transformation makes has the span
//! of the statement it is made of, so that an error of a derivative names a place of the program that was
//! differentiated (tests/transform/spans.rs, laws: spans::kept).

use core::fmt;
use core::panic::Location;

/// Where a statement comes from, as far as it is known: the call of a handle in a traced closure, or a place in a program
/// text; and whether the statement is that of the source, or one that a rule of differentiation made of it.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// let sum = Program::trace(|x: Arr<F64>, y: Arr<F64>| (x + y).sum())?;
/// let spans = |program: &Program| program.function().body.stms.iter().map(|stm| stm.span).collect::<Vec<_>>();
/// let of_sum = spans(&sum);
/// assert!(of_sum.iter().all(|span| span.place().is_some() && !span.in_derivative()));
/// // The derivative has no other places.
/// let places: Vec<_> = of_sum.iter().map(|span| span.place()).collect();
/// assert!(spans(&sum.grad(..)?).iter().all(|span| places.contains(&span.place())));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span(Repr);

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A call in a Rust file.
    Call(&'static Location<'static>),
    /// A place in one of the texts of a program of the text language.
    Text {
        /// Which text, by its number among the [`Sources`](crate::futhark::source::Sources).
        file: u32,
        /// The first byte.
        start: u32,
        /// The byte after the last.
        end: u32,
    },
}

// Flat, so that a span is two words: every statement has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Repr {
    #[default]
    Unknown,
    Call {
        derivative: bool,
        at: &'static Location<'static>,
    },
    Text {
        derivative: bool,
        file: u32,
        start: u32,
        end: u32,
    },
}

impl Span {
    /// The span of a statement of which it is not known where it comes from.
    pub const UNKNOWN: Span = Span(Repr::Unknown);

    /// The span of a statement of the source that is made at this place.
    #[must_use]
    pub const fn at(place: Place) -> Self {
        Span(match place {
            Place::Call(at) => Repr::Call { derivative: false, at },
            Place::Text { file, start, end } => Repr::Text { derivative: false, file, start, end },
        })
    }

    /// The place, if it is known.
    #[must_use]
    pub const fn place(self) -> Option<Place> {
        match self.0 {
            Repr::Unknown => None,
            Repr::Call { at, .. } => Some(Place::Call(at)),
            Repr::Text { file, start, end, .. } => Some(Place::Text { file, start, end }),
        }
    }

    /// Whether the statement was made by a rule of differentiation, of the statement at the place.
    #[must_use]
    pub const fn in_derivative(self) -> bool {
        matches!(self.0, Repr::Call { derivative: true, .. } | Repr::Text { derivative: true, .. })
    }

    /// The span of what a rule of differentiation makes of a statement with this one.
    #[must_use]
    pub const fn derivative(self) -> Self {
        Span(match self.0 {
            Repr::Unknown => Repr::Unknown,
            Repr::Call { at, .. } => Repr::Call { derivative: true, at },
            Repr::Text { file, start, end, .. } => Repr::Text { derivative: true, file, start, end },
        })
    }

    /// This span, or another if its place is not known.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        if matches!(self.0, Repr::Unknown) { other } else { self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Call(at) => at.fmt(f),
            Place::Text { file, start, .. } => write!(f, "byte {start} of text {file}"),
        }
    }
}

/// As a message says it: `at src/main.rs:12:34`, or `in the derivative of the statement at src/main.rs:12:34`. An unknown
/// span is empty.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = self.place() else { return Ok(()) };
        if self.in_derivative() {
            f.write_str("in the derivative of the statement ")?;
        }
        write!(f, "at {place}")
    }
}
