//! Testing programs: what their comments say they do, and inputs drawn at random.
//!
//! Law: a test says what goes in and what comes out; nothing in a comment is passed over without a message
//! (tests/language/values.rs).

pub mod blocks;
pub mod random;
pub mod script;
