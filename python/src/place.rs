//! Places: the line of Python, or of a text, that an operation of a program comes from.
//!
//! Law: of Python it is the innermost line outside of this package, and an error of a run, or of a derivative, names it
//! (tests/test_errors.py).

use std::sync::{Mutex, PoisonError};

use catadiff::array::trace::untyped::Placed;
use catadiff::futhark::source::Sources;
use catadiff::futhark::source::Span as Range;
use catadiff::{Place, Span};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The files that have been seen; a place names one by its number. One of Python has no text here, and its places name a line in the
/// place of a byte.
static FILES: Mutex<Sources> = Mutex::new(Sources { files: Vec::new() });

/// Does something with the files that have been seen.
pub(crate) fn with_files<R>(act: impl FnOnce(&mut Sources) -> R) -> R {
    act(&mut FILES.lock().unwrap_or_else(PoisonError::into_inner))
}

fn number(file: &str) -> u32 {
    with_files(|files| match files.files.iter().position(|known| known.name == file && known.text.is_empty()) {
        Some(known) => u32::try_from(known).unwrap_or(u32::MAX),
        None => files.add(file, ""),
    })
}

/// Statements come from the line of Python that is running, while this is there.
pub(crate) fn here(py: Python<'_>) -> Option<Placed> {
    let (file, line) = line(py).ok().flatten()?;
    Some(Placed::at(Span::at(Place::Text { file: number(&file), start: line, end: line })))
}

fn line(py: Python<'_>) -> PyResult<Option<(String, u32)>> {
    let mut frame = py.import("sys")?.call_method0("_getframe")?;
    while !frame.is_none() {
        let module = frame.getattr("f_globals")?.get_item("__name__");
        let ours = module.is_ok_and(|name| {
            let name = name.cast::<PyString>().ok().and_then(|name| name.to_str().ok());
            name.is_some_and(|name| name == "catadiff" || name.starts_with("catadiff."))
        });
        if !ours {
            let file = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
            return Ok(Some((file, frame.getattr("f_lineno")?.extract()?)));
        }
        frame = frame.getattr("f_back")?;
    }
    Ok(None)
}

/// A place as Python shows one.
pub(crate) fn shown(span: Span) -> Option<String> {
    let Some(Place::Text { file, start, end }) = span.place() else { return None };
    let of = if span.in_derivative() { "in the derivative of what is in " } else { "in " };
    with_files(|files| {
        let source = files.files.get(file as usize)?;
        if source.text.is_empty() {
            return Some(format!("{of}File \"{}\", line {start}", source.name));
        }
        let (line, column, text) = files.position(Range { file, start, end });
        Some(format!("{of}File \"{}\", line {line}, column {column}\n    {}", source.name, text.trim()))
    })
}
