//! Executors: how array programs run fast on the machine at hand.
//!
//! Law: every executor agrees with the reference interpreter ([`interpret`](crate::interpret)).

pub mod math;
