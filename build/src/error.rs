//! What a build script can get wrong, each with what was wrong and what would be right.
//!
//! Law: no input of a build script makes a call panic. `Debug` is `Display`, since that is what cargo shows of a `main` that returns
//! an error (build/tests/build/refused.rs).

use core::fmt;
use std::path::PathBuf;

/// Why there is no module. What its `Display` says is for the user of the build script.
///
/// ```
/// let error = catadiff_build::Futhark::open("src/nowhere.fut").unwrap_err();
/// assert_eq!(error.to_string(), "there is no file `src/nowhere.fut` [file]");
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A text in Futhark cannot be read, is no program, or an entry point of it is no array program.
    Futhark {
        /// The messages, each with its line and a caret under its place.
        messages: String,
    },
    /// There is no entry point of this name.
    Entry {
        /// The file.
        file: PathBuf,
        /// The name.
        name: String,
        /// The entry points that there are.
        known: Vec<String>,
    },
    /// A name that no module or function can have.
    Name {
        /// What was named.
        what: &'static str,
        /// The name.
        name: String,
        /// Why it cannot, and what would be right.
        reason: String,
    },
    /// A program has no such derivative, or cannot be printed as C.
    Program {
        /// The function, or the derivative that was wanted.
        function: String,
        /// What is wrong.
        error: catadiff::Error,
    },
    /// A module without functions.
    Empty {
        /// What is empty.
        what: String,
    },
    /// A variable that cargo gives to build scripts is not there.
    Environment {
        /// The variable.
        variable: &'static str,
    },
    /// A file that cannot be written.
    Write {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The C compiler is not there, cannot compile what is printed, or fails.
    Compiler {
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Futhark { messages } => f.write_str(messages.trim_end()),
            Error::Entry { file, name, known } => {
                write!(f, "`{}` has no entry point `{name}`: ", file.display())?;
                match &known[..] {
                    [] => f.write_str("it has none at all; write `entry` in the place of `def`"),
                    known => write!(f, "there are {}", known.join(", ")),
                }
            }
            Error::Name { what, name, reason } => write!(f, "the {what} `{name}`: {reason}"),
            Error::Program { function, error } => write!(f, "{function}: {error}"),
            Error::Empty { what } => write!(f, "{what} has no functions: add one by `Module::function`"),
            Error::Environment { variable } => {
                write!(f, "there is no `{variable}` in the environment: call this from a build script, `build.rs`")
            }
            Error::Write { file, reason } => write!(f, "`{}` cannot be written: {reason}", file.display()),
            Error::Compiler { reason } => {
                write!(f, "the C compiler: {reason}\nIt has to be gcc or clang; the variable `CC` names another one")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Error::Program { error, .. } => Some(error),
            _ => None,
        }
    }
}
