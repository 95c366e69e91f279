//! Functions that can be traced: one trait on closures of every arity, and the verb.
//!
//! Law: the parameters of the program are the parts of the closure's parameters, in order, and its results are the
//! parts of the closure's result (tests/array/trace.rs).

use core::panic::Location;

use super::handles::{handle, ids, types};
use super::parameters::{Inputs, Outputs, TraceInput, TraceOutput};
use super::scope::{Id, Recording, inline};
use super::{Handle, IntoHandle};
use crate::array::{Program, Type};
use crate::error::{Error, Result};

/// A closure of one to twelve [parameters](TraceInput), with their types written, that returns [results](TraceOutput).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that can be traced",
    note = "a closure of one to twelve handles, or nests of handles, can, as in `|x: Arr<F64>, n: I64| …`, if it returns such"
)]
pub trait TraceFn<Arguments> {
    /// How many parameters there are.
    const COUNT: usize;

    /// The results, of parameters with these names.
    fn apply(self, names: &mut dyn Iterator<Item = String>, parameters: &mut Inputs<'_>) -> Outputs;
}

macro_rules! arities {
    ($(($count:literal: $($A:ident $a:ident),+);)+) => {$(
        impl<Function, Output, $($A),+> TraceFn<($($A,)+)> for Function
        where
            Function: FnOnce($($A),+) -> Output,
            Output: TraceOutput,
            $($A: TraceInput,)+
        {
            const COUNT: usize = $count;

            fn apply(self, names: &mut dyn Iterator<Item = String>, parameters: &mut Inputs<'_>) -> Outputs {
                $(let $a = parameters.parameter(names.next().expect("there is a name for each parameter"));)+
                let mut outputs = Outputs::default();
                self($($a),+).output(&mut outputs);
                outputs
            }
        }
    )+};
}

arities! {
    (1: A a);
    (2: A a, B b);
    (3: A a, B b, C c);
    (4: A a, B b, C c, D d);
    (5: A a, B b, C c, D d, E e);
    (6: A a, B b, C c, D d, E e, F f);
    (7: A a, B b, C c, D d, E e, F f, G g);
    (8: A a, B b, C c, D d, E e, F f, G g, H h);
    (9: A a, B b, C c, D d, E e, F f, G g, H h, I i);
    (10: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
    (11: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
    (12: A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
}

impl Program {
    /// The program that a closure on [handles](crate::array::trace) describes. The closure is called once, here.
    ///
    /// Parameters are named `x0`, `x1`, …; the parts of a tuple `x0.0`, `x0.1`, …, and those of a structure after its fields.
    ///
    /// # Errors
    /// [`Error::Trace`](crate::Error::Trace) with what the closure did that no program can mean: a handle used outside
    /// its closure or its trace, or an operation whose operands no type allows.
    /// [`Error::IllTyped`](crate::Error::IllTyped) if closures nest deeper than [`MAX_DEPTH`](crate::array::MAX_DEPTH).
    #[track_caller]
    pub fn trace<Arguments, Function: TraceFn<Arguments>>(function: Function) -> Result<Program> {
        traced(&[], &[], function)
    }

    /// The same, with names for the parameters; those without one are named as there.
    ///
    /// # Errors
    /// As [`trace`](Program::trace), and [`Error::Length`](crate::Error::Length) if there are more names than parameters.
    #[track_caller]
    pub fn trace_named<Arguments, Function: TraceFn<Arguments>>(names: &[&str], function: Function) -> Result<Program> {
        traced(names, &[], function)
    }

    /// The results of this program for these arguments, in a closure that is traced: its statements become statements
    /// of the trace. So derivatives of an inner function, which are programs, can be used in an outer one.
    ///
    /// ```
    /// use catadiff::{Elementary, array::{Program, trace::{F64, loop_for}}};
    /// // Newton's method with a derivative nobody wrote, and how its result depends on the parameter.
    /// let slope = Program::trace(|x: F64, a: F64| x * x.exp() - a)?.jvp()?;
    /// let lambert = Program::trace(|a: F64| {
    ///     loop_for(20, 0.5, |_, x| {
    ///         let (value, slope): (F64, F64) = slope.call((x, a, 1.0, 0.0));
    ///         x - value / slope
    ///     })
    /// })?;
    /// let derivative: f64 = lambert.jvp()?.run(&[2.0.into(), 1.0.into()])?[1].to_reals().unwrap()[0];
    /// let w = 0.852_605_502_013_725_5;
    /// assert!((derivative - 1.0 / (f64::exp(w) * (1.0 + w))).abs() < 1e-12);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Arguments and results that are not those of the program are a [`Mistake`](crate::Mistake) of the trace.
    #[track_caller]
    pub fn call<R: Handle>(&self, arguments: impl IntoHandle) -> R {
        handle(inline(self, &ids(arguments.into_handle()), &types::<R>()))
    }
}

/// The program of parameters with these names and types, where these are known only when it is traced. There are no results after a
/// mistake.
#[track_caller]
pub(crate) fn traced_of(
    parameters: Vec<(String, Type)>,
    results: impl FnOnce(&[Id]) -> Option<Vec<Id>>,
) -> Result<Program> {
    traced_of_result(parameters, |ids| Ok(results(ids).unwrap_or_else(|| vec![Id::NOTHING])))
}

/// The same of results that may fail.
#[track_caller]
pub(super) fn traced_of_result<E: From<Error>>(
    parameters: Vec<(String, Type)>,
    results: impl FnOnce(&[Id]) -> Result<Vec<Id>, E>,
) -> Result<Program, E> {
    let recording = Recording::start(Location::caller());
    let parameters: Vec<Id> = parameters.into_iter().map(|(name, of)| recording.parameter(name, of)).collect();
    let results = results(&parameters)?;
    Ok(recording.finish(&results)?)
}

/// Which parts of a handle are reals, which are what is differentiated by.
pub(crate) fn real_parts<H: Handle>() -> Vec<usize> {
    types::<H>().iter().enumerate().filter(|(_, of)| of.prim.is_real()).map(|(k, _)| k).collect()
}

/// The adjoint of a value, by a program for these arguments whose results are those of the [real parts](real_parts), after `before` of
/// these types.
#[track_caller]
pub(crate) fn adjoint_by<H: Handle>(program: &Program, arguments: &[Id], before: &[Type], value: H) -> H {
    let (of_value, real) = (types::<H>(), real_parts::<H>());
    let results = [before, &real.iter().map(|k| of_value[*k]).collect::<Vec<_>>()].concat();
    let Some(found) = inline(program, arguments, &results) else { return handle(None) };
    // Integers have no adjoint; something of their size stands for it.
    let mut adjoints = ids(value);
    real.iter().zip(&found[before.len()..]).for_each(|(k, adjoint)| adjoints[*k] = *adjoint);
    handle(Some(adjoints))
}

/// The program of a closure whose parameters have these names and lists of these lengths.
#[track_caller]
pub(crate) fn traced<Arguments, Function: TraceFn<Arguments>>(
    names: &[&str],
    counts: &[usize],
    function: Function,
) -> Result<Program> {
    if names.len() > Function::COUNT {
        let what = "the list of names of parameters";
        return Err(Error::Length { what, expected: Function::COUNT, found: names.len() });
    }
    let recording = Recording::start(Location::caller());
    let name = |k| names.get(k).map_or_else(|| format!("x{k}"), |name: &&str| (*name).to_owned());
    let mut inputs = Inputs::new(&recording, counts);
    let Outputs(results) = function.apply(&mut (0..).map(name), &mut inputs);
    let taken = counts.len() - inputs.left();
    let program = recording.finish(&results)?;
    Error::lengths("the list of how long lists are", taken, counts.len())?;
    Ok(program)
}
