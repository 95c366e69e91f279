//! Meanings for numbers: what a program computes when it is run on them.
//!
//! **A type that implements [`Semiring`](crate::Semiring) is a carrier: a meaning for numbers. A
//! [`Term`](crate::term::Term) is a number with no meaning yet; `eval` gives it one.**
//!
//! [`Dual<S, M>`](Dual) holds the whole of differentiation, once, for any module of tangents; a mode is a module:
//!
//! | module | mode | cost of a gradient (`n` operations, `v` variables) |
//! |---|---|---|
//! | `S` itself | one directional derivative | `n` per variable |
//! | [`Dense<S, N>`](Dense) | `N` partials at once, vector forward | `n·v` |
//! | [`Sparse<V, S>`](Sparse) | sparse forward | `n ·` live variables |
//! | [`Hom`] = `S → M` | downward accumulation | |
//! | [`Cayley`] = `S → M → M` | unions become upserts | `n·log v` |
//! | [`Accumulate`] = `S → &mut [S] → ()` | mutable accumulation | `n + v` |
//! | [`Adjoint`] on a [`Tape`] | the same, as first-order data: production reverse mode | `n + v` |
//!
//! The other analyses are carriers of their own: [`Taylor`] and [`Series`] (all derivatives up to an order),
//! [`Interval`] (bounds), [`Support`] (which variables a number depends on), [`Counted`] (what a program costs),
//! [`NanOrigin`] (where the first NaN came from), [`Recorded`] (a value with the term it is the value of), and [`Both`],
//! which makes two passes one.
//!
//! Law: a meaning is a homomorphism, sums to sums and products to products. One file per carrier, and no carrier
//! imports another; what they share is the algebra above them (laws: homomorphism, tests/laws/instances.rs).

mod accumulate;
mod backpropagator;
mod both;
mod brand;
mod cayley;
mod count;
mod dense;
mod dual;
mod hom;
mod interval;
pub(crate) mod log;
mod origin;
mod recorded;
#[cfg(feature = "sparse")]
mod sparse;
mod streams;
#[cfg(feature = "sparse")]
mod support;
mod tape;
mod taylor;

pub use accumulate::Accumulate;
pub use both::Both;
pub use brand::Brand;
pub use cayley::Cayley;
pub use count::{Counted, Counter};
pub use dense::{Dense, DenseLength};
pub use dual::Dual;
pub use hom::Hom;
pub use interval::Interval;
pub use origin::{NanLog, NanOrigin, NonFinite};
pub(crate) use recorded::{Comparison, Decision, Outcome, Recorder};
pub use recorded::{Input, Recorded};
#[cfg(feature = "sparse")]
pub use sparse::Sparse;
#[cfg(feature = "sparse")]
pub use support::Support;
pub(crate) use tape::Output;
pub use tape::{Adjoint, Record, Tape};
pub use taylor::{Series, Taylor};
