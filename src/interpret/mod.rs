//! The reference interpreter: what an array program means, in any carrier.
//!
//! It is written to be read, and to be right: every executor and every transformation is checked against it. It is
//! generic in the numbers, so a program runs on `f64`, on duals and on a tape (which are second opinions on
//! every derivative of the program), on terms (arrays become scalars, control flow is unrolled, and a straight-line program is left),
//! on intervals, counts, and whatever else is [`Compare`].
//!
//! ```
//! use catadiff::array::Program;
//! use catadiff::interpret::{Limits, Value, run};
//! let dot = Program::parse("
//!     program (xs: []f64, ys: []f64) {
//!       let products = map (xs, ys) |x: f64, y: f64| { let p = mul(x, y) return p }
//!       let sum = reduce (products) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
//!       return sum
//!     }")?;
//! let ys = Value::new([4.0, 5.0, 6.0])?;
//! assert_eq!(dot.run(&[Value::new([1.0, 2.0, 3.0])?, ys.clone()])?, [32.0.into()]);
//!
//! // The gradient by the first argument, on the tape of the scalar layer:
//! let gradient = catadiff::grad(|x| {
//!     let ys = ys.map(|y| catadiff::Elementary::constant(*y));
//!     let sum = dot.run(&[Value::reals(&[3], x.to_vec()).unwrap(), ys]).unwrap();
//!     sum[0].to_reals().unwrap()[0]
//! }, &[1.0, 2.0, 3.0])?;
//! assert_eq!(gradient, [4.0, 5.0, 6.0]);
//!
//! // A sum of two sizes that do not fit names both, and the statement:
//! let wrong = dot.run(&[Value::new([1.0])?, ys]).unwrap_err();
//! assert!(wrong.to_string().starts_with("the lengths of mapped arrays must agree, and are 1 and 3\n  in: let v"));
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! # What is where
//!
//! Sizes are checked where arrays meet. Reading out of bounds is an error; `scatter`, `hist` and accumulators pass
//! over indices out of bounds. Integers wrap; dividing them by 0 is an error. A map over no elements has rows of the
//! sizes its function gives as far as they follow from sizes and other integers, and of size 0 otherwise; what runs a rewritten
//! program may know more of them. `f16`, `f32` and `f64` are all numbers of the carrier: an operation on `f32` is that of the
//! carrier, rounded by [`single`](crate::Elementary::single), and one on `f16` by [`half`](crate::Elementary::half). On `f64` sums,
//! products, quotients and square roots are so those of `f32` and `f16` itself, since two roundings make no difference to them;
//! other functions are rounded from more digits. On a carrier of derivatives the value is rounded, and the derivative is that of
//! the operation.
//!
//! Law: evaluation is a homomorphism: for a homomorphism `h` of carriers, `h` of the results is the results of `h`, for
//! programs that make no decisions on reals ("Forwards and in reverse", for arrays) (laws: arrays::values_of_duals,
//! laws: arrays::terms).

mod arguments;
mod arrays;
mod budget;
mod callback;
mod compare;
mod contiguous;
mod control;
mod eval;
mod last_use;
mod outline;
mod results;
mod scalar;
mod semiring;
mod soac;
mod value;

pub(crate) use budget::{Fault, Step};
#[cfg(feature = "futhark")]
pub(crate) use contiguous::{Contiguous, Rows, count, count_of_part, lines, strides};
pub(crate) use eval::Machine;
pub(crate) use scalar::{Arithmetic, VERIFIED, apply};
#[cfg(feature = "futhark")]
pub(crate) use soac::{fold, row};

pub use arguments::ToValues;
pub use budget::{Limits, LoopUsage, Usage};
pub use callback::{CallbackResult, pure_callback};
pub(crate) use callback::{kinds, plain};
pub use compare::{Compare, Test};
pub use control::{Cancel, Control};
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
pub(crate) use results::mismatch;
#[doc(hidden)]
pub use results::total;
pub use results::{FromValues, Results};
pub use semiring::run_over;
pub use value::{Array, Scalar, Value};

use crate::array::{Prim, Program, Type};
use crate::error::{Error, Result, Span};

/// The results of a program for these arguments, one per parameter, in any carrier and within these [`Limits`], or under
/// this [`Control`].
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::carriers::Interval;
/// use catadiff::interpret::{Limits, Scalar, Value, run};
/// let bump = Program::trace(|x: F64| (-(x * x)).exp())?;
/// // What it can be for every x from 0 to 1.
/// let range = run(&bump, &[Value::real(Interval::new(0.0, 1.0))], &Limits::default())?;
/// let Value::Scalar(Scalar::F64(range)) = range[0] else { panic!("the result is a real") };
/// assert!(range.lo > 0.36 && range.hi >= 1.0 && range.hi < 1.001);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] and [`Error::Argument`] if the arguments are not those that the program takes; then whatever its statements meet: [`Error::Sizes`], [`Error::NegativeSize`],
/// [`Error::OutOfBounds`], [`Error::NoValue`], [`Error::Undecided`], [`Error::LoopBound`], and [`Error::Budget`] where
/// a limit is reached, [`Error::Cancelled`] where that was wished.
pub fn run<'c, C: Compare>(
    program: &'c Program,
    arguments: &[Value<C>],
    control: impl Into<Control<'c>>,
) -> Result<Vec<Value<C>>> {
    Ok(measure(program, arguments, control)?.0)
}

/// The results of a program, and what the run took.
///
/// ```
/// use catadiff::array::{Policy, Program, trace::{F64, I64, loop_for}};
/// use catadiff::interpret::{Limits, measure};
/// let powers = Program::trace(|x: F64, n: I64| loop_for(n, x, |_, y| y * y))?;
/// let all = powers.vjp_wrt(0)?; // keeps the states of all iterations
/// let few = powers.with_policy(Policy::Binomial(3)).vjp_wrt(0)?; // keeps 3, each with the number of its iteration
/// let arguments = [1.0.into(), 1000_i64.into(), 1.0.into()];
/// let held = |program| measure(program, &arguments, &Limits::default()).map(|(_, usage)| usage.elements);
/// assert_eq!((held(&all)?, held(&few)?), (1000, 6));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// As for [`run`].
pub fn measure<'c, C: Compare>(
    program: &'c Program,
    arguments: &[Value<C>],
    control: impl Into<Control<'c>>,
) -> Result<(Vec<Value<C>>, Usage)> {
    let arguments = fitting(program, arguments)?;
    let mut machine = Machine::new(program, control, ());
    let results = machine.apply(&program.function, arguments);
    let results = results.map_err(|fault| fault.within(Span::UNKNOWN, || crate::array::text::signature(program)))?;
    Ok((results, machine.usage()))
}

/// The arguments as the program takes them, if they are of the types of its parameters: reals are of the
/// precision of the parameter.
pub(crate) fn fitting<C: Compare>(program: &Program, arguments: &[Value<C>]) -> Result<Vec<Value<C>>> {
    entering(program, arguments, Scalar::rounded)
}

/// The same, where this makes a real one of a kind.
fn entering<C: Clone>(
    program: &Program,
    arguments: &[Value<C>],
    real: impl Fn(Prim, C) -> Scalar<C>,
) -> Result<Vec<Value<C>>> {
    typed(program, arguments)?;
    let params = program.function.params.iter().map(|param| program.type_of(*param).prim);
    Ok(params.zip(arguments).map(|(prim, argument)| argument.with_reals_of(prim, |x| real(prim, x))).collect())
}

/// Checks that arguments are of the types of the parameters of a program.
pub(crate) fn typed<C>(program: &Program, arguments: &[Value<C>]) -> Result<()> {
    Error::lengths("the list of arguments", program.names.len(), arguments.len())?;
    let mut params = program.function.params.iter().zip(&program.names).zip(arguments);
    params.try_for_each(|((param, name), argument)| check(name, program.type_of(*param), argument))
}

/// Checks that an argument is of the type of the parameter. An array without elements is of every kind.
fn check<C>(name: &str, expected: Type, argument: &Value<C>) -> Result<()> {
    let found = argument.type_like(expected.prim);
    if (found.prim, found.rank) == (expected.prim, expected.rank) {
        return Ok(());
    }
    Err(Error::Argument { name: name.to_owned(), expected: expected.to_string(), found: found.to_string() })
}

impl Program {
    /// The results for these arguments, with the default [`Limits`].
    ///
    /// # Errors
    /// As for [`run`].
    pub fn run<C: Compare>(&self, arguments: &[Value<C>]) -> Result<Vec<Value<C>>> {
        run(self, arguments, &Limits::default())
    }

    /// The results for these arguments on `f64`, both as plain numbers: scalars, slices, arrays and `Vec`s, nested as deep
    /// as they have dimensions. Several arguments, and several results, are tuples. An `i32`, which Rust takes a literal for,
    /// stands for an `i64` too.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64, I64}};
    /// let moments = Program::trace(|x: Arr<F64>, shift: F64, times: I64| {
    ///     let y = (x + shift) * times.to_f64();
    ///     (y.sum(), y)
    /// })?;
    /// let (sum, list): (f64, Vec<f64>) = moments.at((&[1.0, 2.0, 3.0], 0.5, 2))?;
    /// assert_eq!((sum, list), (15.0, vec![3.0, 5.0, 7.0]));
    ///
    /// // What is asked for must be what there is.
    /// let error = moments.at::<(f64, Vec<Vec<f64>>)>((&[1.0, 2.0, 3.0], 0.5, 2)).unwrap_err();
    /// assert_eq!(error.to_string(), "result 1 is []f64 where [][]f64 is asked for");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run`]; [`Error::Argument`] if rows of an argument have different lengths, [`Error::Length`] if `R` wants another number of
    /// results, [`Error::Mismatch`] if a result is of another type.
    pub fn at<R: FromValues>(&self, arguments: impl ToValues) -> Result<R> {
        R::from_values(self.run(&values(self, arguments)?)?)
    }

    /// The same, of results whose `Vec`s are as long as those in `like`: of the gradient by parameters they are those parameters.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let (parts, scale) = (vec![(1.0, vec![2.0, 3.0]), (4.0, vec![5.0])], 10.0);
    /// let sum = Program::trace_like(&["parts", "scale"], (&parts, scale), |parts: Vec<(F64, Arr<F64>)>, scale: F64| {
    ///     parts.into_iter().fold(scale * 0.0, |sum, (x, ys)| sum + x * ys.sum()) * scale
    /// })?;
    /// let gradient = sum.grad("parts")?.at_like(&parts, (&parts, scale))?;
    /// assert_eq!(gradient, vec![(50.0, vec![10.0, 10.0]), (50.0, vec![40.0])]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`at`](Program::at).
    pub fn at_like<R: FromValues>(&self, like: &R, arguments: impl ToValues) -> Result<R> {
        like.like_values(self.run(&values(self, arguments)?)?)
    }
}

/// Plain numbers as arguments of a program.
pub(crate) fn values(program: &Program, arguments: impl ToValues) -> Result<Vec<Value<f64>>> {
    let params = program.function.params.iter().map(|param| program.type_of(*param).prim);
    let mut values = Vec::new();
    arguments.add_to(&mut values).map_err(|error| match (error, program.names.get(values.len())) {
        (Error::Length { expected, found, .. }, Some(name)) => Error::Argument {
            name: name.clone(),
            expected: "an array, whose rows are of one length,".into(),
            found: format!("rows of the lengths {expected} and {found}"),
        },
        (error, _) => error,
    })?;
    values.iter_mut().zip(params).for_each(|(value, prim)| value.adapt(prim));
    Ok(values)
}
