//! The way to other crates: their numbers, arrays and solvers, with our derivatives.
//!
//! Law: an adapter converts and does no calculus; every derivative it hands out is that of a verb, every method on a
//! number that of a row of the table.

mod float;
