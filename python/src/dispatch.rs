//! Calls of functions: the program for arguments like these, if one is known, at once.
//!
//! Law: what is returned here is what the package returns without it; what this does not know at a glance, it leaves to the package
//! (tests/test_running.py).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use catadiff::array::trace::untyped::is_tracing;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyTuple};

use crate::compiled::Compiled;

/// What is called like a function of Python: arguments of an outline that is known go to the program for it, all others to `_call`.
#[pyclass(frozen, subclass, module = "catadiff._core")]
#[derive(Debug, Default)]
pub(crate) struct Callable {
    known: Mutex<HashMap<Vec<u64>, Known>>,
}

/// A program for arguments of an outline.
#[derive(Debug)]
struct Known {
    compiled: Py<Compiled>,
    captured: Vec<Py<PyAny>>,
    /// The function that makes of the results what is returned; if there is none, the one result is returned.
    made: Option<Py<PyAny>>,
}

/// Numbers of Python, in the place of the number of a dtype.
const FLOAT: u64 = 1 << 12;
const INT: u64 = 2 << 12;
const BOOL: u64 = 3 << 12;

/// The outline of an argument: its dtype, its number of dimensions, and which of them have size 1.
fn outline(argument: &Bound<'_, PyAny>) -> Option<u64> {
    if let Ok(array) = argument.cast::<PyUntypedArray>() {
        let dtype = array.dtype();
        let ones = array.shape().iter().enumerate().map(|(k, n)| u64::from(*n == 1) << k).sum::<u64>();
        let known = array.ndim() <= 32 && dtype.is_native_byteorder() != Some(false);
        return known
            .then(|| u64::try_from(dtype.num()).ok().map(|num| num | (array.ndim() as u64) << 16 | ones << 32))?;
    }
    if argument.is_exact_instance_of::<PyFloat>() {
        return Some(FLOAT);
    }
    if argument.is_exact_instance_of::<PyInt>() {
        return Some(INT);
    }
    argument.is_exact_instance_of::<PyBool>().then_some(BOOL)
}

fn outlines(arguments: &Bound<'_, PyTuple>) -> Option<Vec<u64>> {
    arguments.iter_borrowed().map(|argument| outline(&argument)).collect()
}

impl Callable {
    /// The program for these arguments, if it is known.
    fn find(&self, arguments: &Bound<'_, PyTuple>) -> Option<Known> {
        let outlines = outlines(arguments)?;
        let py = arguments.py();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { compiled, captured, made } = known.get(&outlines)?;
        Some(Known {
            compiled: compiled.clone_ref(py),
            captured: captured.iter().map(|x| x.clone_ref(py)).collect(),
            made: made.as_ref().map(|made| made.clone_ref(py)),
        })
    }
}

#[pymethods]
impl Callable {
    #[new]
    #[pyo3(signature = (*_arguments, **_named))]
    fn new(_arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> Self {
        Callable::default()
    }

    #[pyo3(signature = (*arguments, **named))]
    fn __call__<'py>(
        this: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = if named.is_none() && !is_tracing() { this.get().find(arguments) } else { None };
        let Some(Known { compiled, captured, made }) = found else {
            return this.getattr("_call")?.call(arguments, named);
        };
        let py = this.py();
        let mut results = match captured.is_empty() {
            true => compiled.get().results(py, arguments)?,
            false => {
                let own = arguments.iter().chain(captured.into_iter().map(|x| x.into_bound(py)));
                compiled.get().results(py, &PyTuple::new(py, own.collect::<Vec<_>>())?)?
            }
        };
        match made {
            Some(made) => made.bind(py).call1((results,)),
            None => Ok(results.swap_remove(0)),
        }
    }

    /// From here on calls with arguments like these go to a program.
    #[pyo3(signature = (arguments, compiled, captured, made = None))]
    fn _remember(
        &self,
        arguments: &Bound<'_, PyTuple>,
        compiled: Py<Compiled>,
        captured: Vec<Py<PyAny>>,
        made: Option<Py<PyAny>>,
    ) {
        if let Some(outlines) = outlines(arguments) {
            let known = Known { compiled, captured, made };
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(outlines, known);
        }
    }
}
