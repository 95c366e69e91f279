//! Programs: tracing a function of Python, and the verbs on programs.
//!
//! Law: a program is data: as text it is stored, sent and read back as the same program (tests/test_programs.py).

use catadiff::Error;
use catadiff::array;
use catadiff::array::trace::untyped;
use catadiff::array::{Prim, Type};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::combinators::called;
use crate::compiled::{Compiled, compiled};
use crate::errors::{Failure, raised};
use crate::place;
use crate::sparse::{Sparse, prepared};
use crate::value::{Value, dtype, kind};

/// A program of arrays.
#[pyclass(frozen, from_py_object, module = "catadiff._core")]
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) inner: array::Program,
}

/// The program of a function of parameters of these names, dtypes, sizes as far as they are known, and whether they are numbers of Python.
#[pyfunction]
pub(crate) fn trace(
    parameters: Vec<(String, String, Vec<Option<i64>>, bool)>,
    f: &Bound<'_, PyAny>,
) -> Result<Program, Failure> {
    let mut typed = Vec::new();
    for (name, dtype, known, _) in &parameters {
        typed.push((name.clone(), Type::array(kind(dtype)?, known.len())));
    }
    let inner = untyped::trace(typed, |x| {
        let value = |(inner, (_, _, known, weak)): (&untyped::Untyped, &(_, _, Vec<Option<i64>>, bool))| Value {
            weak: *weak,
            ..Value::new(*inner, known.clone())
        };
        let results = called(f, x.iter().zip(&parameters).map(value).collect())?;
        Ok::<_, Failure>(results.iter().map(|x| x.inner).collect())
    })?;
    Ok(Program { inner })
}

/// The results of a program in the program that is being traced.
#[pyfunction]
pub(crate) fn call(py: Python<'_>, program: &Program, arguments: Vec<Value>) -> Result<Vec<Value>, Failure> {
    let _here = place::here(py);
    let arguments: Vec<_> = arguments.iter().map(|x| x.inner).collect();
    Ok(untyped::call(&program.inner, &arguments)?.into_iter().map(Value::unknown).collect())
}

impl Program {
    fn derived(
        &self,
        derive: impl FnOnce(&array::Program) -> Result<array::Program, Error> + Send,
        py: Python<'_>,
    ) -> PyResult<Self> {
        let found = py.detach(|| derive(&self.inner));
        found.map(|inner| Program { inner }).map_err(|error| raised(py, error))
    }

    pub(crate) fn parameter_types(&self) -> Vec<Type> {
        self.inner.function().params.iter().map(|p| self.inner.type_of(*p)).collect()
    }

    pub(crate) fn result_types(&self) -> Vec<Type> {
        self.inner.function().body.results.iter().map(|a| self.inner.atom_type(*a)).collect()
    }
}

fn shown(types: Vec<Type>) -> Vec<(&'static str, usize)> {
    types.into_iter().map(|of| (dtype(of.prim), of.rank)).collect()
}

#[pymethods]
impl Program {
    /// The program of a derivative, by the parameters at these places: that of the verb of this name.
    fn derivative(&self, verb: &str, wrt: Vec<usize>, py: Python<'_>) -> PyResult<Self> {
        let derive = match verb {
            "grad" => array::Program::grad,
            "value_and_grad" => array::Program::value_and_grad,
            "jacfwd" => array::Program::jacfwd,
            "jacrev" => array::Program::jacrev,
            "hessian" => array::Program::hessian,
            "hvp" => array::Program::hvp,
            "jvp" => array::Program::jvp_wrt,
            "vjp" => array::Program::vjp_wrt,
            _ => return Err(PyValueError::new_err(format!("there is no verb `{verb}`"))),
        };
        self.derived(|program| derive(program, wrt), py)
    }

    /// The program of this text.
    #[staticmethod]
    fn parse(text: &str, py: Python<'_>) -> PyResult<Self> {
        array::Program::parse(text).map(|inner| Program { inner }).map_err(|error| raised(py, error))
    }

    /// The names of the parameters.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().to_vec()
    }

    /// The dtypes and numbers of dimensions of the parameters.
    #[getter]
    fn parameters(&self) -> Vec<(&'static str, usize)> {
        shown(self.parameter_types())
    }

    /// The dtypes and numbers of dimensions of the results.
    #[getter]
    fn results(&self) -> Vec<(&'static str, usize)> {
        shown(self.result_types())
    }

    /// The program in which the parameters that are said to be so have one more dimension, outermost, and all results too.
    fn vmap(&self, batched: Vec<bool>, py: Python<'_>) -> PyResult<Self> {
        self.derived(|program| program.vmap(&batched), py)
    }

    /// The sparse derivative of this verb, by the parameters at these places, prepared at these arguments.
    fn sparse(&self, verb: &str, wrt: Vec<usize>, arguments: &Bound<'_, PyTuple>) -> PyResult<Sparse> {
        prepared(arguments.py(), self, verb, wrt, arguments)
    }

    /// The program with the results at these places.
    fn only(&self, places: Vec<usize>, py: Python<'_>) -> PyResult<Self> {
        self.derived(|program| program.only(&places), py)
    }

    /// The program with the results of another one behind its own.
    fn beside(&self, other: &Program, py: Python<'_>) -> PyResult<Self> {
        self.derived(|program| program.beside(&other.inner), py)
    }

    /// The program without what it does not need.
    fn simplified(&self) -> Self {
        Program { inner: self.inner.simplified() }
    }

    /// Ready to run on an executor: `lanes`, `native`, `gpu` or `interpreter`.
    fn compile(&self, executor: &str, py: Python<'_>) -> PyResult<Compiled> {
        compiled(py, &self.inner, executor)
    }

    /// The source and the header of the program as a function in C.
    fn to_c(&self, name: &str) -> PyResult<(String, String)> {
        let text = self.inner.to_c(name).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((text.source, text.header))
    }

    /// The program as a picture of its data flow.
    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.to_svg().map_err(|error| raised(py, error))
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    /// Whether a parameter is real, for each.
    fn real_parameters(&self) -> Vec<bool> {
        self.parameter_types().iter().map(|of| Prim::is_real(of.prim)).collect()
    }
}
