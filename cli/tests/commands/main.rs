//! The command line as its users meet it, one module for each kind of command.

#[cfg(unix)]
mod book;
mod command;
mod derivatives;
mod editing;
#[cfg(feature = "native")]
mod emit;
mod fixtures;
mod futhark;
mod line;
mod pictures;
#[cfg(feature = "mpi")]
mod ranks;
mod testing;
