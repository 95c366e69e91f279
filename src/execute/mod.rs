//! Executors: how array programs run fast on the machine at hand.
//!
//! Law: every executor agrees with the reference interpreter ([`interpret`](crate::interpret)); executors never import
//! each other.

mod lanes;
pub mod math;

pub use lanes::Compiled;
