//! The words of array programs on lists and matrices, by their names.
//!
//! Law: a word does what the method of this name does to typed handles; the package maps it over the dimensions around them
//! (tests/test_numpy.py).

use catadiff::Real;
use catadiff::array::Prim;
use catadiff::array::trace::untyped::{Untyped, words};
use catadiff::array::trace::{
    Arr, F16, F32, F64, Handle, I8, I16, I32, I64, Number, U8, U16, U32, U64, eye, fft, ifft, irfft, linspace, rfft,
};
use pyo3::prelude::*;

use crate::errors::{Class, Failure};
use crate::place;
use crate::value::Value;

fn parts<H: Handle>(handle: H) -> Option<Vec<Untyped>> {
    Some(Untyped::parts(handle))
}

/// The operand at a place, if it is of this type.
fn at<H: Handle>(x: &[Untyped], k: usize) -> Option<H> {
    Untyped::typed(x.get(k..=k)?)
}

/// The words of numbers of any kind.
fn of_numbers<S: Number>(name: &str, x: &[Untyped]) -> Option<Vec<Untyped>> {
    let list = |k| at::<Arr<S>>(x, k);
    let matrix = |k| at::<Arr<Arr<S>>>(x, k);
    let number = |k| at::<I64>(x, k);
    match name {
        "sum" => parts(list(0)?.sum()),
        "product" => parts(list(0)?.product()),
        "min" => parts(list(0)?.min()),
        "max" => parts(list(0)?.max()),
        "argmin" => parts(list(0)?.argmin()),
        "argmax" => parts(list(0)?.argmax()),
        "cumsum" => parts(list(0)?.cumsum()),
        "cumprod" => parts(list(0)?.cumprod()),
        "cummax" => parts(list(0)?.cummax()),
        "cummin" => parts(list(0)?.cummin()),
        "sort" => parts(list(0)?.sort()),
        "argsort" => parts(list(0)?.argsort()),
        "searchsorted" => parts(list(0)?.searchsorted(list(1)?)),
        "searchsorted_right" => parts(list(0)?.searchsorted_right(list(1)?)),
        "top_k" => parts(list(0)?.top_k(number(1)?)),
        "dot" => parts(list(0)?.dot(list(1)?)),
        "outer" => parts(list(0)?.outer(list(1)?)),
        "matvec" => parts(matrix(0)?.matvec(list(1)?)),
        "matmul" => parts(matrix(0)?.matmul(matrix(1)?)),
        "kron" => parts(matrix(0)?.kron(matrix(1)?)),
        "triu" => parts(matrix(0)?.triu(number(1)?)),
        "tril" => parts(matrix(0)?.tril(number(1)?)),
        "diagonal" => parts(matrix(0)?.diagonal()),
        "eye" => at::<S>(x, 1).and_then(|_| parts(eye::<S>(number(0)?))),
        _ => None,
    }
}

/// The words of reals.
fn of_reals<S: Number + Real>(name: &str, x: &[Untyped]) -> Option<Vec<Untyped>> {
    let list = |k| at::<Arr<S>>(x, k);
    let matrix = |k| at::<Arr<Arr<S>>>(x, k);
    // What a matrix does to a list, or to the columns of another.
    macro_rules! of_either {
        ($solve:ident) => {
            match list(1) {
                Some(right) => parts(matrix(0)?.$solve(right)),
                None => parts(matrix(0)?.$solve(matrix(1)?)),
            }
        };
    }
    match name {
        "mean" => parts(list(0)?.mean()),
        "var" => parts(list(0)?.var()),
        "std" => parts(list(0)?.std()),
        "norm" => parts(list(0)?.norm()),
        "logsumexp" => parts(list(0)?.logsumexp()),
        "softmax" => parts(list(0)?.softmax()),
        "log_softmax" => parts(list(0)?.log_softmax()),
        "interp" => parts(list(0)?.interp(list(1)?, list(2)?)),
        "linspace" => parts(linspace(at::<S>(x, 0)?, at::<S>(x, 1)?, at::<I64>(x, 2)?)),
        "fft" => parts(fft((list(0)?, list(1)?))),
        "ifft" => parts(ifft((list(0)?, list(1)?))),
        "rfft" => parts(rfft(list(0)?)),
        "irfft" => parts(irfft((list(0)?, list(1)?), at::<I64>(x, 2)?)),
        "solve" => of_either!(solve),
        "solve_lower" => of_either!(solve_lower),
        "solve_upper" => of_either!(solve_upper),
        "cholesky_solve" => of_either!(cholesky_solve),
        "inverse" => parts(matrix(0)?.inverse()),
        "det" => parts(matrix(0)?.det()),
        "slogdet" => parts(matrix(0)?.slogdet()),
        "logdet" => parts(matrix(0)?.logdet()),
        "cholesky" => parts(matrix(0)?.cholesky()),
        "qr" => parts(matrix(0)?.qr()),
        "eigh" => parts(matrix(0)?.eigh()),
        "svd" => parts(matrix(0)?.svd()),
        _ => of_numbers::<S>(name, x),
    }
}

fn found(prim: Prim, name: &str, x: &[Untyped]) -> Option<Vec<Untyped>> {
    match prim {
        Prim::F64 => of_reals::<F64>(name, x),
        Prim::F32 => of_reals::<F32>(name, x),
        Prim::F16 => of_reals::<F16>(name, x),
        Prim::I64 => of_numbers::<I64>(name, x),
        Prim::I32 => of_numbers::<I32>(name, x),
        Prim::I16 => of_numbers::<I16>(name, x),
        Prim::I8 => of_numbers::<I8>(name, x),
        Prim::U64 => of_numbers::<U64>(name, x),
        Prim::U32 => of_numbers::<U32>(name, x),
        Prim::U16 => of_numbers::<U16>(name, x),
        Prim::U8 => of_numbers::<U8>(name, x),
        _ => None,
    }
}

/// The words whose result has the sizes of the first operand.
const KEEPING: [&str; 14] = [
    "cumsum",
    "cumprod",
    "cummax",
    "cummin",
    "sort",
    "argsort",
    "softmax",
    "log_softmax",
    "triu",
    "tril",
    "inverse",
    "cholesky",
    "fft",
    "ifft",
];

/// What is known of the sizes of a result.
fn known(name: &str, operands: &[Value], result: Untyped) -> Vec<Option<i64>> {
    let size = |k: usize, dimension: usize| operands.get(k).and_then(|x| x.known.get(dimension).copied().flatten());
    match name {
        _ if KEEPING.contains(&name) => operands[0].known.clone(),
        "matmul" => vec![size(0, 0), size(1, 1)],
        "matvec" => vec![size(0, 0)],
        "outer" => vec![size(0, 0), size(1, 0)],
        "searchsorted" | "searchsorted_right" | "solve" | "solve_lower" | "solve_upper" | "cholesky_solve" => {
            operands[1].known.clone()
        }
        "eye" => vec![operands[0].as_int(); 2],
        "linspace" => vec![operands[2].as_int()],
        "top_k" => vec![operands[1].as_int()],
        _ => vec![None; result.of_type().rank],
    }
}

/// The results of the word of this name, for numbers of the kind of the operand at this place.
#[pyfunction]
#[pyo3(signature = (name, operands, of = 0))]
pub(crate) fn word(py: Python<'_>, name: &str, operands: Vec<Value>, of: usize) -> Result<Vec<Value>, Failure> {
    let _here = place::here(py);
    let inner: Vec<Untyped> = operands.iter().map(|x| x.inner).collect();
    let prim = operands.get(of).map_or(Prim::Bool, |x| x.of().prim);
    match words(|| found(prim, name, &inner))? {
        Some(results) => {
            Ok(results.into_iter().map(|inner| Value::new(inner, known(name, &operands, inner))).collect())
        }
        None => {
            let of: Vec<String> = operands.iter().map(|x| x.of().to_string()).collect();
            Err(Class::Trace.raise(py, format!("there is no `{name}` of ({})", of.join(", "))).into())
        }
    }
}
