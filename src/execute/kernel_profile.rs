//! What a run spent on each of its loops over lanes, as executors that count it say it.
//!
//! Law: what is counted depends on the code and the sizes alone; only the time is the machine's
//! (tests/execute/work.rs).

use std::time::Duration;

/// A loop over lanes of a [compiled](crate::execute::Compiled) program, and all its runs.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The statement of the program that it is for.
    pub statement: String,
    /// How often it ran.
    pub runs: u64,
    /// The lanes of all runs.
    pub lanes: u64,
    /// The time of all runs.
    pub time: Duration,
    /// Operations on reals: sums, products and the like count one, multiply-adds two, elementary functions [`ELEMENTARY`].
    pub flops: u64,
    /// The bytes that lanes load and store.
    pub bytes: u64,
    /// The bytes of the arrays that it touches, once for each run: no machine moves less.
    pub arrays: u64,
}

/// About how many operations an elementary function is: its reduction and its polynomials.
pub const ELEMENTARY: u64 = 16;
