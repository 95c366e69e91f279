//! The text front end: syntax, checker, values, both meanings, and bad input, one module each.

mod chains;
mod check;
mod conversions;
mod elaborate;
mod fuzz;
mod interpret;
mod syntax;
mod values;
