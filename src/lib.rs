//! The front page.
pub mod algebra;
pub mod carriers;
mod error;
pub mod primitives;
pub use algebra::*;
pub use error::{Error, Result};
pub use primitives::{Decide, Elementary, Real, Rule, Scalar};
