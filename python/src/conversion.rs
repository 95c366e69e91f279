//! Arrays of numpy as arguments, and results as arrays of numpy.
//!
//! Law: a number is what it was; an argument of another kind or rank than its parameter's is an error. Doubles, singles and 64-bit integers that
//! lie in order are read where they are, and results are in the memory that the run has left them in (tests/test_running.py).

use std::borrow::Cow;

use catadiff::Error;
use catadiff::array::{Prim, Type};
use catadiff::execute::{Elements, Flat, Lent};
use numpy::prelude::*;
use numpy::{Element, PyArray1, PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::errors::{Class, Failure};
use crate::value::dtype;

/// An argument, which is there while a run reads it: an array of numpy that nobody may write to meanwhile, or a copy.
pub(crate) enum Argument<'py> {
    Reals(PyReadonlyArrayDyn<'py, f64>),
    Singles(PyReadonlyArrayDyn<'py, f32>),
    Integers(PyReadonlyArrayDyn<'py, i64>),
    Own(Flat),
}

impl<'py> Argument<'py> {
    /// The argument for a parameter of this name and type.
    pub(crate) fn new(name: &str, of: Type, given: &Bound<'py, PyAny>) -> PyResult<Self> {
        match Argument::found(of, given).map_err(PyErr::from)? {
            Some(argument) => Ok(argument),
            None => Err(unfit(name, of, given)?),
        }
    }

    fn found(of: Type, given: &Bound<'py, PyAny>) -> Result<Option<Self>, Failure> {
        if of.rank == 0
            && let Some(scalar) = scalar(of.prim, given)?
        {
            return Ok(Some(Argument::Own(scalar)));
        }
        Ok(match of.prim {
            Prim::F64 => in_order(given, of)?.map(Argument::Reals),
            Prim::F32 => in_order(given, of)?.map(Argument::Singles),
            Prim::I64 => in_order(given, of)?.map(Argument::Integers),
            Prim::Bool => integers::<bool>(given, of, i64::from)?,
            Prim::I8 => integers::<i8>(given, of, i64::from)?,
            Prim::I16 => integers::<i16>(given, of, i64::from)?,
            Prim::I32 => integers::<i32>(given, of, i64::from)?,
            Prim::U8 => integers::<u8>(given, of, i64::from)?,
            Prim::U16 => integers::<u16>(given, of, i64::from)?,
            Prim::U32 => integers::<u32>(given, of, i64::from)?,
            Prim::U64 => integers::<u64>(given, of, |n| n as i64)?,
            Prim::F16 => halves(given, of)?,
            _ => None,
        })
    }

    /// The sizes.
    pub(crate) fn sizes(&self) -> Cow<'_, [usize]> {
        match self {
            Argument::Reals(array) => array.shape().into(),
            Argument::Singles(array) => array.shape().into(),
            Argument::Integers(array) => array.shape().into(),
            Argument::Own(flat) => flat.sizes().into(),
        }
    }

    /// What a run reads.
    pub(crate) fn lent<'a>(&'a self, sizes: &'a [usize]) -> Result<Lent<'a>, Error> {
        const IN_ORDER: &str = "an argument lies in order";
        match self {
            Argument::Reals(array) => Lent::reals(sizes, array.as_slice().expect(IN_ORDER)),
            Argument::Singles(array) => Lent::singles(sizes, array.as_slice().expect(IN_ORDER)),
            Argument::Integers(array) => Lent::integers(sizes, array.as_slice().expect(IN_ORDER)),
            Argument::Own(flat) => Ok(flat.lent()),
        }
    }
}

/// A number of Python.
fn scalar(prim: Prim, given: &Bound<'_, PyAny>) -> Result<Option<Flat>, Failure> {
    if prim.is_real() && (given.is_instance_of::<PyFloat>() || given.is_instance_of::<PyInt>()) {
        let x: f64 = given.extract()?;
        return Ok(Some(match prim {
            Prim::F64 => Flat::reals(&[], vec![x])?,
            Prim::F32 => Flat::singles(&[], vec![x as f32])?,
            _ => Flat::halves(&[], core::iter::once(x))?,
        }));
    }
    if prim == Prim::Bool {
        let truth = given.cast::<PyBool>().ok().map(|truth| truth.is_true());
        return truth.map(|truth| Ok(Flat::exact(prim, &[], vec![truth.into()])?)).transpose();
    }
    if prim.is_integer() && given.is_instance_of::<PyInt>() && !given.is_instance_of::<PyBool>() {
        let n: i128 = given.extract()?;
        let (least, most) = prim.bounds();
        if (least..=most).contains(&n) {
            return Ok(Some(Flat::exact(prim, &[], vec![n as i64])?));
        }
    }
    Ok(None)
}

/// An array of this dtype and rank whose elements lie in order: the array itself if they do, or a copy.
fn in_order<'py, T: Element>(
    given: &Bound<'py, PyAny>,
    of: Type,
) -> Result<Option<PyReadonlyArrayDyn<'py, T>>, Failure> {
    let Ok(array) = given.cast::<PyArrayDyn<T>>() else { return Ok(None) };
    if array.ndim() != of.rank {
        return Ok(None);
    }
    // What has come over a network may begin at any byte.
    if array.is_c_contiguous() && array.data().is_aligned() {
        return Ok(Some(array.try_readonly().map_err(PyErr::from)?));
    }
    let copy = given.call_method1("copy", ("C",))?;
    let copy = copy.cast::<PyArrayDyn<T>>().map_err(PyErr::from)?;
    Ok(Some(copy.try_readonly().map_err(PyErr::from)?))
}

fn integers<'py, T: Element + Copy>(
    given: &Bound<'py, PyAny>,
    of: Type,
    wide: impl Fn(T) -> i64,
) -> Result<Option<Argument<'py>>, Failure> {
    let Some(array) = in_order::<T>(given, of)? else { return Ok(None) };
    let elements = array.as_slice().map_err(PyErr::from)?.iter().map(|n| wide(*n)).collect();
    Ok(Some(Argument::Own(Flat::exact(of.prim, array.shape(), elements)?)))
}

/// Halves by way of singles, which have them exactly.
fn halves<'py>(given: &Bound<'py, PyAny>, of: Type) -> Result<Option<Argument<'py>>, Failure> {
    let Ok(array) = given.cast::<PyUntypedArray>() else { return Ok(None) };
    if array.dtype().getattr("name")?.extract::<String>()? != "float16" {
        return Ok(None);
    }
    let singles = given.call_method1("astype", ("float32",))?;
    let Some(array) = in_order::<f32>(&singles, of)? else { return Ok(None) };
    let elements = array.as_slice().map_err(PyErr::from)?.iter().map(|x| (*x).into());
    Ok(Some(Argument::Own(Flat::halves(array.shape(), elements)?)))
}

/// What to say of an argument that does not fit.
fn unfit(name: &str, of: Type, given: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let of_kind = |kind: &str, rank: usize| match rank {
        0 => format!("a {kind} scalar"),
        1 => format!("a {kind} array of 1 dimension"),
        n => format!("a {kind} array of {n} dimensions"),
    };
    let found = match given.cast::<PyUntypedArray>() {
        Ok(array) => of_kind(&array.dtype().getattr("name")?.extract::<String>()?, array.ndim()),
        Err(_) => format!("{} of type {}", given.repr()?, given.get_type().name()?),
    };
    let wanted = of_kind(dtype(of.prim), of.rank);
    let message = format!("the argument `{name}` is {found} where {wanted} is needed");
    Ok(Class::TypeMismatch.raise(given.py(), message))
}

fn array<'py, T: Element>(py: Python<'py>, sizes: &[usize], elements: Vec<T>) -> PyResult<Bound<'py, PyAny>> {
    let array = PyArray1::from_vec(py, elements);
    match sizes.len() {
        0 => array.into_any().get_item(0),
        1 => Ok(array.into_any()),
        _ => Ok(array.reshape(sizes.to_vec())?.into_any()),
    }
}

/// A result as a number or an array of numpy, in the memory that it is in where numpy has such elements.
pub(crate) fn result(py: Python<'_>, flat: Flat) -> PyResult<Bound<'_, PyAny>> {
    let (prim, sizes) = (flat.prim(), flat.sizes().to_vec());
    macro_rules! narrowed {
        ($elements:ident, $T:ty) => {
            array(py, &sizes, $elements.into_iter().map(|n| n as $T).collect())
        };
    }
    match flat.into_elements() {
        Elements::Reals(xs) if prim == Prim::F16 => {
            let singles = array(py, &sizes, xs.into_iter().map(|x| x as f32).collect())?;
            singles.call_method1("astype", ("float16",))
        }
        Elements::Reals(xs) => array(py, &sizes, xs),
        Elements::Singles(xs) => array(py, &sizes, xs),
        Elements::Integers(ns) => match prim {
            Prim::Bool => array(py, &sizes, ns.into_iter().map(|n| n != 0).collect()),
            Prim::I8 => narrowed!(ns, i8),
            Prim::I16 => narrowed!(ns, i16),
            Prim::I32 => narrowed!(ns, i32),
            Prim::U8 => narrowed!(ns, u8),
            Prim::U16 => narrowed!(ns, u16),
            Prim::U32 => narrowed!(ns, u32),
            Prim::U64 => narrowed!(ns, u64),
            _ => array(py, &sizes, ns),
        },
    }
}
