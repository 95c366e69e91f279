//! The text front end: programs in a large subset of Futhark, read, checked, given their meanings.
//!
//! Law: a text becomes a program or a message that shows its place; it never panics. A program means the same whether
//! it is interpreted, with derivatives taken on scalars, or becomes an array program, with derivatives taken of
//! programs (laws: bad_input::of_programs, tests/language/elaborate.rs).
//!
//! A program in one text is read by [`compile`](elaborate::compile). The stages of this picture are behind the feature `unstable`, as
//! is all that tests of programs need; `elaborate`, `source` and `values` are what users see.
//!
//! ```text
//! text ──syntax──▶ tree ──check──▶ core ──meaning──▶ values           (the interpreter)
//!                                             └─────▶ array::Program   (compiled)
//! ```

mod chain;
#[cfg(feature = "unstable")]
pub mod editing;
pub mod elaborate;
#[cfg(feature = "unstable")]
pub mod files;
mod prelude;
pub mod source;
pub mod values;

#[cfg(not(feature = "unstable"))]
mod check;
#[cfg(feature = "unstable")]
pub mod check;
#[cfg(not(feature = "unstable"))]
mod core;
#[cfg(feature = "unstable")]
pub mod core;
#[cfg(not(feature = "unstable"))]
mod interpreter;
#[cfg(feature = "unstable")]
pub mod interpreter;
#[cfg(not(feature = "unstable"))]
mod meaning;
#[cfg(feature = "unstable")]
pub mod meaning;
#[cfg(not(feature = "unstable"))]
mod syntax;
#[cfg(feature = "unstable")]
pub mod syntax;
#[cfg(feature = "unstable")]
pub mod testing;

#[cfg(feature = "unstable")]
pub use chain::Rest;
