//! Programs as text in C.
//!
//! Law: the text computes the same bits as the code that it is of (tests/execute/elementary_in_c.rs).

#[cfg(not(feature = "unstable"))]
mod elementary;
#[cfg(feature = "unstable")]
pub mod elementary;
