//! The text front end: syntax, checker, values, both meanings, and bad input, one module each.

mod check;
mod elaborate;
mod fuzz;
mod interpret;
mod syntax;
mod values;
