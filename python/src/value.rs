//! Values of a program that is being traced: their types, which of their sizes are known meanwhile, and whether they are numbers of
//! Python, which take the dtype of what they meet.
//!
//! Law: a size that is said to be known is what the run has, or the run is an error.

use catadiff::array::trace::untyped::{Untyped, parameter as further};
use catadiff::array::{Const, Prim, Type};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{Class, Failure};

/// A value, and for each of its dimensions the size, where that is known.
#[pyclass(frozen, from_py_object, module = "catadiff._core")]
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) inner: Untyped,
    pub(crate) known: Vec<Option<i64>>,
    /// Whether it is a number of Python, or made of such alone.
    pub(crate) weak: bool,
    /// What it is made of by new dimensions of size 1 alone, and for each of its dimensions whether it is new.
    pub(crate) spread: Option<(Untyped, Vec<bool>)>,
}

/// The kind of this name.
pub(crate) fn kind(name: &str) -> PyResult<Prim> {
    Prim::named(short(name)).ok_or_else(|| PyValueError::new_err(format!("{name} is no dtype of catadiff's arrays")))
}

/// What a dtype of numpy is called here.
fn short(name: &str) -> &str {
    match name {
        "int8" => "i8",
        "int16" => "i16",
        "int32" => "i32",
        "int64" => "i64",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" => "u64",
        "float16" => "f16",
        "float32" => "f32",
        "float64" => "f64",
        other => other,
    }
}

/// What a kind is called by numpy.
pub(crate) fn dtype(prim: Prim) -> &'static str {
    match prim {
        Prim::Bool => "bool",
        Prim::I8 => "int8",
        Prim::I16 => "int16",
        Prim::I32 => "int32",
        Prim::I64 => "int64",
        Prim::U8 => "uint8",
        Prim::U16 => "uint16",
        Prim::U32 => "uint32",
        Prim::U64 => "uint64",
        Prim::F16 => "float16",
        Prim::F32 => "float32",
        Prim::F64 => "float64",
        other => panic!("every kind has a dtype: {other}"),
    }
}

impl Value {
    /// A value of which no size is known.
    pub(crate) fn unknown(inner: Untyped) -> Self {
        Value::new(inner, vec![None; inner.of_type().rank])
    }

    /// A value of which these sizes are known.
    pub(crate) fn new(inner: Untyped, known: Vec<Option<i64>>) -> Self {
        Value { inner, known, weak: false, spread: None }
    }

    pub(crate) fn rank(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn of(&self) -> Type {
        self.inner.of_type()
    }

    /// The number that this is, if it is a constant size or index.
    pub(crate) fn as_int(&self) -> Option<i64> {
        if let Some(Const::I64(n)) = self.inner.as_constant() { Some(n) } else { None }
    }
}

#[pymethods]
impl Value {
    /// The dtype of the elements.
    #[getter]
    fn dtype(&self) -> &'static str {
        dtype(self.of().prim)
    }

    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.rank()
    }

    /// For each dimension its size, or `None` where that is not known.
    #[getter]
    fn known<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.known)
    }

    /// Whether it is a number of Python, or made of such alone.
    #[getter]
    fn weak(&self) -> bool {
        self.weak
    }

    /// Whether this is of the innermost trace in progress.
    fn is_here(&self) -> bool {
        self.inner.is_here()
    }

    /// The number that this is, if it is a constant integer.
    fn as_integer(&self) -> Option<i64> {
        self.as_int()
    }
}

/// A constant scalar of a dtype.
#[pyfunction]
#[pyo3(signature = (dtype, value, weak = false))]
pub(crate) fn constant(dtype: &str, value: &Bound<'_, PyAny>, weak: bool) -> PyResult<Value> {
    let prim = kind(dtype)?;
    let constant = if prim.is_real() {
        Const::rounded(value.extract()?, prim)
    } else if prim == Prim::Bool {
        Const::Bool(value.is_truthy()?)
    } else {
        let n: i128 = value.extract().map_err(|_| PyValueError::new_err(format!("{value} is no {dtype}")))?;
        let wrapped = Const::wrapped(n, prim);
        if wrapped.integer() != Some(n) {
            return Err(PyValueError::new_err(format!("{n} does not fit into {dtype}")));
        }
        wrapped
    };
    Ok(Value { weak, ..Value::new(Untyped::constant(constant), Vec::new()) })
}

/// One more parameter of the program that is being traced.
#[pyfunction]
pub(crate) fn parameter(py: Python<'_>, name: String, dtype: &str, known: Vec<Option<i64>>) -> Result<Value, Failure> {
    let inner = further(name, Type::array(kind(dtype)?, known.len()));
    let missing = || Class::Trace.raise(py, "arrays are traced within a traced function only");
    Ok(Value::new(inner.ok_or_else(missing)?, known))
}
