//! Modules: functions as C and as Rust, written where cargo wants them, compiled and linked.
//!
//! Law: what is written needs no crate, and no two functions of a program have the same name in C, whichever packages they are of
//! (build/tests/build/programs.rs, build/tests/build/names.rs).

use std::collections::BTreeSet;
use std::env::var;
use std::path::{Path, PathBuf};

use catadiff::array::Program;

use crate::compiler::{Flags, archive};
use crate::error::Error;
use crate::function::Function;
use crate::names::{is_identifier, is_word, plain};
use crate::rust::{RUNTIME, Written};

/// A module of Rust that is to be, with its functions.
///
/// This is a `build.rs`, and what it takes to use what comes of it:
///
/// ```no_run
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff_build::{Function, Module};
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let norm = Function::from(Program::trace_named(&["x"], |x: Arr<F64>| x.dot(x))?);
///     Module::new("norms").function("norm", &norm).function("norm_gradient", norm.grad("x")?).compile()?;
///     Ok(())
/// }
/// ```
///
/// ```ignore
/// include!(concat!(env!("OUT_DIR"), "/norms.rs"));
///
/// fn main() -> Result<(), norms::Error> {
///     println!("{:?}", norms::norm_gradient(&[1.0, 2.0])?);
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Module {
    name: String,
    functions: Vec<(String, Function)>,
    flags: Flags,
}

/// What a module becomes.
///
/// ```
/// use catadiff::array::{Program, trace::F64};
/// use catadiff_build::Module;
/// let square = Program::trace_named(&["x"], |x: F64| x * x)?;
/// let written = Module::new("squares").function("square", &square).generate()?;
/// assert!(written.rust.contains("pub fn square(x: f64) -> Result<f64, Error>"));
/// assert!(written.c[0].text.contains("_squares_square(double x, double *result, void *workspace, int64_t *bytes)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The module in Rust.
    pub rust: String,
    /// A file in C for each function.
    pub c: Vec<CFile>,
}

/// A file in C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CFile {
    /// What it is called.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl Module {
    /// A module of this name, without functions yet.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Module { name: name.into(), functions: Vec::new(), flags: Flags::default() }
    }

    /// With a function of this name, beside which there will be `NAME_into`, for memory that the caller keeps.
    #[must_use]
    pub fn function(mut self, name: impl Into<String>, function: impl Into<Function>) -> Self {
        self.functions.push((name.into(), function.into()));
        self
    }

    /// With code for the processor that the build runs on, which another one may not have the instructions for.
    #[must_use]
    pub fn native_cpu(mut self) -> Self {
        self.flags.native_cpu = true;
        self
    }

    /// With one more flag of the C compiler, such as `-march=x86-64-v3`.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.more.push(flag.into());
        self
    }

    /// The texts of the module, for those who compile them themselves.
    ///
    /// # Errors
    /// [`Error::Name`] for names that are no identifiers or are there twice, [`Error::Empty`] without functions, [`Error::Program`] for
    /// a program that cannot be printed as C, with the reason.
    pub fn generate(&self) -> Result<Generated, Error> {
        self.check_names()?;
        let mut module = String::new();
        let mut c = Vec::new();
        for (name, function) in &self.functions {
            let symbol = self.symbol(name);
            let of_program = |error| Error::Program { function: format!("the function `{name}`"), error };
            let text = with_ascii_names(&function.program).to_c(&symbol).map_err(of_program)?;
            c.push(CFile { name: format!("{symbol}.c"), text: text.source });
            module.push_str(&Written::new(name, &symbol, function).text());
        }
        Ok(Generated { rust: self.module(&module), c })
    }

    /// Writes the module to the folder of the build script, compiles it, and has cargo link it. It is included by
    /// `include!(concat!(env!("OUT_DIR"), "/NAME.rs"))`.
    ///
    /// # Errors
    /// Those of [`generate`](Module::generate), [`Error::Environment`] outside of a build script, [`Error::Write`], and
    /// [`Error::Compiler`] if the C compiler is not there or fails.
    pub fn compile(&self) -> Result<(), Error> {
        let Generated { rust, c } = self.generate()?;
        let folder = PathBuf::from(var("OUT_DIR").map_err(|_| Error::Environment { variable: "OUT_DIR" })?);
        let mut files = Vec::new();
        for CFile { name, text } in &c {
            files.push(folder.join(name));
            write(&folder.join(name), text)?;
        }
        write(&folder.join(format!("{}.rs", self.name)), &rust)?;
        for file in self.functions.iter().flat_map(|(_, function)| &function.files).collect::<BTreeSet<_>>() {
            println!("cargo:rerun-if-changed={}", file.display());
        }
        let warnings = self.functions.iter().flat_map(|(_, function)| &function.warnings);
        for line in warnings.collect::<BTreeSet<_>>().into_iter().flat_map(|warning| warning.lines()) {
            println!("cargo:warning={line}");
        }
        archive(&folder, &self.symbol("all"), &files, &self.flags)
    }

    /// What C calls a function. Packages that are linked together have functions of the same name.
    fn symbol(&self, name: &str) -> String {
        let package = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION"].map(|variable| plain(&var(variable).unwrap_or_default()));
        format!("catadiff_{}_{}_{name}", package.join("_"), self.name)
    }

    fn check_names(&self) -> Result<(), Error> {
        let check = |what: &'static str, name: &str| match is_identifier(name) {
            true => Ok(()),
            false => {
                let reason = if is_word(name) { "it is a word of Rust" } else { "it is no identifier of Rust" };
                Err(Error::Name { what, name: name.to_owned(), reason: format!("{reason}; choose another one") })
            }
        };
        check("module", &self.name)?;
        if self.functions.is_empty() {
            return Err(Error::Empty { what: format!("the module `{}`", self.name) });
        }
        let mut taken: Vec<String> = Vec::new();
        for (name, _) in &self.functions {
            check("function", name)?;
            let names = Written::names(name);
            if let Some(twice) = names.iter().find(|name| taken.contains(name)) {
                let reason = format!("`{twice}` is in the module already; choose another one");
                return Err(Error::Name { what: "function", name: name.clone(), reason });
            }
            taken.extend(names);
        }
        Ok(())
    }

    /// The whole module around its functions.
    fn module(&self, functions: &str) -> String {
        // The comment at the top says what the text is for its writers.
        let runtime: Vec<&str> = RUNTIME.lines().filter(|line| !line.starts_with("//!")).collect();
        let listed: Vec<String> = self.functions.iter().map(|(name, _)| format!("`{name}`")).collect();
        format!(
            "/// Functions printed by catadiff: {}. Beside each there is one that works in memory of the caller's.\n\
            #[allow(\n    unsafe_code, dead_code, unreachable_pub, unused_parens, non_snake_case, single_use_lifetimes, clippy::all, clippy::pedantic,\n    \
            clippy::nursery, reason = \"the text is generated\"\n)]\n#[rustfmt::skip]\npub mod {} {{\n{}\n{functions}}}\n",
            listed.join(", "),
            self.name,
            runtime.join("\n")
        )
    }
}

/// The program with parameters that C and Rust can have names for; where two are then the same, C has another name for one.
fn with_ascii_names(program: &Program) -> Program {
    let (types, names, function) = program.clone().into_parts();
    let names = names.iter().map(|name| plain(name)).collect();
    Program::new(types, names, function).expect("a program with other names for its parameters is one")
}

fn write(file: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(file, text).map_err(|error| Error::Write { file: file.to_owned(), reason: error.to_string() })
}
