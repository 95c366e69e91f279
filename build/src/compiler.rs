//! The C compiler: files of C as a library that is linked with the user's program.
//!
//! Law: sums have the same bits on every machine, for what is multiplied and added is rounded twice unless the text says otherwise; what
//! is wrong with the compiler is an error, and its messages are in it (build/tests/build/refused.rs).

use std::path::{Path, PathBuf};

use crate::error::Error;

/// How C is compiled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) native_cpu: bool,
    pub(crate) more: Vec<String>,
}

/// Compiles these files to a library of this name, and has cargo link it.
pub(crate) fn archive(folder: &Path, name: &str, files: &[PathBuf], flags: &Flags) -> Result<(), Error> {
    let wrong = |error: cc::Error| Error::Compiler { reason: error.to_string() };
    let mut build = cc::Build::new();
    build.files(files).out_dir(folder).opt_level(2).debug(false).warnings(false).std("c11");
    // Vectors are passed between functions of one file alone, whatever the convention is.
    build.flag("-ffp-contract=off").flag_if_supported("-Wno-psabi");
    let compiler = build.try_get_compiler().map_err(wrong)?;
    if compiler.is_like_msvc() && !compiler.is_like_clang() {
        let reason = format!("`{}` has no vector types", compiler.path().display());
        return Err(Error::Compiler { reason });
    }
    if flags.native_cpu {
        // Compilers for ARM call it so.
        let is_arm = std::env::var("TARGET").is_ok_and(|target| target.starts_with("aarch64"));
        build.flag(if is_arm { "-mcpu=native" } else { "-march=native" });
    }
    for flag in &flags.more {
        build.flag(flag);
    }
    build.try_compile(name).map_err(wrong)
}
