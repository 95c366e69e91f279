//! The command that tests programs, on those of the library.

use std::path::Path;
use std::process::Command;

/// The tests of the library's front end ask this of all of them, so one in ten is enough here; all are run where the command
/// is optimised, by `.ci/run`.
#[test]
fn the_command_finds_no_failure_in_any_of_them() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let folder = std::fs::read_dir(tests.join("futhark")).expect("the folder is there");
    let mut paths: Vec<_> = folder.map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "fut"));
    paths.sort();
    let some: Vec<_> = paths.iter().step_by(10).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_catadiff"))
        .args(["test", "--both", "--words"])
        .args(&some)
        .current_dir(tests)
        .output()
        .expect("the command runs");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    // No case passes by the language's own tolerance alone, which a line would say. What lanes could not run is noted.
    let noted = |line: &&str| line.contains(" on lanes: note: run by ") || line.starts_with("      in: let ");
    let rest: Vec<&str> = told.lines().filter(|line| !noted(line)).collect();
    assert!(matches!(rest[..], [line] if line.contains(" passed, 0 failed, ")), "{told}");
    assert!(some.len() >= 15, "{} programs", some.len());
}
