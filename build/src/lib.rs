//! For build scripts: entry points of files in Futhark and traced array programs, with their derivatives, as safe functions of Rust.
//!
//! A build script derives, prints C, has it compiled, and writes a module of Rust that calls it. The program that is built has neither
//! this crate nor `catadiff` in it, and allocates nothing that its caller does not keep.
//!
//! Law: a function gives what the reference interpreter gives for the program, up to the order of sums and the stated error of
//! elementary functions, or an error; no arguments have it do what Rust calls undefined (build/tests/build/programs.rs).
//!
//! # In one minute
//!
//! ```toml
//! [build-dependencies]
//! catadiff-build = { path = "…" }
//! ```
//!
//! `build.rs`, for all entry points of a file as they are:
//!
//! ```no_run
//! fn main() -> Result<(), catadiff_build::Error> {
//!     catadiff_build::compile("src/loss.fut")
//! }
//! ```
//!
//! or for some, and for what they are differentiated to:
//!
//! ```no_run
//! use catadiff_build::{Error, Futhark, Module};
//!
//! fn main() -> Result<(), Error> {
//!     let loss = Futhark::open("src/loss.fut")?.entry("loss")?;
//!     Module::new("loss")
//!         .function("value", &loss)
//!         .function("value_and_gradient", loss.value_and_grad("w")?)
//!         .function("curvature", loss.hvp("w")?)
//!         .compile()
//! }
//! ```
//!
//! `src/main.rs`:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/loss.rs"));
//!
//! fn main() -> Result<(), loss::Error> {
//!     let (value, gradient) = loss::value_and_gradient(&[1.0, 2.0])?;
//!     println!("{value} {gradient:?}");
//!     Ok(())
//! }
//! ```
//!
//! A parameter that is a scalar is taken by value, a vector as a slice, and what has more dimensions as a `View` of the module: elements
//! in a row with their sizes, or an array of arrays. A result is a scalar, a `Vec` or an `Array` of the module; several are a tuple.
//! `NAME_into` leaves arrays in memory that the caller keeps, together with a `Workspace`: loops that keep both allocate nothing.
//! Half precision is in doubles, as in C. The module has `unsafe` in it around its calls of C, which a crate may `deny` but not `forbid`. `examples/build` in the repository is a package that does all of this.
//!
//! | file | what is in it |
//! |---|---|
//! | `function`, `futhark` | functions that are to be, and where they are from |
//! | `module`, `compiler` | what is written, compiled and linked |
//! | `rust`, `runtime`, `extents`, `names` | the text of a module |
//! | `error` | what can be wrong |

mod compiler;
mod error;
mod extents;
mod function;
mod futhark;
mod module;
mod names;
mod rust;

use std::path::Path;

pub use error::Error;
pub use function::Function;
pub use futhark::Futhark;
pub use module::{CFile, Generated, Module};

/// All entry points of a file in Futhark as functions of one module, which is called as the file is. Derivatives that the file itself
/// takes, by `jvp` and `vjp`, are among them; others are added by a [`Module`].
///
/// ```no_run
/// # fn main() -> Result<(), catadiff_build::Error> {
/// catadiff_build::compile("src/loss.fut")
/// # }
/// ```
///
/// # Errors
/// Those of [`Futhark::open`] and [`Module::compile`].
pub fn compile(path: impl AsRef<Path>) -> Result<(), Error> {
    let file = Futhark::open(path)?;
    let name = file.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let mut module = Module::new(name);
    for entry in file.entries() {
        module = module.function(entry, file.entry(entry)?);
    }
    module.compile()
}
