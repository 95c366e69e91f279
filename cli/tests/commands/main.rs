//! The command line as its users meet it, one module for each kind of command.

mod command;
#[cfg(feature = "native")]
mod emit;
mod fixtures;
mod futhark;
mod line;
mod pictures;
