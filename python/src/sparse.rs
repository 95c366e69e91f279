//! Sparse derivatives: what is found of them once, as arrays of numpy, and the program that computes them.
//!
//! Law: the entries, taken from their places among the derivatives of all colours, are those of the dense derivative
//! (tests/test_sparse.py).

use catadiff::execute::Flat;
use catadiff::transform::SparseDerivative;
use catadiff::{Error, array};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::conversion::{Argument, result};
use crate::errors::raised;
use crate::program::Program;

/// A sparse Jacobian or Hessian for arguments of these sizes.
#[pyclass(frozen, module = "catadiff._core")]
#[derive(Debug)]
pub(crate) struct Sparse {
    inner: SparseDerivative,
}

/// The derivative of this verb, by the parameters at these places, prepared at these arguments.
pub(crate) fn prepared(
    py: Python<'_>,
    program: &Program,
    verb: &str,
    wrt: Vec<usize>,
    arguments: &Bound<'_, PyTuple>,
) -> PyResult<Sparse> {
    let names = program.inner.names().iter().zip(program.parameter_types());
    let given: Vec<Argument<'_>> = names
        .zip(arguments.iter_borrowed())
        .map(|((name, of), given)| Argument::new(name, of, &given))
        .collect::<PyResult<_>>()?;
    let value = |argument: &Argument<'_>| Ok(argument.lent(&argument.sizes())?.to_value());
    let values: Result<Vec<_>, Error> = given.iter().map(value).collect();
    let prepare = match verb {
        "jacobian" => array::Program::prepare_jacobian,
        "hessian" => array::Program::prepare_hessian,
        _ => return Err(PyValueError::new_err(format!("there is no sparse verb `{verb}`"))),
    };
    let found = values.and_then(|values| py.detach(|| prepare(&program.inner, wrt, values)));
    found.map(|inner| Sparse { inner }).map_err(|error| raised(py, error))
}

fn indices<'py>(py: Python<'py>, of: &[usize]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, of.iter().map(|k| *k as i64))
}

#[pymethods]
impl Sparse {
    /// The program that takes the parameters, and directions of all colours at once.
    #[getter]
    fn program(&self) -> Program {
        Program { inner: self.inner.program().clone() }
    }

    /// What the program takes behind the parameters.
    #[getter]
    fn directions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.inner.directions().iter().map(|value| result(py, Flat::from(value))).collect()
    }

    /// How many results of the program, the last ones, are derivatives.
    #[getter]
    fn derivatives(&self) -> usize {
        self.inner.derivatives()
    }

    /// How many colours there are.
    #[getter]
    fn colours(&self) -> usize {
        self.inner.colouring().count()
    }

    /// For each entry of the matrix its place among the derivatives, of which all of one colour come before those of the next.
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        indices(py, self.inner.places())
    }

    /// Where the entries of each row begin, and where the last ones end.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        indices(py, self.inner.pattern().offsets())
    }

    /// The column of each entry.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        indices(py, self.inner.pattern().indices())
    }

    /// How many rows and columns there are.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.inner.pattern().rows(), self.inner.pattern().columns())
    }
}
