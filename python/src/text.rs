//! Programs in text files: the entry points of a file, each as a program.
//!
//! Law: what the command line says of a file is what is said here; a check of the text that does not hold is an error of the run, of a
//! derivative too (tests/test_text.py).

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use catadiff::array::trace::untyped::{Placed, Untyped, apply, call, trace};
use catadiff::array::{Agree, Agreement, Extent, Op, Prim, ScalarOp};
use catadiff::futhark::core::{Entry, Type as Written};
use catadiff::futhark::elaborate::{Elaborated, FIRST_CHECK, compile_entry};
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::Message;
use catadiff::{Error, Place, Span};
use pyo3::prelude::*;

use crate::errors::{Class, Failure};
use crate::place;
use crate::program::Program;

/// An entry point: its name, its program, and the names of its parameters with the number of arrays in each.
type EntryPoint = (String, Program, Vec<(String, usize)>);

/// The checks of texts that have been read: where each is, and what it says when it does not hold.
static CHECKS: Mutex<Vec<(Place, String)>> = Mutex::new(Vec::new());

/// What the check at a place says.
pub(crate) fn check_at(span: Span) -> Option<String> {
    let at = span.place()?;
    let checks = CHECKS.lock().unwrap_or_else(PoisonError::into_inner);
    checks.iter().find(|(place, _)| *place == at).map(|(_, text)| text.clone())
}

/// The entry points of a file.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Vec<EntryPoint>> {
    let refused = |texts: &Texts, messages: &[Message]| Class::Text.raise(py, texts.sources.show_all(messages));
    // The numbers of its files are those by which places are shown later.
    let (program, texts) = place::with_files(|files| {
        let mut texts = Texts::default();
        texts.sources.clone_from(files);
        let checked = texts.file(&path).and_then(|(_, tree)| texts.check(&tree));
        let (program, _) = checked.map_err(|messages| refused(&texts, &messages))?;
        files.clone_from(&texts.sources);
        Ok::<_, PyErr>((program, texts))
    })?;
    let entry = |entry: &Entry| match compile_entry(&program, &entry.name) {
        Ok(elaborated) => one(entry, &elaborated).map_err(PyErr::from),
        Err(message) => Err(refused(&texts, &[message])),
    };
    program.entries.iter().map(entry).collect()
}

fn one(entry: &Entry, elaborated: &Elaborated) -> Result<EntryPoint, Failure> {
    let leaves = |of: &Written| catadiff::futhark::meaning::interface(of).len();
    let parameters = entry.params.iter().map(|(name, of)| (name.to_string(), leaves(of))).collect();
    Ok((entry.name.to_string(), Program { inner: checked(elaborated)? }, parameters))
}

/// The program whose results are those of the entry point, and whose runs end with an error where a check does not hold.
fn checked(elaborated: &Elaborated) -> Result<catadiff::array::Program, Error> {
    let (program, checks) = (&elaborated.program, elaborated.checks());
    if checks.is_empty() {
        return Ok(program.clone());
    }
    let types = program.function().params.iter().map(|p| program.type_of(*p));
    let parameters: Vec<_> = program.names().iter().cloned().zip(types).collect();
    let with_checks = trace(parameters, |arguments| {
        let mut results = call(program, arguments)?;
        let number = results.pop().expect("the number of a check is the last result");
        for (k, check) in (0_i64..).zip(&checks) {
            let at = Place::Text { file: check.span.file, start: check.span.start, end: check.span.end };
            CHECKS.lock().unwrap_or_else(PoisonError::into_inner).push((at, check.text.clone()));
            let _here = Placed::at(Span::at(at));
            let own = Untyped::constant(FIRST_CHECK - k);
            let fails = apply(&[number, own], |x| Op::Scalar(ScalarOp::Equal, x.into()))?;
            let fails = apply(&fails, |x| Op::Scalar(ScalarOp::Convert(Prim::I64), x.into()))?;
            apply(&fails, |x| {
                let (first, second) = (vec![Extent::Number(x[0])], vec![Extent::Number(catadiff::array::index(0))]);
                Op::Agree(Box::new(Agree { what: Agreement::Wanted, first, second, times: Vec::new() }))
            })?;
        }
        Ok::<_, Error>(results)
    })?;
    Ok(with_checks.simplified())
}
