//! Executors: how array programs run fast on the machine at hand.
//!
//! Law: every executor agrees with the reference interpreter ([`interpret`](crate::interpret)); executors never import
//! each other.

mod flat;
mod lanes;
pub mod math;

pub use flat::Flat;
pub use lanes::{Compiled, ELEMENTARY, Kernel};
