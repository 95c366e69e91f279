//! The extension module of the Python package: values of programs that are being traced, the operations on them, programs, and
//! what runs them.
//!
//! What is here takes values and lists of values, of kinds and sizes that fit; the package in `catadiff/` has the words of numpy,
//! trees of arrays, and the verbs, in terms of this.
//!
//! Law: a call from Python ends with a result or an exception of Python, never with a panic, and what is traced names the line of Python
//! that it comes from (tests/test_errors.py).

mod combinators;
mod compiled;
mod conversion;
mod dispatch;
mod elementwise;
mod errors;
mod movement;
mod place;
mod program;
mod sparse;
mod text;
mod value;
mod words;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::combinators::{cond, custom, for_loop, hist, map, outline, reduce, scan, while_loop};
    #[pymodule_export]
    use super::compiled::{Compiled, executors};
    #[pymodule_export]
    use super::dispatch::Callable;
    #[pymodule_export]
    use super::elementwise::{choose, convert, elementwise};
    #[pymodule_export]
    use super::movement::{
        concat, elements, expand, index, iota, permute, replicate, reshape, reverse, same_length, scatter, size, slice,
        update,
    };
    #[pymodule_export]
    use super::program::{Program, call, trace};
    #[pymodule_export]
    use super::sparse::Sparse;
    #[pymodule_export]
    use super::text::load;
    #[pymodule_export]
    use super::value::{Value, constant, parameter};
    #[pymodule_export]
    use super::words::word;
}
