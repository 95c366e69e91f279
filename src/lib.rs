//! Automatic differentiation: write a numeric function once, and get its value, its gradient, its Hessian, or something
//! else that an algebra can compute, by the choice of its numbers.
//!
//! A function that is generic in its numbers says nothing about what a number is. Run it on `f64` and it computes a
//! value. Run it on [dual numbers](carriers::Dual) and it computes a derivative as well; which derivative, and at what
//! cost, depends on the type of the tangent: one number is forward mode, a vector is many directions at once, an index
//! on a [tape](carriers::Tape) is reverse mode. The product rule and the chain rule are each written once, in
//! [`Dual`](carriers::Dual); the derivative of each function is written once, in the table of [`primitives`].
//!
//! ```
//! use catadiff::prelude::*;
//!
//! fn f<R: Real>(x: &[R]) -> R {
//!     x[0].ln() + x[0] * x[1] - x[1].sin()
//! }
//!
//! let x = [2.0, 5.0];
//! let value = f(&x);                                          // on f64
//! let (_, along) = jvp(|x| vec![f(x)], &x, &[1.0, 0.0])?;     // on duals: one direction
//! let gradient = grad(|x| f(x), &x)?;                         // on a tape: all of them
//! let curvature = hessian(|x| f(x), &x)?;                     // on a tape of duals
//!
//! assert_eq!(value, 2.0_f64.ln() + 10.0 - 5.0_f64.sin());
//! assert_eq!((along, &gradient), (vec![5.5], &vec![5.5, 2.0 - 5.0_f64.cos()]));
//! assert_eq!(gradient, Forward::grad(|x| f(x), &x)?);         // a strategy is a type
//! assert_eq!(curvature, [[-0.25, 1.0], [1.0, 5.0_f64.sin()]]);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! Functions of arrays are closures too. One is traced once and becomes a [`Program`](array::Program): data that prints, that is
//! compiled for the machine, and whose derivatives are programs again.
//!
//! ```
//! # #[cfg(feature = "array")] {
//! use catadiff::array::{Program, trace::{Arr, F64}};
//!
//! // The mean squared error of a line.
//! let loss = Program::trace(|xs: Arr<F64>, ys: Arr<F64>, weight: F64| {
//!     let errors = (xs * weight - ys).map(|e| e * e);
//!     errors.sum() / errors.len().to_f64()
//! })?;
//! let with_gradient = loss.value_and_grad(2)?.compile()?;
//! let (value, derivative): (f64, f64) = with_gradient.at(([1.0, 2.0], [2.0, 6.0], 1.0))?;
//! assert_eq!((value, derivative), (8.5, -9.0));
//! # }
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! # Where to start
//!
//! - To differentiate: the verbs [`grad`], [`value_and_grad`], [`diff`], [`jvp`], [`vjp`], [`jacobian`], [`hessian`],
//!   [`hvp`], [`sparse_jacobian`], [`sparse_hessian`], [`linearize`] and [`check_grad`], described together in
//!   [`derivative`].
//! - To differentiate programs of arrays: [`Program::trace`](array::Program::trace) makes one of a closure, and the verbs
//!   of [`transform`] make derivatives of it, programs again.
//! - To write functions that any of them takes: [`Real`].
//! - To teach every mode a function with a derivative of its own: [`Rule`].
//! - To print, parse, simplify or store a program: [`term`].
//! - To give programs another meaning, such as bounds on its results, its cost, or the inputs it depends on: [`carriers`] and [`algebra`].
//!
//! What a user can get wrong comes back as an [`Error`]; nothing panics on data.
//!
//! # The rooms
//!
//! Each room, which is a module, uses those before it in this list, never those after it. `docs/architecture.md` in the repository is
//! a map of them on one page, with the life of a program and where each kind of change goes. Those from [`array`](mod@array) to [`execute`] are there
//! with the feature `array`, which is on by default, and [`futhark`] with the feature of that name.
//!
//! | room | what is in it |
//! |---|---|
//! | [`algebra`] | promises without data: semiring, ring, field, module |
//! | [`primitives`] | the table of elementary functions, one row each, and the number traits |
//! | [`draw`] | pictures of data flow, as SVG and as DOT (`unstable`) |
//! | [`term`] | the free algebra: programs as data, without a meaning until a fold gives them one |
//! | [`carriers`] | number types that give programs a meaning; one file each |
//! | [`derivative`] | strategies of differentiation and the verbs |
//! | [`array`](mod@array) | array programs: combinators as data, typed and checked |
//! | [`interpret`] | the reference interpreter: what array programs mean, in any carrier |
//! | `optimise` | passes from array programs to array programs: simplification, and what executors ask for before they lower |
//! | [`transform`] | derivatives of array programs, as array programs |
//! | [`solvers`] | roots, fixed points and differential equations in traced programs, with their derivatives |
//! | [`tracing`] | traces of array programs: the operations performed at given arguments, without control flow |
//! | `kernel` | array programs as code for executors: loops over lanes, scalars and flat buffers |
//! | [`execute`] | array programs on the vector instructions and the cores of the machine |
//! | [`interop`] | adapters to other crates: their float trait, arrays, matrices and solvers |
//! | [`futhark`] | the text front end: programs in a subset of Futhark |
//! | [`prelude`] | the names that most programs import |
//!
//! # What is kept
//!
//! Names are kept as semantic versioning says, and enums that will grow are `non_exhaustive`. Behind the feature `unstable` is what the
//! command line, the laws and the tests of this project look at: `draw`, `execute::c`, `execute::math`, `futhark::files`, `tracing::probe`, and
//! the stages of [`futhark`] between a text and an array program. It may change with every version.
//!
//! The equations that hold between the rooms are public functions of the crate `catadiff-laws`, to be run on your own
//! types in your own tests.

// Without `unstable` what is behind it cannot be reached, and some of it is not used.
#![cfg_attr(not(feature = "unstable"), allow(dead_code, unreachable_pub, unused_imports))]

#[cfg(all(doctest, feature = "futhark"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
mod book;

pub mod algebra;
#[cfg(feature = "array")]
pub mod array;
pub mod carriers;
pub mod derivative;
#[cfg(not(feature = "unstable"))]
mod draw;
#[cfg(feature = "unstable")]
pub mod draw;
mod error;
#[cfg(feature = "array")]
pub mod execute;
#[cfg(feature = "futhark")]
pub mod futhark;
pub mod interop;
#[cfg(feature = "array")]
pub mod interpret;
#[cfg(feature = "array")]
mod kernel;
#[cfg(feature = "array")]
mod optimise;
pub mod prelude;
pub mod primitives;
#[cfg(feature = "array")]
pub mod solvers;
pub mod term;
#[cfg(feature = "array")]
pub mod tracing;
#[cfg(feature = "array")]
pub mod transform;
pub use algebra::{Field, Kronecker, Module, Ring, Semiring};
pub use derivative::{
    Base, Forward, MutableReverse, Numbers, Recording, Reverse, Strategy, Structure, StructuredStrategy, Symbolic,
    VectorForward, check_grad, custom_grad, custom_vjp, diff, grad, grad_of, hessian, hvp, jacfwd, jacobian, jacrev,
    jvp, linearize, record, solve, stop_gradient, taylor, taylor_along, value_and_diff, value_and_grad,
    value_and_grad_of, vjp,
};
#[cfg(feature = "sparse")]
pub use derivative::{
    CayleyReverse, Downward, SparseForward, SparseHessian, SparseJacobian, SparseMatrix, hessian_pattern,
    jacobian_pattern, sparse_hessian, sparse_jacobian,
};
pub use error::{Error, Mistake, Place, Result, Span};
/// The numbers at type level that [`VectorForward`] and [`Dense`](carriers::Dense) are measured in.
pub use generic_array::typenum;
pub use primitives::{Decide, Elementary, Real, Rule, Scalar};
