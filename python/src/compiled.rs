//! Programs that are ready to run on arrays of numpy.
//!
//! Law: other threads of Python go on while a program runs, and a run heeds Ctrl-C; after it, or after any error, the next run is as if
//! there had been none (tests/test_running.py).

use std::sync::{Mutex, PoisonError};

use catadiff::Error;
use catadiff::array;
use catadiff::array::Type;
use catadiff::execute::{self, EXECUTORS, Lent};
use catadiff::interpret::{Cancel, Control, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::conversion::{Argument, result};
use crate::errors::{Class, is_interrupt, raised};

/// A program that is ready to run.
#[pyclass(frozen, module = "catadiff._core")]
#[derive(Debug)]
pub(crate) struct Compiled {
    inner: execute::Compiled,
    parameters: Vec<(String, Type)>,
    results: usize,
}

/// How many steps there are between two looks at what else Python wants; a step is a block of lanes or an iteration.
const LOOK: u64 = 1 << 16;

/// The names of the executors that this machine has.
#[pyfunction]
pub(crate) fn executors() -> Vec<&'static str> {
    EXECUTORS.iter().filter(|executor| executor.available().is_ok()).map(|executor| executor.name()).collect()
}

pub(crate) fn compiled(py: Python<'_>, program: &array::Program, name: &str) -> PyResult<Compiled> {
    let executor = execute::executor(name).ok_or_else(|| {
        PyValueError::new_err(format!("there is no executor `{name}`: there are {}", executors().join(", ")))
    })?;
    let params = program.function().params.iter().map(|p| program.type_of(*p));
    let parameters = program.names().iter().cloned().zip(params).collect();
    let results = program.function().body.results.len();
    match py.detach(|| program.compile_on(executor)) {
        Ok(inner) => Ok(Compiled { inner, parameters, results }),
        Err(error) => Err(raised(py, error)),
    }
}

impl Compiled {
    /// The results for these arguments.
    pub(crate) fn results<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.controlled(py, arguments, None, LOOK)
    }

    fn controlled<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        progress: Option<&Py<PyAny>>,
        every: u64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if arguments.len() != self.parameters.len() {
            let message = format!("{} arrays are taken, and there are {}", self.parameters.len(), arguments.len());
            return Err(Class::TypeMismatch.raise(py, message));
        }
        let given = self.parameters.iter().zip(arguments.iter_borrowed());
        let arguments: Vec<Argument<'_>> =
            given.map(|((name, of), given)| Argument::new(name, *of, &given)).collect::<PyResult<_>>()?;
        let sizes: Vec<_> = arguments.iter().map(Argument::sizes).collect();
        let lent: Vec<Lent<'_>> = arguments
            .iter()
            .zip(&sizes)
            .map(|(argument, sizes)| argument.lent(sizes))
            .collect::<Result<_, Error>>()
            .map_err(|error| raised(py, error))?;
        let mut results = Vec::with_capacity(self.results);
        let raised_within = Mutex::new(None);
        let ended = py.detach(|| {
            let cancel = Cancel::new();
            let look = |steps: u64| {
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    progress.map_or(Ok(()), |progress| progress.call1(py, (steps,)).map(drop))
                });
                if let Err(error) = looked {
                    raised_within.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    cancel.cancel();
                }
            };
            let unlimited = Limits { steps: u64::MAX, elements: u64::MAX };
            let control = Control::from(&unlimited).cancelled_by(&cancel).with_progress(every, &look);
            self.inner.run_lent(&lent, &mut results, control)
        });
        if let Some(error) = raised_within.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(match is_interrupt(py, &error) {
                true => error,
                false => with_cause(py, Class::Catadiff.raise(py, "the function for the progress failed"), error),
            });
        }
        ended.map_err(|error| raised(py, error))?;
        results.into_iter().map(|flat| result(py, flat)).collect()
    }
}

#[pymethods]
impl Compiled {
    /// The results for these arguments. `progress`, if it is given, is called from time to time with the number of steps so far; an
    /// exception in it ends the run.
    #[pyo3(signature = (arguments, progress = None, every = LOOK))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        progress: Option<Py<PyAny>>,
        every: u64,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.controlled(py, arguments, progress.as_ref(), every)
    }

    /// What becomes of the program: its code, or why it is interpreted.
    fn explain(&self) -> String {
        self.inner.explain()
    }
}

/// The exception, with its cause.
fn with_cause(py: Python<'_>, error: PyErr, cause: PyErr) -> PyErr {
    error.set_cause(py, Some(cause));
    error
}
