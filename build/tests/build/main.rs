//! What build scripts write: compiled by `rustc` and a C compiler as users' programs are, run, and compared with the interpreter.

mod checks;
mod harness;
mod names;
mod programs;
mod refused;
