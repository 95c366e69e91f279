//! Tracing: Rust closures on handles become array programs.
//!
//! ```
//! use catadiff::Real;
//! use catadiff::array::{Program, trace::{Arr, F64}};
//!
//! fn sq<R: Real>(x: R) -> R { x * x }
//!
//! // The cost of k-means: the squared distance of each point from the centre next to it.
//! let cost = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
//!     points.map(|p| centres.map(|c| (p - c).map(sq).sum()).min()).sum()
//! })?;
//! assert_eq!(cost.verify(), Ok(()));
//!
//! use catadiff::interpret::Value;
//! let (points, centres) = (Value::new([[0.0, 0.0], [5.0, 5.0], [1.0, 2.0]])?, Value::new([[0.0, 1.0], [4.0, 5.0]])?);
//! assert_eq!(cost.run(&[points, centres])?, [4.0.into()]);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! The closure is called once, with handles that stand for any values. Scalars are [`F64`], [`F32`], [`F16`], [`I64`], [`I32`], the other kinds of integers
//! and [`Bool`]; arrays are [`Arr`], nested for more dimensions; tuples are tuples. `F64` is a number of the scalar
//! layer, so functions generic in [`Real`](crate::Real) are usable at every place. A comparison is a [`Bool`] of the
//! program, for [`if_`] and [`loop_while`]: a Rust `if` would decide while tracing, and does not compile. A Rust `for`
//! does, and is unrolled; [`loop_for`] is a loop of the program.
//!
//! Handles are `Copy` and carry no lifetime. One that is brought out of its closure or trace is recognised there, and
//! the trace is an [`Error`](crate::Error), never a wrong program:
//!
//! ```
//! use catadiff::array::{Program, trace::{Arr, F64}};
//! use catadiff::{Error, Mistake};
//! let escaped = Program::trace(|x: Arr<F64>| {
//!     let mut element = F64::from(0.0);
//!     let _ = x.map(|x| { element = x; x });
//!     element * 2.0
//! });
//! let Err(Error::Trace { mistakes }) = escaped else { panic!() };
//! assert!(matches!(mistakes[..], [Mistake::Escaped { .. }]));
//! ```
//!
//! Law: a program that is traced verifies: it is well typed, and every variable is used within its scope; the nesting
//! of closures is the nesting of the program's functions and bodies (tests/array/trace.rs).

mod arithmetic;
mod arrays;
mod combinators;
mod control;
mod function;
mod handles;
mod integers;
mod scalars;
mod scope;

pub use arithmetic::{Nested, Number};
pub use arrays::{Arr, Sizes, iota, replicate};
pub use combinators::{hist, tabulate, tabulate2d};
pub use control::{custom, if_, loop_for, loop_for_with, loop_while, loop_while_with, stop_gradient};
pub use function::TraceFn;
pub use handles::{As, Handle, Ids, IntoHandle, literal};
pub use scalars::{Bool, F16, F32, F64, I8, I16, I32, I64, ScalarHandle, U8, U16, U32, U64};
pub use scope::Id;
