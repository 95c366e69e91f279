//! Makes the page: the library for browsers, and all else that the page needs, in one file.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";

fn main() -> ExitCode {
    match make() {
        Ok(file) => {
            println!("{file}: open it in a browser");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the page was not made: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the page, and says where it is.
fn make() -> Result<String, Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("this package is in a folder")?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("target"), Into::into);
    let built = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--release", "--package", "page", "--target", TARGET, "--manifest-path"])
        .arg(here.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        // Vectors of four numbers, which every browser of today has.
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Ctarget-feature=+simd128")
        .status()?;
    if !built.success() {
        return Err(format!("if rustc has no {TARGET}, `rustup target add {TARGET}` adds it").into());
    }
    let mut bindgen = Bindgen::new();
    bindgen.input_path(target.join(TARGET).join("release/page.wasm"));
    bindgen.no_modules(true)?.typescript(false);
    let mut output = bindgen.generate_output()?;
    let code = BASE64_STANDARD.encode(output.wasm_mut().emit_wasm());
    let source = |name: &str| fs::read_to_string(here.join("page").join(name));
    let parts = [
        ("/* style */", source("page.css")?),
        ("/* glue */", output.js().to_owned()),
        ("/* code */", format!("const CODE = \"{code}\";")),
        ("/* page */", source("page.js")?),
    ];
    let page = parts.iter().fold(source("page.html")?, |page, (mark, part)| page.replacen(mark, part, 1));
    let file = target.join("k_means.html");
    fs::write(&file, page)?;
    Ok(file.display().to_string())
}
