//! The elementary functions: one table, and the promises around it.
//!
//! Law: nothing about a primitive is written outside its row in `table.rs`. To add one, add a row; its enum variant,
//! text, value, every derivative of every order, interval range, shader text and test follow
//! (laws: primitives::check_table).

mod elementary;
mod half;
mod operators;
mod rule;
pub mod special;
mod table;

#[doc(hidden)]
pub use elementary::Work;
pub(crate) use elementary::{Apply, Visitor};
pub use elementary::{Decide, Real, Scalar};
pub use half::f16;
#[cfg(feature = "array")]
pub(crate) use half::to_half;
pub(crate) use operators::{compared_by, compared_with_literals, literal_first};
pub(crate) use rule::per_argument;
pub use rule::{Facts, Identity, Points, Rule, ZeroRule};
pub use table::{Elementary, Primitive, rows};

// Named by what `operators!` writes in other crates.
#[doc(hidden)]
pub use num_traits;
