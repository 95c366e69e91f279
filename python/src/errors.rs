//! Exceptions: which class of `catadiff.errors` each error of the library is.
//!
//! Law: every error has one class, which says whose mistake it is (tests/test_errors.py).

use catadiff::array::Prim;
use catadiff::{Error, Mistake};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::value::dtype;
use crate::{place, text};

/// The classes of `catadiff.errors`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Class {
    Catadiff,
    TypeMismatch,
    Shape,
    OutOfBounds,
    Trace,
    Derivative,
    Limit,
    Cancelled,
    Text,
    Check,
}

impl Class {
    /// An exception of this class.
    pub(crate) fn raise(self, py: Python<'_>, message: impl Into<String>) -> PyErr {
        let class = py.import("catadiff.errors").and_then(|errors| errors.getattr(format!("{self:?}Error")));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, message.into()),
            Err(error) => error,
        }
    }
}

/// An exception on its way through a call of the library.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) PyErr);

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure(error)
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(error): Failure) -> Self {
        error
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure(Python::attach(|py| raised(py, error)))
    }
}

/// Only sparse derivatives take arguments without numbers.
const UNDECIDED: &str = "a sparse derivative has one pattern for all numbers, and what the function computes is decided by the numbers that it is \
                         differentiated by: maximum(x, 0) has a pattern where a condition such as x > 0 has none, and jacfwd, jacrev and hessian \
                         take both";

/// The exception for an error, with the line of Python that it is of.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    let class = match &error {
        Error::Sizes { span, .. } if text::check_at(*span).is_some() => {
            let said = text::check_at(*span).unwrap_or_default();
            let place = place::shown(*span).map_or_else(String::new, |place| format!("\n  {place}"));
            return Class::Check.raise(py, format!("{said}{place}"));
        }
        Error::Argument { .. } | Error::Mismatch { .. } => Class::TypeMismatch,
        Error::Sizes { .. } | Error::Length { .. } | Error::NegativeSize { .. } => Class::Shape,
        Error::OutOfBounds { .. } => Class::OutOfBounds,
        Error::NotDifferentiable { .. } | Error::Parameter { .. } | Error::Empty { .. } | Error::Undecided { .. } => {
            Class::Derivative
        }
        Error::Budget { .. } | Error::LoopBound { .. } | Error::TooLarge { .. } => Class::Limit,
        Error::Cancelled { .. } => Class::Cancelled,
        Error::Syntax { .. } => Class::Text,
        Error::Trace { mistakes } => {
            return Class::Trace.raise(py, mistakes.iter().map(said).collect::<Vec<_>>().join("; "));
        }
        _ => Class::Catadiff,
    };
    match (place::shown(error.span()), &error) {
        (place, Error::Undecided { .. }) => {
            let place = place.map_or_else(String::new, |place| format!("\n  {place}"));
            class.raise(py, format!("{UNDECIDED}{place}"))
        }
        (Some(place), _) => class.raise(py, format!("{}\n  {place}", error.unplaced())),
        (None, Error::Parameter { .. } | Error::Argument { .. } | Error::NotDifferentiable { .. }) => {
            class.raise(py, in_words_of_numpy(&error.to_string()))
        }
        (None, _) => class.raise(py, error.to_string()),
    }
}

/// What is wrong in a function of Python.
fn said(mistake: &Mistake) -> String {
    match mistake {
        Mistake::Foreign { .. } => {
            "a traced array is used outside of the function that it was given to: make it a parameter or a result"
                .into()
        }
        Mistake::Escaped { .. } => {
            "a traced array is used after the inner function that it belongs to has ended: let that function return it"
                .into()
        }
        Mistake::IllTyped { reason, .. } => in_words_of_numpy(reason),
        other => other.to_string(),
    }
}

/// A message with the names of numpy for types.
fn in_words_of_numpy(message: &str) -> String {
    let mut words = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = rest.find(|c: char| c == '[' || c.is_ascii_alphanumeric()) {
        let (before, from) = rest.split_at(start);
        words.push_str(before);
        let rank = (from.len() - from.trim_start_matches("[]").len()) / 2;
        let named = &from[2 * rank..];
        let end = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(named.len());
        match Prim::named(&named[..end]) {
            Some(prim) if before.chars().next_back().is_none_or(|c| c != '_') => {
                words.push_str(dtype(prim));
                if rank > 0 {
                    words.push_str(&format!("[{}]", vec!["?"; rank].join(", ")));
                }
                rest = &named[end..];
            }
            _ => {
                let taken = (2 * rank + end).max(1);
                words.push_str(&from[..taken]);
                rest = &from[taken..];
            }
        }
    }
    words + rest
}

/// Whether an exception is the user's wish to stop.
pub(crate) fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py)
}
