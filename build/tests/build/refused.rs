//! What cannot be built, and what the user sees of it.

use std::path::Path;
use std::process::Command;

use catadiff::array::Program;
use catadiff_build::{Error, Function, Futhark, Module, compile};

use crate::harness::folder;

#[test]
fn texts_with_mistakes_show_their_lines() {
    let folder = folder("refused_texts");
    let path = folder.join("wrong.fut");
    std::fs::write(&path, "entry half (n: i32): f64 =\n  n / 2\n").unwrap();
    let error = Futhark::open(&path).unwrap_err();
    let expected = format!("{}:2:3: error: ", path.display());
    let said = format!("{error:?}");
    assert!(said.starts_with(&expected) && said.contains("\n    n / 2\n    ^\n  hint: "), "{said}");

    std::fs::write(&path, "import \"nowhere\"\nentry half (x: f64): f64 = x / 2\n").unwrap();
    let said = Futhark::open(&path).unwrap_err().to_string();
    assert!(said.contains("wrong.fut:1:1: error: ") && said.contains("nowhere.fut"), "{said}");

    std::fs::write(&path, "entry half (x: f64): f64 = x / 2\nentry square (x: f64): f64 = x * x\n").unwrap();
    let error = Futhark::open(&path).unwrap().entry("third").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` has no entry point `third`: there are `half`, `square`", path.display())
    );
    std::fs::write(&path, "def half (x: f64): f64 = x / 2\n").unwrap();
    let said = Futhark::open(&path).unwrap().entry("half").unwrap_err().to_string();
    assert!(said.ends_with("it has none at all; write `entry` in the place of `def`"), "{said}");
    assert!(compile(&path).unwrap_err().to_string().ends_with("has no functions: add one by `Module::function`"));

    assert!(Futhark::open(&folder).unwrap_err().to_string().contains("is a folder, and a file is wanted"));
}

#[test]
fn derivatives_that_there_are_not_are_refused() {
    let both = Function::from(Program::parse("program (x: f64, n: i64) { let y = mul(x, x) return y, n }").unwrap());
    for (error, expected) in [
        (both.grad("x").unwrap_err(), "its `grad`: a program with the results (f64, i64) "),
        (both.jvp_wrt("n").unwrap_err(), "its `jvp_wrt`: "),
        (both.jacobian("z").unwrap_err(), "its `jacobian`: "),
    ] {
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(matches!(error, Error::Program { .. }) && std::error::Error::source(&error).is_some());
    }
}

/// A build script that some of the tests run, with the environment that cargo gives to one.
#[test]
#[ignore = "it is run by others, with an environment of their own"]
fn script() {
    let square = Program::parse("program (x: f64) { let y = mul(x, x) return y }").unwrap();
    let compiled = match std::env::var("TEXT") {
        Ok(path) => compile(path),
        Err(_) => Module::new("squares").function("square", &square).flag("-DX").native_cpu().compile(),
    };
    if let Err(error) = compiled {
        println!("refused: {error}");
    }
}

/// What the build script prints.
fn script_in(environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "refused::script", "--ignored", "--nocapture"]);
    for variable in ["TEXT", "CC", "OUT_DIR", "TARGET", "HOST"] {
        command.env_remove(variable);
    }
    let output = command.envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_script_without_a_compiler_or_a_folder_says_so() {
    let said = script_in(&[]);
    assert!(
        said.contains("refused: there is no `OUT_DIR` in the environment: call this from a build script"),
        "{said}"
    );

    let out = folder("script");
    let out = out.to_str().unwrap();
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let cargo = [("TARGET", &*host), ("HOST", &*host), ("OPT_LEVEL", "0")];
    let with = |more: &[(&'static str, &str)]| script_in(&[&cargo[..], more].concat());
    let said = with(&[("OUT_DIR", "/nowhere/at/all")]);
    assert!(said.contains("refused: `/nowhere/at/all/") && said.contains("` cannot be written: "), "{said}");

    let said = with(&[("OUT_DIR", out), ("CC", "no-such-compiler")]);
    assert!(said.contains("refused: the C compiler: ") && said.contains("no-such-compiler"), "{said}");
    assert!(said.contains("It has to be gcc or clang; the variable `CC` names another one"), "{said}");

    let said = with(&[("OUT_DIR", out), ("CC", "false")]);
    assert!(said.contains("refused: the C compiler: "), "{said}");

    let said = with(&[("OUT_DIR", out)]);
    assert!(said.contains("cargo:rustc-link-lib=static=catadiff_") && !said.contains("refused: "), "{said}");
}

#[test]
fn a_script_is_run_again_when_a_text_changes() {
    let out = folder("script_of_text");
    std::fs::write(out.join("shared.fut"), "def twice (x: f64) = x + x\n").unwrap();
    let text = out.join("doubled.fut");
    let entries =
        "import \"shared\"\nentry doubled (xs: []f64) = map twice xs\nentry slope (x: f64): f64 = vjp twice x 1\n";
    std::fs::write(&text, entries).unwrap();
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let (out_dir, named) = (path(&out), path(&text));
    let said =
        script_in(&[("TARGET", &host), ("HOST", &host), ("OPT_LEVEL", "0"), ("OUT_DIR", &out_dir), ("TEXT", &named)]);
    for file in [&text, &out.join("shared.fut")] {
        let line = format!("cargo:rerun-if-changed={}\n", file.canonicalize().unwrap().display());
        assert!(said.contains(&line), "{said}");
    }
    let module = std::fs::read_to_string(out.join("doubled.rs")).unwrap();
    for function in
        ["pub fn doubled(xs: &[f64]) -> Result<Vec<f64>, Error>", "pub fn slope(x: f64) -> Result<f64, Error>"]
    {
        assert!(module.contains(function), "{function}");
    }
}
