//! Arrays of numpy as arguments, and results as arrays of numpy.
//!
//! Law: a number is what it was; an argument of another kind or rank than its parameter's is an error, save what Python and numpy have
//! in fewer digits or bits than it (tests/test_running.py).

use catadiff::Error;
use catadiff::array::{Prim, Type};
use catadiff::execute::{Elements, Flat};
use numpy::prelude::*;
use numpy::{Element, PyArray1, PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::errors::{Class, Failure};
use crate::value::dtype;

/// An argument as a run takes it.
pub(crate) fn flat(name: &str, of: Type, argument: &Bound<'_, PyAny>) -> PyResult<Flat> {
    flat_of(name, of, argument).map_err(PyErr::from)
}

fn flat_of(name: &str, of: Type, argument: &Bound<'_, PyAny>) -> Result<Flat, Failure> {
    if of.rank == 0 {
        if let Some(scalar) = scalar(of.prim, argument)? {
            return Ok(scalar);
        }
    }
    let found = match of.prim {
        Prim::F64 => elements::<f64>(argument, of).map(|(sizes, xs)| Flat::reals(&sizes, xs)),
        Prim::F32 => elements::<f32>(argument, of).map(|(sizes, xs)| Flat::singles(&sizes, xs)),
        Prim::I64 => elements::<i64>(argument, of).map(|(sizes, xs)| Flat::integers(&sizes, xs)),
        Prim::Bool => integers::<bool>(argument, of, i64::from),
        Prim::I8 => integers::<i8>(argument, of, i64::from),
        Prim::I16 => integers::<i16>(argument, of, i64::from),
        Prim::I32 => integers::<i32>(argument, of, i64::from),
        Prim::U8 => integers::<u8>(argument, of, i64::from),
        Prim::U16 => integers::<u16>(argument, of, i64::from),
        Prim::U32 => integers::<u32>(argument, of, i64::from),
        Prim::U64 => integers::<u64>(argument, of, |n| n as i64),
        Prim::F16 => halves(argument, of)?,
        _ => None,
    };
    match found {
        Some(flat) => Ok(flat?),
        None => Err(unfit(name, of, argument)?.into()),
    }
}

/// A number of Python.
fn scalar(prim: Prim, argument: &Bound<'_, PyAny>) -> Result<Option<Flat>, Failure> {
    if prim.is_real() && (argument.is_instance_of::<PyFloat>() || argument.is_instance_of::<PyInt>()) {
        let x: f64 = argument.extract()?;
        return Ok(Some(match prim {
            Prim::F64 => Flat::reals(&[], vec![x])?,
            Prim::F32 => Flat::singles(&[], vec![x as f32])?,
            _ => Flat::halves(&[], core::iter::once(x))?,
        }));
    }
    if prim == Prim::Bool {
        let truth = argument.cast::<PyBool>().ok().map(|truth| truth.is_true());
        return truth.map(|truth| Ok(Flat::exact(prim, &[], vec![truth.into()])?)).transpose();
    }
    if prim.is_integer() && argument.is_instance_of::<PyInt>() && !argument.is_instance_of::<PyBool>() {
        let n: i128 = argument.extract()?;
        let (least, most) = prim.bounds();
        if (least..=most).contains(&n) {
            return Ok(Some(Flat::exact(prim, &[], vec![n as i64])?));
        }
    }
    Ok(None)
}

/// The elements of an array of this dtype and rank, in order.
fn elements<T: Element + Copy>(argument: &Bound<'_, PyAny>, of: Type) -> Option<(Vec<usize>, Vec<T>)> {
    let array = argument.cast::<PyArrayDyn<T>>().ok()?;
    if !array.data().is_aligned() {
        // As what has come over a network may be; a copy is aligned.
        return elements(&argument.call_method0("copy").ok()?, of);
    }
    let array: PyReadonlyArrayDyn<'_, T> = array.try_readonly().ok()?;
    if array.ndim() != of.rank {
        return None;
    }
    let elements = match array.as_slice() {
        // Elements that lie side by side may do so in the order of columns.
        Ok(contiguous) if array.is_c_contiguous() => contiguous.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    };
    Some((array.shape().to_vec(), elements))
}

fn integers<T: Element + Copy>(
    argument: &Bound<'_, PyAny>,
    of: Type,
    wide: impl Fn(T) -> i64,
) -> Option<Result<Flat, Error>> {
    let (sizes, elements) = elements::<T>(argument, of)?;
    Some(Flat::exact(of.prim, &sizes, elements.into_iter().map(wide).collect()))
}

/// Halves by way of singles, which have them exactly.
fn halves(argument: &Bound<'_, PyAny>, of: Type) -> Result<Option<Result<Flat, Error>>, Failure> {
    if !argument.is_instance_of::<PyUntypedArray>()
        || argument.getattr("dtype")?.getattr("name")?.extract::<String>()? != "float16"
    {
        return Ok(None);
    }
    let singles = argument.call_method1("astype", ("float32",))?;
    let found = elements::<f32>(&singles, of);
    Ok(found.map(|(sizes, xs)| Flat::halves(&sizes, xs.into_iter().map(f64::from))))
}

/// What to say of an argument that does not fit.
fn unfit(name: &str, of: Type, argument: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let py = argument.py();
    let of_kind = |kind: &str, rank: usize| match rank {
        0 => format!("a {kind} scalar"),
        1 => format!("a {kind} array of 1 dimension"),
        n => format!("a {kind} array of {n} dimensions"),
    };
    let found = match argument.cast::<PyUntypedArray>() {
        Ok(array) => of_kind(&array.dtype().getattr("name")?.extract::<String>()?, array.ndim()),
        Err(_) => format!("{} of type {}", argument.repr()?, argument.get_type().name()?),
    };
    let wanted = of_kind(dtype(of.prim), of.rank);
    Ok(Class::TypeMismatch.raise(py, format!("the argument `{name}` is {found} where {wanted} is needed")))
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
