//! The text front end: syntax, checker, values, both meanings, and bad input, one module each.

mod chains;
mod check;
mod consume;
mod conversions;
mod editing;
mod elaborate;
mod format;
mod fuzz;
mod in_place;
mod interpret;
mod syntax;
mod types;
mod values;
