//! Handles whose types are known when a program is traced, not when Rust is compiled: what a front end in another language writes
//! programs with.
//!
//! Law: a program that is written with these is the one that typed handles write, statement by statement; a mistake is an error of
//! the call that makes it, after which the trace goes on as if that call had not been (tests/array/untyped.rs).

use core::panic::Location;

use super::function::traced_of_result;
use super::handles::{Handle, handle, ids, types};
use super::scope::{self, Id, emit, further_parameter, inline, place, take_mistakes, type_here};
use crate::array::{Atom, Body, Const, Lambda, Op, Program, Type};
use crate::error::{Error, Result, Span};

/// A value of a program that is being traced, and its type.
#[derive(Debug, Clone, Copy)]
pub struct Untyped {
    id: Id,
    of: Type,
}

impl Untyped {
    /// A constant scalar.
    #[must_use]
    pub fn constant(value: impl Into<Const>) -> Self {
        let value = value.into();
        Untyped { id: Id::constant(value), of: Type::scalar(value.prim()) }
    }

    /// The constant that this is, if it is one.
    #[must_use]
    pub fn as_constant(self) -> Option<Const> {
        self.id.as_constant()
    }

    /// The type.
    #[must_use]
    pub fn of_type(self) -> Type {
        self.of
    }

    /// Whether this is a constant or a value of the innermost trace in progress.
    #[must_use]
    pub fn is_here(self) -> bool {
        type_here(self.id).is_some()
    }

    /// The values of a handle.
    #[must_use]
    pub fn parts<H: Handle>(typed: H) -> Vec<Self> {
        types::<H>().into_iter().zip(ids(typed)).map(|(of, id)| Untyped { id, of }).collect()
    }

    /// The handle of these values, if they are of its types.
    #[must_use]
    pub fn typed<H: Handle>(values: &[Self]) -> Option<H> {
        let fit = types::<H>().into_iter().eq(values.iter().map(|value| value.of));
        fit.then(|| handle(Some(values.iter().map(|value| value.id).collect())))
    }
}

fn as_ids(values: &[Untyped]) -> Vec<Id> {
    values.iter().map(|value| value.id).collect()
}

fn here(ids: Vec<Id>) -> Vec<Untyped> {
    let here = |id| Untyped { id, of: type_here(id).expect("a statement that was added is of the trace in progress") };
    ids.into_iter().map(here).collect()
}

/// What a call has found, if it made no mistake.
fn without_mistakes<T>(found: Option<T>) -> Result<T> {
    match (take_mistakes(), found) {
        (mistakes, Some(found)) if mistakes.is_empty() => Ok(found),
        (mistakes, _) => Err(Error::Trace { mistakes }),
    }
}

/// The program of a function of parameters of these names and types, which is called once, and gives the results.
///
/// ```
/// use catadiff::Error;
/// use catadiff::array::{Map, Op, Prim, ScalarOp, Type};
/// use catadiff::array::trace::untyped::{apply, function, trace};
/// let reals = Type::array(Prim::F64, 1);
/// let squares = trace([("xs".to_owned(), reals)], |xs| {
///     let square = function(&[reals.element()], |x| {
///         apply(&[x[0], x[0]], |operands| Op::Scalar(ScalarOp::Mul, operands.into()))
///     })?;
///     apply(xs, |arrays| Op::Map(Box::new(Map { function: square, arrays, accumulators: vec![] })))
/// })?;
/// assert_eq!(squares.at::<Vec<f64>>([1.0, 2.0])?, [1.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of the function, and [`Error::Trace`] if a result is no value of the trace.
#[track_caller]
pub fn trace<E: From<Error>>(
    parameters: impl IntoIterator<Item = (String, Type)>,
    function: impl FnOnce(&[Untyped]) -> Result<Vec<Untyped>, E>,
) -> Result<Program, E> {
    traced_of_result(parameters.into_iter().collect(), |ids| Ok(as_ids(&function(&here(ids.to_vec()))?)))
}

/// One more parameter of the program that is being traced, of this name and type, whatever functions are open in it; `None` if there
/// is no trace in progress. So what a function in another language mentions from outside becomes an argument.
#[must_use]
pub fn parameter(name: impl Into<String>, of: Type) -> Option<Untyped> {
    Some(Untyped { id: further_parameter(name.into(), of)?, of })
}

/// Whether a program is being traced on this thread.
#[must_use]
pub fn is_tracing() -> bool {
    scope::is_tracing()
}

/// The results of an operation on these operands: one statement.
///
/// # Errors
/// [`Error::Trace`] if it is not well typed, or an operand is not a value here.
#[track_caller]
pub fn apply(operands: &[Untyped], op: impl FnOnce(Vec<Atom>) -> Op) -> Result<Vec<Untyped>> {
    without_mistakes(emit(&as_ids(operands), op)).map(here)
}

/// The results of a program for these arguments: its statements.
///
/// # Errors
/// [`Error::Trace`] if the arguments are not of the types of its parameters, or not values here.
#[track_caller]
pub fn call(program: &Program, arguments: &[Untyped]) -> Result<Vec<Untyped>> {
    let results: Vec<Type> = program.function().body.results.iter().map(|a| program.atom_type(*a)).collect();
    let found = without_mistakes(inline(program, &as_ids(arguments), &results))?;
    Ok(found.into_iter().zip(results).map(|(id, of)| Untyped { id, of }).collect())
}

/// What is done with typed handles.
///
/// # Errors
/// [`Error::Trace`] with the mistakes that it makes.
pub fn words<R>(act: impl FnOnce() -> R) -> Result<R> {
    without_mistakes(Some(act()))
}

/// The function of parameters of these types, to be a part of an operation.
///
/// # Errors
/// Those of what is inside, and [`Error::Trace`] if a result is no value there.
#[track_caller]
pub fn function<E: From<Error>>(
    types: &[Type],
    inside: impl FnOnce(&[Untyped]) -> Result<Vec<Untyped>, E>,
) -> Result<Lambda, E> {
    let mut failed = None;
    let function = scope::lambda(Location::caller(), types, |ids| match inside(&here(ids.to_vec())) {
        Ok(results) => as_ids(&results),
        Err(error) => {
            failed = Some(error);
            Vec::new()
        }
    });
    failed.map_or_else(|| Ok(without_mistakes(function)?), Err)
}

/// The body with these results, to be a part of an operation.
///
/// # Errors
/// Those of [`function`].
#[track_caller]
pub fn body<E: From<Error>>(inside: impl FnOnce() -> Result<Vec<Untyped>, E>) -> Result<Body, E> {
    function(&[], |_| inside()).map(|function| function.body)
}

/// While this is there, statements come from a place that is no call in Rust.
#[derive(Debug)]
pub struct Placed {
    around: Option<Span>,
}

impl Placed {
    /// Statements of the trace in progress come from here.
    #[must_use]
    pub fn at(span: Span) -> Self {
        Placed { around: place(Some(span)) }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        place(self.around);
    }
}
