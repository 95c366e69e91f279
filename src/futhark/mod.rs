//! The text front end: programs in a large subset of Futhark, read, checked, given their meanings.
//!
//! Law: a text becomes a program or a message that shows its place; it never panics. A program means the same whether it
//! is interpreted, with derivatives taken on scalars, or becomes an array program, with derivatives taken of programs; the latter
//! keeps more digits of reals of 32 bits than they have.
//!
//! ```text
//! text ──syntax──▶ tree ──check──▶ core ──meaning──▶ values           (the interpreter)
//!                                             └─────▶ array::Program   (compiled)
//! ```

mod chain;
pub mod check;
pub mod core;
pub mod elaborate;
pub mod interpreter;
pub mod meaning;
mod prelude;
pub mod source;
pub mod syntax;
pub mod testing;
pub mod values;

pub use chain::Rest;
