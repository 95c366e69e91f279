//! The laws of catadiff as generic functions: verify number types, tangents and rules of your own.
//!
//! Law: a law is a public function of values that returns `Ok` or a [`Violation`], and a test only names the type; laws
//! run exactly on exact numbers first ([`Bound::EXACT`]), then on floats with a stated [`Bound`]
//! (tests/laws/instances.rs).
//!
//! [`laws!`] makes the tests of a type:
//!
//! ```
//! use catadiff_laws::{exact, laws};
//! use num_traits::{One, Zero};
//! use quickcheck::{Arbitrary, Gen};
//!
//! /// Numbers modulo 12, as on the face of a clock.
//! #[derive(Debug, Clone, PartialEq)]
//! struct Clock(u8);
//!
//! impl core::ops::Add for Clock {
//!     type Output = Clock;
//!     fn add(self, other: Clock) -> Clock { Clock((self.0 + other.0) % 12) }
//! }
//! impl core::ops::Mul for Clock {
//!     type Output = Clock;
//!     fn mul(self, other: Clock) -> Clock { Clock((self.0 * other.0) % 12) }
//! }
//! impl Zero for Clock {
//!     fn zero() -> Clock { Clock(0) }
//!     fn is_zero(&self) -> bool { self.0 == 0 }
//! }
//! impl One for Clock {
//!     fn one() -> Clock { Clock(1) }
//! }
//! impl Arbitrary for Clock {
//!     fn arbitrary(g: &mut Gen) -> Clock { Clock(u8::arbitrary(g) % 12) }
//! }
//! exact! { Clock } // compared by `==`
//!
//! laws! {
//!     semiring for Clock;
//!     commutative for Clock;
//!     module Clock over Clock;
//! }
//! # fn main() {}
//! ```
//!
//! | laws of | in | what they ask |
//! |---|---|---|
//! | numbers | [`semiring`] | monoids, distribution, annihilation; rings; fields |
//! | tangents | [`module`](mod@module), [`kronecker`] | the axioms of a module, a strong zero, sharing; unit tangents |
//! | maps | [`homomorphism`], [`refinement`] | `h` of a program is the program of `h`; `abs ∘ rep` is the identity |
//! | derivatives | [`dual`] | the product rule; every mode is the derivative of the polynomial |
//! | terms | [`fold`] | `eval` is a homomorphism and fuses with others; sharing; cost; text |
//! | strategies | [`strategies`] | forward = reverse = symbolic, to second order; `⟨J v, w⟩ = ⟨v, Jᵀ w⟩` |
//! | recordings | [`recordings`] | a replay is a run in every mode, or refused; text; stored = recorded |
//! | array programs | [`arrays`] | text; they run, or are errors; homomorphisms |
//! | their parts | [`program_parts`] | they verify, and what breaks an invariant is refused |
//! | specialised programs | [`specialisation`] | the program, for the arguments that they are for, and errors for others |
//! | their simplification | [`simplification`] | the same results, for no more operations, in one step |
//! | their derivatives | [`array_derivatives`] | both modes = interpretation on duals, to second order |
//! | their sizes | [`array_sizes`] | those of the table are found by every run; what does not fit is an error of derivatives too, and so are seeds that do not |
//! | reductions and scans | [`array_reductions`] | from every start, by every operator: both modes, their nestings, executors |
//! | where their statements are from | [`spans`] | what is made of a program keeps it; errors name it |
//! | kinds of numbers | [`kinds`] | integers wrap, shift, divide and convert as Rust has it, by every executor |
//! | executors | [`executors`] | each by itself is the interpreter: values, kinds and places of faults, limits |
//! | the same, otherwise | [`array_exact`], [`array_tape`] | exactly, of polynomials in a finite field; by the tape |
//! | their cost | [`growth`] | operations, steps, elements moved and bytes of derivatives grow as those of functions, and the steps of executors |
//! | checkpoints | [`checkpointing`] | schemes agree; executions and elements of each, counted |
//! | verbs on them | [`array_verbs`] | Jacobians by columns, by rows and by colours are one; Hessians are symmetric |
//! | traces | [`tracing`] | they compute the same; are their own traces; replay or refuse; reverse modes agree |
//! | texts of the front end | [`futhark_text`] | what was printed is read |
//! | conversions in them | [`conversions`] | integers by their bits; what is rounded is constant, and `jvp` linear, in every meaning |
//! | any bytes at all | [`bad_input`] | they are read or refused, soon and within limits; what is read means one thing |
//! | pictures | [`drawings`] | boxes and edges have places of their own; markup is well formed |
//! | zeros | [`zero_factors`] | times an infinite derivative they are what they are to dual numbers, in every executor |
//! | functions | [`primitives`], [`special_points`] | partials are derivatives, to third order; documented special points |
//!
//! Values come from [`Sample`] or from your own [`Arbitrary`](quickcheck::Arbitrary), and [`for_all`] draws and
//! shrinks them.

mod approx;
#[cfg(feature = "array")]
pub mod array_derivatives;
#[cfg(feature = "array")]
pub mod array_exact;
#[cfg(feature = "array")]
mod array_faults;
#[cfg(feature = "array")]
mod array_operators;
#[cfg(feature = "array")]
mod array_programs;
#[cfg(feature = "array")]
pub mod array_reductions;
#[cfg(feature = "array")]
pub mod array_sizes;
#[cfg(feature = "array")]
pub mod array_tape;
#[cfg(feature = "array")]
mod array_values;
#[cfg(feature = "array")]
pub mod array_verbs;
#[cfg(feature = "array")]
pub mod arrays;
#[cfg(feature = "futhark")]
pub mod bad_input;
#[cfg(feature = "array")]
pub mod checkpointing;
#[cfg(feature = "futhark")]
pub mod conversions;
mod differences;
#[cfg(feature = "array")]
pub mod drawings;
pub mod dual;
#[cfg(feature = "array")]
mod executor_families;
#[cfg(feature = "array")]
mod executor_sides;
#[cfg(feature = "array")]
pub mod executors;
pub mod fold;
mod formula;
#[cfg(feature = "futhark")]
pub mod futhark_text;
#[cfg(feature = "futhark")]
mod futhark_trees;
#[cfg(feature = "array")]
pub mod growth;
pub mod homomorphism;
#[cfg(feature = "array")]
pub mod kinds;
pub mod kronecker;
pub mod module;
#[cfg(feature = "futhark")]
mod mutation;
#[cfg(feature = "array")]
mod overflow;
pub mod primitives;
mod program;
#[cfg(feature = "array")]
pub mod program_parts;
pub mod recordings;
pub mod refinement;
mod rows;
mod runner;
mod sample;
pub mod semiring;
#[cfg(feature = "array")]
mod shaken;
#[cfg(feature = "array")]
pub mod simplification;
#[cfg(feature = "array")]
pub mod spans;
pub mod special_points;
#[cfg(feature = "array")]
pub mod specialisation;
pub mod strategies;
#[cfg(feature = "array")]
pub mod tracing;
mod violation;
#[cfg(feature = "array")]
pub mod zero_factors;

pub use approx::{Bound, Same, VARIABLES};
#[cfg(feature = "array")]
pub use array_programs::{ArrayProgram, LongProgram};
#[cfg(feature = "array")]
pub use array_reductions::Reduction;
pub use differences::slope;
pub use formula::Formula;
pub use kronecker::Coefficients;
#[cfg(feature = "futhark")]
pub use mutation::mutated;
pub use num_bigint::BigInt;
pub use num_rational::BigRational;
#[cfg(feature = "array")]
pub use overflow::overflows;
pub use program::Program;
pub use runner::for_all;
pub use sample::{Sample, Source};
pub use violation::{Verdict, Violation};
