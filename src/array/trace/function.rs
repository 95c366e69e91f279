//! Functions that can be traced: one trait on closures of every arity, and the verb.
//!
//! Law: the parameters of the program are the parts of the closure's parameters, in order, and its results are the
//! parts of the closure's result (tests/array/trace.rs).

use core::panic::Location;

use super::handles::{handle, ids, types};
use super::scope::{Id, Recording, inline};
use super::{Handle, IntoHandle};
use crate::array::{Program, Type};
use crate::error::{Error, Result};

/// A closure of one to eight handles, with their types written, that returns a handle or what becomes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function that can be traced",
    note = "a closure of one to eight handles can, as in `|x: Arr<F64>, n: I64| …`, if it returns handles"
)]
pub trait TraceFn<Arguments> {
    /// The types of the parts of each parameter.
    fn parameters() -> Vec<Vec<Type>>;

    /// The results' ids, from those of the parameters.
    fn apply(self, parameters: Vec<Vec<Id>>) -> Vec<Id>;
}

macro_rules! arities {
    ($(($($A:ident),+);)+) => {$(
        impl<Function, Output, $($A),+> TraceFn<($($A,)+)> for Function
        where
            Function: FnOnce($($A),+) -> Output,
            Output: IntoHandle,
            $($A: Handle,)+
        {
            fn parameters() -> Vec<Vec<Type>> {
                vec![$(types::<$A>()),+]
            }
            fn apply(self, parameters: Vec<Vec<Id>>) -> Vec<Id> {
                let mut parameters = parameters.into_iter();
                ids(self($(handle::<$A>(parameters.next())),+).into_handle())
            }
        }
    )+};
}

arities! {
    (A);
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F);
    (A, B, C, D, E, F, G);
    (A, B, C, D, E, F, G, H);
}

impl Program {
    /// The program that a closure on [handles](crate::array::trace) describes. The closure is called once, here.
    ///
    /// Parameters are named `x0`, `x1`, …; the parts of a tuple `x0_0`, `x0_1`, …
    ///
    /// # Errors
    /// [`Error::Trace`](crate::Error::Trace) with what the closure did that no program can mean: a handle used outside
    /// its closure or its trace, an operation whose operands no type allows, a rule that only Rust can evaluate.
    /// [`Error::IllTyped`](crate::Error::IllTyped) if closures nest deeper than [`MAX_DEPTH`](crate::array::MAX_DEPTH).
    #[track_caller]
    pub fn trace<Arguments, Function: TraceFn<Arguments>>(function: Function) -> Result<Program> {
        Self::trace_named(&[], function)
    }

    /// The same, with names for the parameters; those without one are named as there.
    ///
    /// # Errors
    /// As [`trace`](Program::trace), and [`Error::Length`](crate::Error::Length) if there are more names than parameters.
    #[track_caller]
    pub fn trace_named<Arguments, Function: TraceFn<Arguments>>(names: &[&str], function: Function) -> Result<Program> {
        let all = Function::parameters();
        if names.len() > all.len() {
            let what = "the list of names of parameters";
            return Err(Error::Length { what, expected: all.len(), found: names.len() });
        }
        let recording = Recording::start(Location::caller());
        let parameter = |(position, types): (usize, Vec<Type>)| {
            let name = names.get(position).map_or_else(|| format!("x{position}"), |name| (*name).to_owned());
            let part = |part| if types.len() == 1 { name.clone() } else { format!("{name}_{part}") };
            types.iter().enumerate().map(|(k, t)| recording.parameter(part(k), *t)).collect()
        };
        let parameters = all.into_iter().enumerate().map(parameter).collect();
        let results = function.apply(parameters);
        recording.finish(&results)
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
