//! Executors: how array programs run fast on the machine at hand.
//!
//! Law: every executor keeps the contract of [`Executor`], by itself; executors never import each other.

mod compiled;
mod contract;
mod fallback;
mod flat;
mod lanes;
pub mod math;
mod reference;

pub use compiled::Compiled;
pub use contract::{Executor, Fault, FaultKind, Outcome, Prepared, Unsupported};
pub use fallback::{Fallback, RunReport};
pub use flat::Flat;
pub use lanes::{ELEMENTARY, Kernel, Lanes, OnLanes};
pub use reference::{Interpreted, Interpreter};
